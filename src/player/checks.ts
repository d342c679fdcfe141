/** Whether what came back is what was expected: an empty list, or everything that differs. */
import { formatDuration } from '../contract/duration.ts'
import { differences, isMatcher, type MatchDifference, type Matcher } from '../scenario-file/matcher.ts'
import type { ExpectOfMany } from '../scenario-file/step.ts'
import { jsonOf, type ReceivedAnswer } from './wire.ts'

type Answers = ReadonlyMap<string, ReceivedAnswer>

/** One answer. A status that is counted among many is not looked at here. */
export function checkAnswer(
  expect: ExpectOfMany,
  incoming: ReceivedAnswer,
  earlier: Answers,
): MatchDifference[] {
  const wanted = expect.connection ?? 'answered'
  if (incoming.connection !== wanted) {
    return [{ path: 'connection', expected: wanted, received: endingText(incoming) }]
  }
  return [
    ...checkStatus(expect, incoming),
    ...Object.entries(expect.header ?? {}).flatMap(([name, value]) => checkHeader(name, value, incoming)),
    ...(expect.json === undefined ? [] : differences(expect.json, jsonOf(incoming), { exact: expect.exact })),
    ...checkSame(expect.sameAs, incoming, earlier),
    ...checkTime(expect, incoming),
  ]
}

/** How an exchange ended, in a word or two. */
export const endingText = ({ connection, status }: ReceivedAnswer): string =>
  connection === 'answered'
    ? String(status)
    : status === undefined
      ? connection
      : `${connection} after ${status}`

function checkStatus(
  { status, sameAs, connection }: ExpectOfMany,
  incoming: ReceivedAnswer,
): MatchDifference[] {
  if (typeof status === 'object') return []
  const wanted = status ?? (sameAs === undefined && connection === undefined ? '2xx' : undefined)
  if (wanted === undefined || isStatus(String(wanted), incoming.status)) return []
  return [{ path: 'status', expected: String(wanted), received: endingText(incoming) }]
}

/** Whether an answer of this status is foreseen, be it by its class or by a count. */
export const foresees = ({ status }: ExpectOfMany, answer: number): boolean =>
  (typeof status === 'object' ? Object.keys(status) : [String(status)]).some((one) => isStatus(one, answer))

const isStatus = (wanted: string, status: number | undefined): boolean =>
  wanted === String(status) || wanted === `${Math.floor((status ?? 0) / 100)}xx`

function checkHeader(
  name: string,
  wanted: string | number | boolean | Matcher,
  incoming: ReceivedAnswer,
): MatchDifference[] {
  const text = incoming.headers[name.toLowerCase()]
  const expected = isMatcher(wanted) ? wanted : String(wanted)
  // A header is text; what is compared with a number must be one.
  const numeric = isMatcher(wanted) && [wanted.gt, wanted.gte, wanted.lt, wanted.lte].some(Number.isFinite)
  const received = numeric && text !== undefined && text !== '' ? Number(text) : text
  return differences(expected, received).map((one) => ({ ...one, path: `header ${name}` }))
}

function checkSame(id: string | undefined, incoming: ReceivedAnswer, earlier: Answers): MatchDifference[] {
  if (id === undefined) return []
  const other = earlier.get(id)
  if (other === undefined) throw new Error(`The step ${id} has no answer to compare with.`)
  const found: MatchDifference[] = []
  if (other.status !== incoming.status) {
    found.push({
      path: 'status',
      expected: `${endingText(other)}, as of ${id}`,
      received: endingText(incoming),
    })
  }
  if (other.body.equals(incoming.body)) return found
  const internals = differences(jsonOf(other), jsonOf(incoming), { exact: true })
  if (internals.length > 0) return [...found, ...internals]
  return [...found, { path: 'body', expected: other.body.toString(), received: incoming.body.toString() }]
}

function checkTime({ within, connection }: ExpectOfMany, { tookMs }: ReceivedAnswer): MatchDifference[] {
  if (within === undefined || connection === 'timeout' || tookMs <= within) return []
  const received = `after ${formatDuration(tookMs)}`
  return [{ path: 'within', expected: `within ${formatDuration(within)}`, received }]
}

/** Several answers: each of them, and how many of each status there are. */
export function checkAnswers(
  expect: ExpectOfMany,
  incoming: readonly ReceivedAnswer[],
  earlier: Answers,
): MatchDifference[] {
  const each = incoming.flatMap((one, index) =>
    checkAnswer(expect, one, earlier).map((found) => ({
      ...found,
      path: `answer ${index + 1}: ${found.path}`,
    })),
  )
  return [...countStatuses(expect, incoming), ...each]
}

export function countStatuses(
  { status }: ExpectOfMany,
  incoming: readonly ReceivedAnswer[],
): MatchDifference[] {
  if (typeof status !== 'object') return []
  const wanted = Object.entries(status)
  const counted = wanted.every(
    ([one, count]) => incoming.filter((answer) => isStatus(one, answer.status)).length === count,
  )
  const foreseen = incoming.every((answer) => foresees({ status }, answer.status ?? 0))
  if (counted && foreseen) return []
  const expected = wanted.map(([one, count]) => `${count} × ${one}`).join(', ')
  return [{ path: 'status', expected, received: countsText(incoming) }]
}

/** How the exchanges ended, and how many of each. */
export function countsText(incoming: readonly ReceivedAnswer[]): string {
  const counts = new Map<string, number>()
  for (const one of incoming) counts.set(endingText(one), (counts.get(endingText(one)) ?? 0) + 1)
  return [...counts].map(([one, count]) => `${count} × ${one}`).join(', ')
}
