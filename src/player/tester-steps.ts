/** The steps that use the tester's API or the webhook receiver: `sim`, `webhook`, `ledger` and `outbox`. */
import { verbRequest } from '../control/verb.ts'
import { SANDBOX_VERBS } from '../control/verbs.ts'
import { countRange, isInRange, rangeInWords } from '../scenario-file/count.ts'
import { differences } from '../scenario-file/matcher.ts'
import { fill } from '../scenario-file/placeholder.ts'
import type { LedgerStep, OutboxStep, SimStep, WebhookStep } from '../scenario-file/step.ts'
import { checkAnswer } from './checks.ts'
import type { Control } from './control.ts'
import type { Receiver } from './receiver.ts'
import type { StepFindings } from './result.ts'
import { simRequest } from './sim-commands.ts'
import type { Variables } from './variables.ts'
import { checkWebhooks, enoughWebhooks } from './webhooks.ts'
import { numbersOf, type ReceivedAnswer } from './wire.ts'

/** How many of the messages or deliveries that differ are shown. */
const SHOWN_MAX = 5

export async function runSim(step: SimStep, control: Control, variables: Variables): Promise<StepFindings> {
  const answer = await control.send(simRequest(fill(step.sim, variables.resolve)))
  const expected = fill(step.expect ?? {}, variables.resolve)
  const received: ReceivedAnswer = {
    connection: 'answered',
    status: answer.status,
    headers: {},
    body: answer.body,
    tookMs: 0,
  }
  const found = [
    ...checkAnswer(expected, received, new Map()),
    ...variables.captureFrom(answer.json, step.capture),
  ]
  return { saw: String(answer.status), expected, received: [received], differences: found }
}

export async function runWebhooks(
  step: WebhookStep,
  control: Control,
  receiver: Receiver,
  variables: Variables,
): Promise<StepFindings> {
  const { within, ...expected } = fill(step.webhook, variables.resolve)
  // Settled before and after, so that no delivery that is due is still on its way. The call that this step runs beside may
  // be held.
  const settle = () => control.send(verbRequest(SANDBOX_VERBS.settle, { held: false }))
  await settle()
  await receiver.until((deliveries) => enoughWebhooks(expected, deliveries), within)
  await settle()
  return { expected, ...checkWebhooks(expected, receiver.deliveries) }
}

export async function runLedger(
  step: LedgerStep,
  control: Control,
  variables: Variables,
): Promise<StepFindings> {
  const answer = await control.succeed(verbRequest(SANDBOX_VERBS.ledger))
  const numbers = numbersOf(answer)
  const expected = fill(step.ledger, variables.resolve)
  const saw = Object.keys(step.ledger)
    .map((name) => `${name} ${numbers.get(`$.sums.${name}`) ?? 'nothing'}`)
    .join(', ')
  const found = differences({ sums: expected }, answer.json, { numbers })
  return { saw, expected, differences: found.map((one) => ({ ...one, path: one.path.replace('.sums', '') })) }
}

export async function runOutbox(
  step: OutboxStep,
  control: Control,
  variables: Variables,
): Promise<StepFindings> {
  const messages = await control.list(verbRequest(SANDBOX_VERBS.outbox))
  const { count, exactly, atLeast, atMost, ...expected } = fill(step.outbox, variables.resolve)
  const range = countRange({ count, exactly, atLeast, atMost }) ?? { min: 1, max: Number.POSITIVE_INFINITY }
  const compared = messages.map((message) => ({ message, found: differences(expected, message) }))
  const others = compared.filter(({ found }) => found.length > 0)
  const matching = messages.length - others.length
  const saw = `${matching} of ${messages.length} messages`
  if (isInRange(matching, range)) return { saw, expected: step.outbox }
  const shown = matching > range.max ? compared.filter(({ found }) => found.length === 0) : others
  const wrong = { path: 'messages', expected: rangeInWords(range), received: String(matching) }
  return {
    saw,
    expected: step.outbox,
    differences: [
      wrong,
      ...shown.slice(0, SHOWN_MAX).flatMap(({ message, found }) => {
        const path = `${message.channel} to ${message.to}, ${message.template}`
        if (found.length === 0) return [{ path, expected: 'not there', received: 'as described' }]
        return found.map((one) => ({ ...one, path: `${path}: ${one.path}` }))
      }),
    ],
  }
}
