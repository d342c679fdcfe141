/** The steps that use the tester's API or the webhook receiver: `sim`, `webhook`, `ledger` and `outbox`. */
import { AT_LEAST_ONE, countRange, isInRange, rangeInWords } from '../../sandbox/scenario-file/count.ts'
import { differences, type MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { fill } from '../../sandbox/scenario-file/placeholder.ts'
import { type SimCommand, simCommandOf } from '../../sandbox/scenario-file/sim-command.ts'
import type {
  LedgerStep,
  OutboxStep,
  RequestsStep,
  SimStep,
  WebhookStep,
} from '../../sandbox/scenario-file/step.ts'
import { msOf, realTimeOf } from '../../sandbox/scenario-file/step-duration.ts'
import { counted } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { SANDBOX_ADDRESSES } from '../../tester/control/addresses.ts'
import type { RequestSummary } from '../../tester/control/shapes.ts'
import { named, type Verb, type VerbName, type VerbRequest, verbRequest } from '../../tester/control/verb.ts'
import { checkAnswer } from './checks.ts'
import type { Control } from './control.ts'
import { nearest, tooMany } from './nearest.ts'
import type { ReceivedWebhook, Receiver } from './receiver.ts'
import type { StepFindings } from './result.ts'
import type { Variables } from './variables.ts'
import { type AttemptTimes, checkWebhooks, enoughWebhooks, matching } from './webhooks.ts'
import { numbersOf } from './wire.ts'

function simRequest(sim: SimCommand): VerbRequest {
  const { verb, args } = simCommandOf(sim)
  const name: VerbName<typeof SANDBOX_ADDRESSES> = verb
  return verbRequest(named(SANDBOX_ADDRESSES, name) as Verb, ...args(sim))
}

export async function isClockFrozen(control: Control): Promise<boolean> {
  return (await control.must(verbRequest(SANDBOX_ADDRESSES.clock.read))).frozen === true
}

export const advanceClock = (control: Control, ms: number): Promise<unknown> =>
  control.must(simRequest({ advance: ms }))

export async function runSim(step: SimStep, control: Control, variables: Variables): Promise<StepFindings> {
  const answer = await control.send(simRequest(fill(step.sim, variables.resolve)))
  const expected = fill(step.expect ?? {}, variables.resolve)
  const { exchange, status, body } = answer
  const received = { ...exchange, answered: { status, headers: {}, body }, took: 0 }
  const found = [
    ...checkAnswer(expected, received, new Map()),
    ...variables.captureFrom(answer, step.capture),
  ]
  return { saw: String(answer.status), expected, received: [received], differences: found }
}

export async function runWebhooks(
  step: WebhookStep,
  control: Control,
  receiver: Receiver,
  variables: Variables,
): Promise<StepFindings> {
  const { within, at, ...others } = fill(step.webhook, variables.resolve)
  const expected = { ...others, at: at?.map(msOf) }
  // Settled before and after a wait, so that no due delivery is still in flight. Held requests are not waited for: one may be the
  // call that this step runs alongside.
  const settle = () => control.send(verbRequest(SANDBOX_ADDRESSES.settle, { held: false }))
  const isEnough = (deliveries: readonly ReceivedWebhook[]) => enoughWebhooks(expected, deliveries)
  await settle()
  if (!isEnough(receiver.deliveries)) {
    await receiver.until(isEnough, realTimeOf(within))
    await settle()
  }
  const { deliveries } = receiver
  const times =
    expected.at === undefined ? NO_TIMES : await attemptTimes(control, matching(expected, deliveries))
  const { saw, differences } = checkWebhooks(expected, deliveries, times)
  const last = matching(expected, deliveries).at(-1)
  const missing = variables.captureFrom(
    { json: last?.event, headers: last?.sent.headers ?? {} },
    step.capture,
  )
  const shown = { ...others, ...(expected.at && { at: expected.at.map(formatDuration) }) }
  return { expected: shown, saw, differences: [...differences, ...missing] }
}

const NO_TIMES: AttemptTimes = new Map()

/** When the attempts of each event were made, in sandbox time. */
async function attemptTimes(control: Control, received: readonly ReceivedWebhook[]): Promise<AttemptTimes> {
  const times = new Map<string, number[]>()
  for (const eventId of new Set(received.map(({ id }) => id))) {
    const made = await control.list(verbRequest(SANDBOX_ADDRESSES.deliveries, { eventId }))
    const at = made
      .flatMap(({ attempts }) => (Array.isArray(attempts) ? attempts : []))
      .map((attempt) => Date.parse(String(attempt.at)))
      .sort((one, other) => one - other)
    times.set(
      eventId,
      at.map((time) => time - at[0]!),
    )
  }
  return times
}

export async function runRequests(
  step: RequestsStep,
  control: Control,
  variables: Variables,
): Promise<StepFindings> {
  const { within = 0, apart, ...others } = fill(step.requests, variables.resolve)
  const expected = { ...others, ...(apart !== undefined && { apart: formatDuration(msOf(apart)) }) }
  const verify = verbRequest(SANDBOX_ADDRESSES.verify, expected, {
    within: formatDuration(realTimeOf(within)),
  })
  const { status, json } = await control.send(verify)
  const { count, found = count, requests, nearest: near, between, message } = isObject(json) ? json : {}
  const saw = counted(Number(found), 'request')
  if (status < 300) return { saw, expected }
  if (found === undefined) throw new Error(String(message))
  const range = countRange(expected) ?? AT_LEAST_ONE
  const isCount = !isInRange(Number(found), range)
  return {
    saw,
    expected,
    differences: [
      ...(isCount ? [{ path: 'requests', expected: rangeInWords(range), received: String(found) }] : []),
      ...(Number(found) > range.max ? tooMany(listOf<RequestSummary>(requests).map(requestText)) : []),
      ...listOf<NearRequest>(near).flatMap(({ request, differences }) =>
        differences.map((one) => ({ ...one, path: `${requestText(request)}: ${one.path}` })),
      ),
      ...listOf<MatchDifference>(between),
    ],
  }
}

interface NearRequest {
  request: RequestSummary
  differences: MatchDifference[]
}

const requestText = ({ id, method, target, status, fault }: RequestSummary) =>
  `${id} ${method} ${target} → ${status ?? fault}`

const listOf = <Item>(value: unknown): Item[] => (Array.isArray(value) ? value : [])

export async function runLedger(
  step: LedgerStep,
  control: Control,
  variables: Variables,
): Promise<StepFindings> {
  const answer = await control.succeed(verbRequest(SANDBOX_ADDRESSES.ledger))
  const numbers = numbersOf(answer)
  const expected = fill(step.ledger, variables.resolve)
  const saw = Object.keys(step.ledger)
    .map((name) => `${name} ${numbers.get(`$.sums.${name}`) ?? 'nothing'}`)
    .join(', ')
  const found = differences({ sums: expected }, answer.json, { numbers })
  const { sums = {} } = isObject(answer.json) ? answer.json : {}
  // Shows all sums, as another sum may explain a mismatch, with the decimals as received.
  const body = `{${Object.keys(sums as object)
    .map((name) => `"${name}":${numbers.get(`$.sums.${name}`)}`)
    .join()}}`
  const { status, exchange } = answer
  return {
    saw,
    expected,
    received: [{ ...exchange, answered: { status, headers: {}, body } }],
    differences: [
      ...found.map((one) => ({ ...one, path: one.path.replace('.sums', '') })),
      ...variables.captureFrom({ json: sums }, step.capture),
    ],
  }
}

export async function runOutbox(
  step: OutboxStep,
  control: Control,
  variables: Variables,
): Promise<StepFindings> {
  const messages = await control.listAll(SANDBOX_ADDRESSES.outbox)
  const { count, exactly, atLeast, atMost, ...expected } = fill(step.outbox, variables.resolve)
  const range = countRange({ count, exactly, atLeast, atMost }) ?? AT_LEAST_ONE
  const differencesOf = (message: object) => differences(expected, message)
  const fitting = messages.filter((message) => differencesOf(message).length === 0)
  const saw = `${fitting.length} of ${counted(messages.length, 'message')}`
  if (isInRange(fitting.length, range)) {
    const found = variables.captureFrom({ json: fitting.at(-1) }, step.capture)
    return { saw, expected: step.outbox, differences: found }
  }
  const nameOf = ({ channel, to, template }: (typeof messages)[number]) => `${channel} to ${to}, ${template}`
  const others = messages.filter((message) => !fitting.includes(message))
  const shown =
    fitting.length > range.max ? tooMany(fitting.map(nameOf)) : nearest(others, differencesOf, nameOf)
  const wrong = { path: 'messages', expected: rangeInWords(range), received: String(fitting.length) }
  return { saw, expected: fill(step.outbox, variables.resolve), differences: [wrong, ...shown] }
}
