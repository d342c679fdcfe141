/** Compares responses with what a step expects. Each function returns the differences. */

import { textDifferences } from '../../sandbox/scenario-file/comparison.ts'
import type { ExpectOfMany } from '../../sandbox/scenario-file/expectation.ts'
import { differences, type MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { msOf } from '../../sandbox/scenario-file/step-duration.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { tally } from '../../spec/grouping.ts'
import type { StepDifference } from './result.ts'
import { numbersOf, type PlayedExchange } from './wire.ts'

type Answers = ReadonlyMap<string, PlayedExchange>

/** Checks one response. Counts of statuses are left to {@link countStatuses}. */
export function checkResponse(
  expect: ExpectOfMany,
  received: PlayedExchange,
  earlier: Answers,
): MatchDifference[] {
  const wanted = expect.connection ?? 'answered'
  if (connectionText(received) !== wanted) {
    return [{ path: 'connection', expected: wanted, received: endingText(received) }]
  }
  return [
    ...checkStatus(expect, received),
    ...Object.entries(expect.header ?? {}).flatMap(([name, value]) =>
      textDifferences(`header ${name}`, value, received.answered?.headers[name.toLowerCase()]),
    ),
    ...(expect.json === undefined ? [] : jsonDifferences(expect.json, received, expect.exact)),
    ...checkSame(expect.sameAs, received, earlier),
    ...checkTime(expect, received),
    ...(received.foreign ?? []),
  ]
}

export const endingText = ({ ending, answered }: PlayedExchange): string =>
  [ending, answered?.status].filter((part) => part != null).join(' after ')

export const connectionText = ({ ending }: Pick<PlayedExchange, 'ending'>) => ending ?? 'answered'

const jsonDifferences = (expected: unknown, { answered }: PlayedExchange, exact?: true) => {
  const { body = '' } = answered ?? {}
  return differences(expected, parsedJson(body), { exact, numbers: numbersOf({ body }) })
}

function checkStatus(
  { status, sameAs, connection }: ExpectOfMany,
  received: PlayedExchange,
): MatchDifference[] {
  if (typeof status === 'object') return []
  const wanted = status ?? (sameAs === undefined && connection === undefined ? '2xx' : undefined)
  if (wanted === undefined || isStatus(String(wanted), received.answered?.status)) return []
  return [{ path: 'status', expected: String(wanted), received: endingText(received) }]
}

/** Whether the step expects this status: exactly, by its class, or in a count. */
export const expectsStatus = ({ status }: ExpectOfMany, answer: number): boolean =>
  (typeof status === 'object' ? Object.keys(status) : [String(status)]).some((word) => isStatus(word, answer))

const isStatus = (wanted: string, status: number | undefined): boolean =>
  wanted === String(status) ||
  wanted === `${Math.floor((status ?? 0) / 100)}xx` ||
  (wanted === 'any' && status !== undefined)

function checkSame(id: string | undefined, received: PlayedExchange, earlier: Answers): MatchDifference[] {
  if (id === undefined) return []
  const other = earlier.get(id)
  if (other === undefined) throw new Error(`The step ${id} has no response to compare with.`)
  const found: MatchDifference[] = []
  if (other.answered?.status !== received.answered?.status) {
    found.push({
      path: 'status',
      expected: `${endingText(other)}, as of ${id}`,
      received: endingText(received),
    })
  }
  const [earlierBody, body] = [other.answered?.body ?? '', received.answered?.body ?? '']
  if (earlierBody === body) return found
  const inBody = jsonDifferences(parsedJson(earlierBody), received, true)
  if (inBody.length > 0) return [...found, ...inBody]
  return [...found, { path: 'body', expected: earlierBody, received: body }]
}

function checkTime({ within, connection }: ExpectOfMany, { took }: PlayedExchange): MatchDifference[] {
  if (within === undefined || connection === 'timeout' || took <= msOf(within)) return []
  return [
    {
      path: 'within',
      expected: `within ${formatDuration(msOf(within))}`,
      received: `after ${formatDuration(took)}`,
    },
  ]
}

/** Checks several responses: each response, and how many have each status. */
export function checkResponses(
  expect: ExpectOfMany,
  received: readonly PlayedExchange[],
  earlier: Answers,
): StepDifference[] {
  const each = received.flatMap((exchange, index) =>
    checkResponse(expect, exchange, earlier).map(({ path, ...found }) => ({
      ...found,
      path: `answer ${index + 1}: ${path}`,
      inAnswer: { index, path },
    })),
  )
  return [...countStatuses(expect, received), ...each]
}

export function countStatuses(
  { status }: ExpectOfMany,
  received: readonly PlayedExchange[],
): MatchDifference[] {
  if (typeof status !== 'object') return []
  const wanted = Object.entries(status)
  const counted = wanted.every(
    ([word, count]) => received.filter(({ answered }) => isStatus(word, answered?.status)).length === count,
  )
  const allExpected = received.every(({ answered }) => expectsStatus({ status }, answered?.status ?? 0))
  if (counted && allExpected) return []
  const expected = wanted.map(([one, count]) => `${count} × ${one}`).join(', ')
  return [{ path: 'status', expected, received: countsText(received) }]
}

/** The index of the first response with an unexpected status, or with one that occurs too often. */
export function surplusResponse({ status }: ExpectOfMany, received: readonly PlayedExchange[]): number {
  if (typeof status !== 'object') return -1
  const left = { ...status }
  return received.findIndex(({ answered }) => {
    const kind = Object.keys(left).find((word) => isStatus(word, answered?.status))
    if (kind === undefined) return true
    left[kind]! -= 1
    return left[kind]! < 0
  })
}

/** How many responses had each status or connection error. */
export const countsText = (received: readonly PlayedExchange[]): string =>
  [...tally(received.map(endingText))].map(([one, count]) => `${count} × ${one}`).join(', ')
