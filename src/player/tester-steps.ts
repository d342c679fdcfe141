/** The steps that use the tester's API or the webhook receiver: `sim`, `webhook`, `ledger` and `outbox`. */
import { verbRequest } from '../control/verb.ts'
import { SANDBOX_VERBS } from '../control/verbs.ts'
import { differences } from '../scenario-file/matcher.ts'
import { fill } from '../scenario-file/placeholder.ts'
import type { LedgerStep, OutboxStep, SimStep, WebhookStep } from '../scenario-file/step.ts'
import { checkAnswer } from './checks.ts'
import type { Control } from './control.ts'
import type { Receiver } from './receiver.ts'
import type { StepFindings } from './result.ts'
import { simRequest } from './sim-commands.ts'
import { type Variables, valueAt } from './variables.ts'
import { checkWebhooks, enoughWebhooks } from './webhooks.ts'
import type { ReceivedAnswer } from './wire.ts'

export async function runSim(step: SimStep, control: Control, variables: Variables): Promise<StepFindings> {
  const answer = await control.send(simRequest(fill(step.sim, variables.resolve)))
  const expected = fill(step.expect ?? {}, variables.resolve)
  const received: ReceivedAnswer = {
    connection: 'answered',
    status: answer.status,
    headers: {},
    body: Buffer.from(JSON.stringify(answer.json) ?? ''),
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
  const { sums } = await control.must(verbRequest(SANDBOX_VERBS.ledger))
  const expected = fill(step.ledger, variables.resolve)
  const saw = Object.keys(step.ledger)
    .map((name) => `${name} ${JSON.stringify(valueAt(sums, `$.${name}`))}`)
    .join(', ')
  return { saw, expected, differences: differences(expected, sums) }
}

export async function runOutbox(
  step: OutboxStep,
  control: Control,
  variables: Variables,
): Promise<StepFindings> {
  const messages = await control.list(verbRequest(SANDBOX_VERBS.outbox))
  const { exactly, atLeast = 1, ...expected } = fill(step.outbox, variables.resolve)
  const matching = messages.filter((message) => differences(expected, message).length === 0).length
  const enough = exactly === undefined ? matching >= atLeast : matching === exactly
  const wanted = exactly === undefined ? `${atLeast} or more such messages` : `${exactly} such messages`
  return {
    saw: `${matching} of ${messages.length} messages`,
    expected: step.outbox,
    differences: enough ? [] : [{ path: 'messages', expected: wanted, received: String(matching) }],
  }
}
