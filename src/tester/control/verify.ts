/** Counts the matching requests; on failure the error shows the nearest ones and how they differ. */
import { z } from 'zod'
import {
  type Compared,
  type ComparedRequest,
  comparison,
  differenceSentence,
} from '../../sandbox/scenario-file/comparison.ts'
import {
  AT_LEAST_ONE,
  type CountRange,
  countRange,
  isInRange,
  orderDifferences,
  rangeInWords,
} from '../../sandbox/scenario-file/count.ts'
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import type { Journal } from '../../service/door/journal.ts'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { pathOfTarget } from '../../spec/contract/endpoints.ts'
import { invalidField, notVerified } from '../../spec/contract/errors.ts'
import { quoted, shortened } from '../../spec/contract/shortened.ts'
import type { Translation } from '../../spec/contract/translation.ts'
import { duration } from '../../spec/options/values.ts'
import { within } from '../../spec/world/clock.ts'
import { Waiting, type WaitOptions } from './inputs.ts'
import { readParameters, requireShape } from './read-input.ts'
import { ownBodyOf, parsed, summarize } from './requests.ts'
import { RequestSummary } from './shapes.ts'

export const VerifiedRequests = z
  .object({ count: z.int(), requests: z.array(RequestSummary) })
  .meta({ id: 'Verified', description: 'The requests that are as expected' })

export type VerifiedRequests = z.input<typeof VerifiedRequests>

type DifferencesOf = (entry: JournalEntry) => MatchDifference[]

/** How many of the nearest requests an error shows. */
const SHOWN_MAX = 3
const SHOWN_DIFFERENCES_MAX = 20

/** Resolves as soon as enough requests match; rejects when the time is over. */
export async function verify(
  journal: Journal,
  given: RequestExpectation,
  options: WaitOptions,
  words: Translation | undefined,
): Promise<VerifiedRequests> {
  const { within: patienceMs = 0 } = readParameters(Waiting, options)
  const expectation = checked(given, journal)
  const range = countRange(expectation) ?? AT_LEAST_ONE
  const differencesOf = comparisonOf(expectation, words)
  const fits = (entry: JournalEntry) => differencesOf(entry).length === 0
  const isEnough = () => isInRange(answered(journal).filter(fits).length, range)
  if (patienceMs > 0 && !isEnough()) {
    let unwatch = () => {}
    const enough = new Promise<void>((resolve) => {
      unwatch = journal.watch((entry) => {
        if (fits(entry) && isEnough()) resolve()
      })
    })
    await within(patienceMs, enough, undefined)
    unwatch()
  }
  const all = answered(journal)
  const found = all.filter(fits)
  const waited = patienceMs > 0 ? ` within ${formatDuration(patienceMs)}` : ''
  if (!isInRange(found.length, range)) {
    const others = found.length > range.max ? [] : all.filter((entry) => !fits(entry))
    throw miss(
      `Expected ${inWords(expectation)} ${timesInWords(range)}${waited}, found ${found.length} among ${all.length} requests.`,
      found,
      nearestOf(others, differencesOf),
    )
  }
  const between = differencesBetween(found, expectation, words)
  if (between.length > 0) throw unrelated(expectation, found, between)
  return { count: found.length, requests: found.map(summarize) }
}

/** Checks the expectation, because calls of the embedded object have not passed a route's check. */
function checked(given: RequestExpectation, { headers }: Journal): RequestExpectation {
  requireShape(RequestExpectation, given)
  const unknown = Object.keys(given.header ?? {}).find((name) => !headers.includes(name.toLowerCase()))
  if (unknown !== undefined)
    throw invalidField(
      `header.${unknown}`,
      `is not journaled; ${headers.join(', ')} are, and with journal: { headers: [${unknown}] } this one too`,
    )
  return given
}

/** All but those in flight, which have no status yet, in order of arrival; including those whose connection broke. */
const answered = (journal: Journal): JournalEntry[] =>
  [...journal.newestFirst()].filter((entry) => entry.answered !== null).reverse()

// How one request differs

/** `words`: the names of the sandbox's profile; an expectation uses the defaults. */
function comparisonOf(expected: Compared, words?: Translation): DifferencesOf {
  const differencesOf = comparison(expected)
  return (entry) => differencesOf(comparedOf(entry, words))
}

function comparedOf(entry: JournalEntry, words: Translation | undefined): ComparedRequest {
  const { asked, operation, key, status } = entry
  return {
    call: `${asked.method} ${pathOfTarget((words?.ownCall(asked) ?? asked).target)}`,
    op: operation ?? undefined,
    key: key ?? undefined,
    status,
    header: (name) => asked.headers[name],
    json: () => parsed(ownBodyOf(entry)),
    bodyText: () => ownBodyOf(entry),
  }
}

// How they relate

function differencesBetween(
  entries: JournalEntry[],
  { keys, bodies, apart, order }: RequestExpectation,
  words: Translation | undefined,
): MatchDifference[] {
  return [
    ...(keys === undefined ? [] : comparedAll('key', keys, entries, ({ key }) => key)),
    ...(bodies === undefined ? [] : comparedAll('body', bodies, entries, ({ asked }) => asked.body)),
    ...(apart === undefined ? [] : tooClose(entries, duration(apart, 'apart'))),
    ...(order === undefined ? [] : outOfOrder(entries, order, words)),
  ]
}

/** A request without a value, such as a key, always counts as a difference. */
function comparedAll(
  what: string,
  wanted: 'same' | 'different',
  entries: JournalEntry[],
  valueIn: (entry: JournalEntry) => string | null,
): MatchDifference[] {
  return entries.flatMap((entry, index) => {
    const path = `${what} of ${entry.id}`
    const value = valueIn(entry)
    if (value === null) return [{ path, expected: `a ${what}`, received: 'nothing' }]
    const before = entries.slice(0, index).filter((earlier) => valueIn(earlier) !== null)
    const received = shortened(value)
    if (wanted === 'different') {
      const twin = before.find((earlier) => valueIn(earlier) === value)
      return twin ? [{ path, expected: `other than ${twin.id} has`, received }] : []
    }
    const [first = entry] = before
    const expected = `${shortened(valueIn(first)!)}, as ${first.id} has`
    return valueIn(first) === value ? [] : [{ path, expected, received }]
  })
}

function tooClose(entries: JournalEntry[], apartMs: number): MatchDifference[] {
  return entries.slice(1).flatMap((entry, index) => {
    const before = entries[index]!
    const gap = entry.at - before.at
    if (gap >= apartMs) return []
    const expected = `${formatDuration(apartMs)} or more after ${before.id}`
    return [{ path: `time of ${entry.id}`, expected, received: `${formatDuration(gap)} after it` }]
  })
}

function outOfOrder(
  entries: JournalEntry[],
  order: readonly string[],
  words: Translation | undefined,
): MatchDifference[] {
  const comparisons = new Map(
    order.map((name) => [name, comparisonOf(name.includes(' ') ? { call: name } : { op: name }, words)]),
  )
  return orderDifferences(
    order,
    entries,
    (name, entry) => comparisons.get(name)!(entry).length === 0,
    ({ operation, asked }) => operation ?? `${asked.method} ${asked.target}`,
  )
}

// The error message

function unrelated(
  expectation: RequestExpectation,
  found: JournalEntry[],
  between: MatchDifference[],
): Error {
  const lines = between
    .slice(0, SHOWN_DIFFERENCES_MAX)
    .map((difference) => `  ${differenceSentence(difference)}`)
  return notVerified([`Found ${found.length} of ${inWords(expectation)}, but`, ...lines].join('\n'), {
    expected: expectation,
    found: found.length,
    requests: found.map(summarize),
    nearest: [],
    between,
  })
}

const miss = (sentence: string, found: JournalEntry[], nearest: NearMiss[]): Error =>
  notVerified([sentence, ...linesOf(found, nearest)].join('\n'), {
    found: found.length,
    requests: found.map(summarize),
    nearest: nearest.map(({ entry, differences }) => ({
      request: summarize(entry),
      differences: shownOf(differences),
    })),
  })

/** If too many match, these are shown instead of near misses. */
const linesOf = (found: JournalEntry[], nearest: NearMiss[]): string[] =>
  nearest.length > 0 ? nearest.map(line) : found.slice(0, SHOWN_MAX).map(name)

/** The nearest requests if none meets the expectation, one per line. */
export const nearestLines = (journal: Journal, expectation: Compared): string[] =>
  nearestOf(answered(journal), comparisonOf(expectation)).map(line)

interface NearMiss {
  entry: JournalEntry
  differences: MatchDifference[]
}

/** A different operation or path weighs more than a wrong field; among equals, the latest request comes first. */
function nearestOf(entries: JournalEntry[], differencesOf: DifferencesOf): NearMiss[] {
  const weight = ({ differences }: NearMiss) =>
    differences.reduce((sum, { path }) => sum + (path === 'op' || path === 'call' ? 100 : 1), 0)
  return entries
    .map((entry) => ({ entry, differences: differencesOf(entry) }))
    .reverse()
    .sort((a, b) => weight(a) - weight(b))
    .slice(0, SHOWN_MAX)
}

/** For error messages: a value may be as large as a body. */
const shownOf = (differences: readonly MatchDifference[]): MatchDifference[] =>
  differences.slice(0, SHOWN_DIFFERENCES_MAX).map(({ path, expected, received }) => ({
    path: shortened(path),
    expected: shortened(expected),
    received: shortened(received),
  }))

const name = ({ id, asked, status, fault }: JournalEntry) =>
  `  ${id} ${asked.method} ${asked.target} → ${status ?? fault}`

function line({ entry, differences }: NearMiss): string {
  const shown = shownOf(differences).map(differenceSentence)
  const more = differences.length - shown.length
  const why = [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ') || FITS
  return `${name(entry)}: ${why}`
}

/** Why a behavior did not act on a matching request. */
const FITS = 'it fits, but came before the behavior was armed, or an earlier behavior acted on it'

function inWords({ op, call, stub, key, json, header, status }: RequestExpectation): string {
  const what = shortened(call ?? stub ?? op ?? 'a request')
  const how = Object.entries({ key, json, header, status }).filter(([, value]) => value !== undefined)
  return how.length === 0
    ? what
    : `${what} with ${how.map(([name, value]) => `${name} ${quoted(value)}`).join(', ')}`
}

function timesInWords({ min, max }: CountRange): string {
  if (max === 0) return 'never'
  return rangeInWords({ min, max })
    .replace(/\b1\b/, 'once')
    .replace(/(\d+)$/, '$1 times')
}
