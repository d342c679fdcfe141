/** Compares the received deliveries with those that a step expects. */
import { partDifferences } from '../../sandbox/scenario-file/comparison.ts'
import {
  type CountRange,
  countDifferences,
  countRange,
  isInRange,
  orderDifferences,
  rangeInWords,
} from '../../sandbox/scenario-file/count.ts'
import { differences, type MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import type { StepOf } from '../../sandbox/scenario-file/step.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { matchesEvent } from '../../spec/contract/event.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { tally } from '../../spec/grouping.ts'
import { nearest } from './nearest.ts'
import type { ReceivedWebhook } from './receiver.ts'
import { numbersOf } from './wire.ts'

type Expected = Omit<StepOf<'webhook'>['webhook'], 'within' | 'at'> & { at?: readonly number[] | undefined }

/** When the attempts of each event were made, in milliseconds after the first; keyed by event id. */
export type AttemptTimes = ReadonlyMap<string, readonly number[]>

/** Whether no more deliveries need to be awaited. */
export const enoughWebhooks = (expected: Expected, deliveries: readonly ReceivedWebhook[]): boolean =>
  matching(expected, deliveries).length >= rangeOf(expected).min &&
  outOfOrder(expected, matching(expected, deliveries)).length === 0

export function checkWebhooks(
  expected: Expected,
  deliveries: readonly ReceivedWebhook[],
  times: AttemptTimes,
) {
  const missed: MatchDifference[] = []
  const found = matching(expected, deliveries)
  const { events, signature } = expected
  const range = rangeOf(expected)
  if (!isInRange(found.length, range)) {
    // If there are too many, only the surplus matches are listed, because the full list may be truncated.
    const isMore = found.length > range.max
    const received = `${found.length}${isMore ? ': ' : ' among '}${inFirstOrder((isMore ? found : deliveries).map(inWords))}`
    missed.push({ path: 'deliveries', expected: `${rangeInWords(range)} of ${expected.type}`, received })
    // How deliveries of the right type differ from the expected data.
    if (!isMore)
      missed.push(...nearest(ofType(expected, deliveries), (delivery) => inData(expected, delivery), inWords))
  }
  missed.push(...partDifferences('events', events, new Set(found.map(({ id }) => id)).size))
  for (const one of found) {
    if (signature === undefined || one.signature === signature) continue
    missed.push({
      path: `signature of ${one.id || 'a delivery'}`,
      expected: signature,
      received: one.signature,
    })
  }
  for (const one of firstOfEach(found)) missed.push(...checkAttempts(expected, one, found, times))
  missed.push(...outOfOrder(expected, found))
  return { saw: inFirstOrder(found.map(({ type }) => type)), differences: missed }
}

const firstOfEach = (deliveries: readonly ReceivedWebhook[]): ReceivedWebhook[] =>
  deliveries.filter(({ id }, index) => deliveries.findIndex((delivery) => delivery.id === id) === index)

function checkAttempts(
  { attempts, at }: Expected,
  event: ReceivedWebhook,
  found: readonly ReceivedWebhook[],
  times: AttemptTimes,
): MatchDifference[] {
  const count = found.filter(({ id }) => id === event.id).length
  const range = countRange({ count: attempts })
  const missed = range ? countDifferences(`attempts of ${inWords(event)}`, range, count) : []
  const made = times.get(event.id) ?? []
  // With a running clock, an attempt is made a few milliseconds after it is due.
  const isOnTime = (planned: number, index: number) =>
    made[index]! >= planned && made[index]! < planned + 1_000
  if (at !== undefined && !(made.length === at.length && at.every(isOnTime))) {
    missed.push({
      path: `times of ${inWords(event)}`,
      expected: at.map(formatDuration).join(', '),
      received: made.map(formatDuration).join(', ') || 'none',
    })
  }
  return missed
}

export const matching = (expected: Expected, deliveries: readonly ReceivedWebhook[]): ReceivedWebhook[] =>
  ofType(expected, deliveries).filter((delivery) => inData(expected, delivery).length === 0)

const ofType = ({ type }: Expected, deliveries: readonly ReceivedWebhook[]) =>
  deliveries.filter((delivery) => matchesEvent(type, delivery.type))

const inData = ({ data }: Expected, { event, body }: ReceivedWebhook): MatchDifference[] =>
  data === undefined ? [] : differences({ data }, event, { numbers: numbersOf({ body: body.toString() }) })

const inWords = ({ type, event }: ReceivedWebhook): string => {
  const { data } = isObject(event) ? event : {}
  return isObject(data) && typeof data.id === 'string' ? `${type} of ${data.id}` : type
}

const rangeOf = (expected: Expected): CountRange => {
  const { order, events } = expected
  const min = order === undefined ? (events ?? 1) : 0
  return countRange(expected) ?? { min, max: Number.POSITIVE_INFINITY }
}

const outOfOrder = ({ order = [] }: Expected, found: readonly ReceivedWebhook[]): MatchDifference[] =>
  orderDifferences(
    order,
    found,
    (pattern, { type }) => matchesEvent(pattern, type),
    ({ type }) => type,
  )

/** Such as `refund.created ×4, refund.completed`, ordered by first occurrence. */
const inFirstOrder = (words: readonly string[]): string =>
  [...tally(words)].map(([word, count]) => (count > 1 ? `${word} ×${count}` : word)).join(', ') || 'none'
