/** The steps that use the tester's API or the webhook receiver: `sim`, `webhook`, `ledger` and `outbox`. */
import { AT_LEAST_ONE, countDifferences, countRange } from '../../sandbox/scenario-file/count.ts'
import { differences, type MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { simCommandOf } from '../../sandbox/scenario-file/sim-command.ts'
import type { StepOf } from '../../sandbox/scenario-file/step.ts'
import { msOf, realTimeOf } from '../../sandbox/scenario-file/step-duration.ts'
import { counted } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { jsonIn } from '../../spec/contract/parsed-json.ts'
import { SANDBOX_ADDRESSES } from '../../tester/control/addresses.ts'
import type { RequestSummary } from '../../tester/control/shapes.ts'
import { named, type Verb, type VerbName } from '../../tester/control/verb.ts'
import { checkResponse } from './checks.ts'
import type { Control } from './control.ts'
import { nearest, tooMany } from './nearest.ts'
import type { ReceivedWebhook } from './receiver.ts'
import type { StepFindings } from './result.ts'
import type { Stage } from './stage.ts'
import { type AttemptTimes, checkWebhooks, enoughWebhooks, matching } from './webhooks.ts'
import { numbersOf } from './wire.ts'

/** The stage of a step that needs the tester's API. */
export type TesterStage = Stage & { control: Control }

export async function isClockFrozen(control: Control): Promise<boolean> {
  return (await control.must(SANDBOX_ADDRESSES.clock.read)).json.frozen === true
}

export const advanceClock = (control: Control, ms: number): Promise<unknown> =>
  control.must(SANDBOX_ADDRESSES.clock.advance, formatDuration(ms))

export async function runSim(
  { sim, expect = {}, capture }: StepOf<'sim'>,
  { control, variables }: TesterStage,
): Promise<StepFindings> {
  const { verb, args } = simCommandOf(sim)
  const name: VerbName<typeof SANDBOX_ADDRESSES> = verb
  const answer = await control.send(named(SANDBOX_ADDRESSES, name) as Verb, ...args(sim))
  const found = checkResponse(expect, answer.exchange, new Map())
  const differences = [...found, ...variables.captureFrom({ json: jsonIn(answer.body) }, capture)]
  return { saw: String(answer.status), expected: expect, received: [answer.exchange], differences }
}

export async function runWebhooks(
  { webhook: { within, at, ...others }, capture }: StepOf<'webhook'>,
  { control, variables, receiver }: TesterStage,
): Promise<StepFindings> {
  const { deliveries, until } = receiver!
  const expected = { ...others, at: at?.map(msOf) }
  // Settled before and after a wait, so that no due delivery is still in flight. Held requests are not waited for: one may be the
  // call that this step runs alongside.
  const settle = () => control.send(SANDBOX_ADDRESSES.settle, { held: false })
  const isEnough = () => enoughWebhooks(expected, deliveries)
  await settle()
  if (!isEnough()) {
    await until(isEnough, realTimeOf(within))
    await settle()
  }
  const found = matching(expected, deliveries)
  const times = expected.at === undefined ? NO_TIMES : await attemptTimes(control, found)
  const { saw, differences } = checkWebhooks(expected, deliveries, times)
  const last = found.at(-1)
  const captured = { json: last?.event, headers: last?.sent.headers }
  const shown = { ...others, ...(expected.at && { at: expected.at.map(formatDuration) }) }
  return { expected: shown, saw, differences: [...differences, ...variables.captureFrom(captured, capture)] }
}

const NO_TIMES: AttemptTimes = new Map()

/** When the attempts of each event were made, in sandbox time. */
async function attemptTimes(control: Control, received: readonly ReceivedWebhook[]): Promise<AttemptTimes> {
  const times = new Map<string, number[]>()
  for (const eventId of new Set(received.map(({ id }) => id))) {
    const made = await control.list(SANDBOX_ADDRESSES.deliveries, { eventId })
    const at = made
      .flatMap(({ attempts }) => (Array.isArray(attempts) ? attempts : []))
      .map((attempt) => Date.parse(String(attempt.at)))
      .sort((a, b) => a - b)
    times.set(
      eventId,
      at.map((time) => time - at[0]!),
    )
  }
  return times
}

export async function runRequests(
  { requests: { within = '0s', apart, ...others } }: StepOf<'requests'>,
  { control }: TesterStage,
): Promise<StepFindings> {
  const expected = { ...others, ...(apart !== undefined && { apart: formatDuration(msOf(apart)) }) }
  const waiting = { within: formatDuration(realTimeOf(within)) }
  const { json } = await control.send(SANDBOX_ADDRESSES.verify, expected, waiting)
  const { count, found = count, requests, nearest: near, between, message } = json
  const saw = counted(Number(found), 'request')
  if (found === undefined) throw new Error(String(message))
  const range = countRange(expected) ?? AT_LEAST_ONE
  return {
    saw,
    expected,
    differences: [
      ...countDifferences('requests', range, Number(found)),
      ...(Number(found) > range.max ? tooMany(listOf<RequestSummary>(requests).map(requestText)) : []),
      ...listOf<NearRequest>(near).flatMap(({ request, differences }) =>
        differences.map((found) => ({ ...found, path: `${requestText(request)}: ${found.path}` })),
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
  { ledger, capture }: StepOf<'ledger'>,
  { control, variables }: TesterStage,
): Promise<StepFindings> {
  const answer = await control.must(SANDBOX_ADDRESSES.ledger)
  const numbers = numbersOf(answer)
  const { sums = {} } = answer.json as { sums?: object }
  const textOf = (name: string) => numbers.get(`$.sums.${name}`) ?? 'nothing'
  // Shows all sums, as another sum may explain a mismatch, with the decimals as received.
  const body = `{${Object.keys(sums).map((name) => `"${name}":${textOf(name)}`)}}`
  const found = differences({ sums: ledger }, answer.json, { numbers })
  return {
    saw: Object.keys(ledger)
      .map((name) => `${name} ${textOf(name)}`)
      .join(', '),
    expected: ledger,
    received: [{ ...answer.exchange, answered: { status: answer.status, headers: {}, body } }],
    differences: [
      ...found.map((difference) => ({ ...difference, path: difference.path.replace('.sums', '') })),
      ...variables.captureFrom({ json: sums }, capture),
    ],
  }
}

export async function runOutbox(
  { outbox, capture }: StepOf<'outbox'>,
  { control, variables }: TesterStage,
): Promise<StepFindings> {
  const messages = await control.list(SANDBOX_ADDRESSES.outbox)
  const { count, exactly, atLeast, atMost, ...expected } = outbox
  const range = countRange(outbox) ?? AT_LEAST_ONE
  const differencesOf = (message: object) => differences(expected, message)
  const fitting = messages.filter((message) => differencesOf(message).length === 0)
  const found = { saw: `${fitting.length} of ${counted(messages.length, 'message')}`, expected: outbox }
  const wrong = countDifferences('messages', range, fitting.length)
  if (wrong.length === 0)
    return { ...found, differences: variables.captureFrom({ json: fitting.at(-1) }, capture) }
  const nameOf = ({ channel, to, template }: (typeof messages)[number]) => `${channel} to ${to}, ${template}`
  const others = messages.filter((message) => !fitting.includes(message))
  const shown =
    fitting.length > range.max ? tooMany(fitting.map(nameOf)) : nearest(others, differencesOf, nameOf)
  return { ...found, differences: [...wrong, ...shown] }
}
