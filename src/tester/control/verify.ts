/** Counts the requests that are as expected; the error of a miss shows the nearest ones and how they differ. */
import { z } from 'zod'
import { callIs, opIs, stubIs } from '../../sandbox/behaviors/conditions.ts'
import { type CountRange, countRange, isInRange, rangeInWords } from '../../sandbox/scenario-file/count.ts'
import { differences } from '../../sandbox/scenario-file/matcher.ts'
import { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import type { Journal } from '../../service/door/journal.ts'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import type { CallPattern, OperationPattern } from '../../spec/contract/endpoints.ts'
import { invalidField, notVerified } from '../../spec/contract/errors.ts'
import { numberTexts } from '../../spec/contract/json-text.ts'
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

interface Difference {
  path: string
  expected: string
  received: string
}

const callOf = ({ asked }: JournalEntry, words: Translation | undefined): string =>
  `${asked.method} ${(words?.ownCall(asked) ?? asked).target.split('?', 1)[0]}`

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
  const { within: patience = 0 } = readParameters(Waiting, options)
  const patienceMs = duration(patience, 'within')
  const expectation = checked(given, journal)
  const differencesOf = comparison(expectation, words)
  const matching = () => answered(journal).filter((entry) => differencesOf(entry).length === 0)
  if (patienceMs > 0 && !isEnough(matching(), expectation)) {
    let unwatch = () => {}
    const enough = new Promise<void>((resolve) => {
      unwatch = journal.watch((entry) => {
        if (differencesOf(entry).length === 0 && isEnough(matching(), expectation)) resolve()
      })
    })
    await within(patienceMs, enough, undefined)
    unwatch()
  }
  const entries = matching()
  if (!isEnough(entries, expectation)) throw miss(journal, expectation, { entries, patienceMs, words })
  const between = differencesBetween(entries, expectation, words)
  if (between.length > 0) throw unrelated(expectation, entries, between)
  return { count: entries.length, requests: entries.map(summarize) }
}

/** Checks the expectation: a call of the embedded object has not passed a route's check. */
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

/** The answered requests, in the order of arrival. One under way has no status yet. */
const answered = (journal: Journal): JournalEntry[] =>
  [...journal.newestFirst()].filter(({ status }) => status !== null).reverse()

const isEnough = ({ length }: JournalEntry[], expectation: RequestExpectation): boolean =>
  isInRange(length, rangeOf(expectation))

const rangeOf = (expectation: RequestExpectation): CountRange =>
  countRange(expectation) ?? { min: 1, max: Number.POSITIVE_INFINITY }

// How one request differs

/** `words` are those of the sandbox's profile; an expectation has the defaults'. */
function comparison(
  { op, call, stub, key, json, header = {}, status }: RequestExpectation,
  words?: Translation,
): (entry: JournalEntry) => Difference[] {
  const isOp = op === undefined ? undefined : opIs(op)
  const isCall = call === undefined ? undefined : callIs(call)
  const isStub = stub === undefined ? undefined : stubIs(stub)
  return (entry) => {
    const made = callOf(entry, words)
    const about = {
      kind: 'request' as const,
      call: made,
      op: entry.operation ?? (isStub ? undefined : 'none'),
      json: () => null,
      countedBy: {},
    }
    return [
      ...(isOp && !isOp(about) ? [{ path: 'op', expected: op!, received: about.op! }] : []),
      ...(isCall && !isCall(about) ? [{ path: 'call', expected: call!, received: made }] : []),
      ...(isStub && !isStub(about) ? [{ path: 'call', expected: stub!, received: made }] : []),
      ...(key === undefined ? [] : underPath('key', differences(key, entry.key ?? undefined))),
      ...(status === undefined ? [] : statusDifferences(status, entry.status)),
      ...Object.entries(header).flatMap(([name, expected]) =>
        underPath(`header.${name}`, differences(expected, entry.asked.headers[name.toLowerCase()])),
      ),
      ...(json === undefined ? [] : bodyDifferences(json, entry)),
    ]
  }
}

function bodyDifferences(json: unknown, entry: JournalEntry): Difference[] {
  const text = ownBodyOf(entry)
  const body = parsed(text)
  return differences(json, body, body === null ? {} : { numbers: numberTexts(text) })
}

const underPath = (name: string, differences: Difference[]): Difference[] =>
  differences.map((difference) => ({ ...difference, path: name }))

function statusDifferences(
  expected: NonNullable<RequestExpectation['status']>,
  received: number | null,
): Difference[] {
  if (typeof expected === 'string') {
    return String(received).startsWith(expected[0]!)
      ? []
      : [{ path: 'status', expected, received: String(received) }]
  }
  return underPath('status', differences(expected, received))
}

// How they are to each other

function differencesBetween(
  entries: JournalEntry[],
  { keys, bodies, apart, order }: RequestExpectation,
  words: Translation | undefined,
): Difference[] {
  return [
    ...(keys === undefined ? [] : comparedAll('key', keys, entries, ({ key }) => key)),
    ...(bodies === undefined ? [] : comparedAll('body', bodies, entries, ({ asked }) => asked.body)),
    ...(apart === undefined ? [] : tooClose(entries, duration(apart, 'apart'))),
    ...(order === undefined ? [] : outOfOrder(entries, order, words)),
  ]
}

/**
 * Compares each request's value with those before it. A request without a value, such as a key, is a
 * difference in any case.
 */
function comparedAll(
  what: string,
  wanted: 'same' | 'different',
  entries: JournalEntry[],
  valueIn: (entry: JournalEntry) => string | null,
): Difference[] {
  return entries.flatMap((entry, index) => {
    const value = valueIn(entry)
    const path = `${what} of ${entry.id}`
    if (value === null) return [{ path, expected: `a ${what}`, received: 'nothing' }]
    const before = entries.slice(0, index).filter((one) => valueIn(one) !== null)
    const twin = before.find((one) => valueIn(one) === value)
    if (wanted === 'different') {
      if (!twin) return []
      return [{ path, expected: `other than ${twin.id} has`, received: shortened(value) }]
    }
    const first = before[0]
    if (!first || valueIn(first) === value) return []
    const expected = `${shortened(valueIn(first)!)}, as ${first.id} has`
    return [{ path, expected, received: shortened(value) }]
  })
}

function tooClose(entries: JournalEntry[], apartMs: number): Difference[] {
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
): Difference[] {
  const places = order.map((one) => {
    const differencesOf = comparison(
      one.includes(' ') ? { call: one as CallPattern } : { op: one as OperationPattern },
      words,
    )
    return entries.findIndex((entry) => differencesOf(entry).length === 0)
  })
  const isInOrder = places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1))
  if (isInOrder) return []
  const received = entries.map(({ operation, asked }) => operation ?? `${asked.method} ${asked.target}`)
  return [{ path: 'order', expected: order.join(', '), received: shortened(received.join(', ') || 'none') }]
}

// A miss

function unrelated(expectation: RequestExpectation, entries: JournalEntry[], between: Difference[]): Error {
  const lines = between
    .slice(0, SHOWN_DIFFERENCES_MAX)
    .map(({ path, expected, received }) => `  ${path} is ${received}, not ${expected}`)
  return notVerified([`Found ${entries.length} of ${inWords(expectation)}, but`, ...lines].join('\n'), {
    expected: expectation,
    found: entries.length,
    requests: entries.map(summarize),
    nearest: [],
    between,
  })
}

function miss(
  journal: Journal,
  expectation: RequestExpectation,
  {
    entries,
    patienceMs,
    words,
  }: { entries: JournalEntry[]; patienceMs: number; words: Translation | undefined },
): Error {
  const all = answered(journal)
  const nearest = nearestOf(all, entries, comparison(expectation, words))
  const waited = patienceMs > 0 ? ` within ${formatDuration(patienceMs)}` : ''
  const sentence = `Expected ${inWords(expectation)} ${timesInWords(rangeOf(expectation))}${waited}, found ${entries.length} among ${all.length} requests.`
  return notVerified([sentence, ...nearest.map(line)].join('\n'), {
    found: entries.length,
    requests: entries.map(summarize),
    nearest: nearest.map(({ entry, differences }) => ({
      request: summarize(entry),
      differences: shownOf(differences),
    })),
  })
}

/** The requests that come nearest to an expectation which none of them meets, in a line each. */
export const nearestLines = (journal: Journal, expectation: RequestExpectation): string[] =>
  nearestOf(answered(journal), [], comparison(expectation)).map(line)

interface NearMiss {
  entry: JournalEntry
  differences: Difference[]
}

/** Another operation or path weighs more than a wrong field; of equals, the latest request comes first. */
function nearestOf(
  all: JournalEntry[],
  entries: JournalEntry[],
  differencesOf: (entry: JournalEntry) => Difference[],
): NearMiss[] {
  const weight = ({ differences }: NearMiss) =>
    differences.reduce((sum, { path }) => sum + (path === 'op' || path === 'call' ? 100 : 1), 0)
  return all
    .filter((entry) => !entries.includes(entry))
    .map((entry) => ({ entry, differences: differencesOf(entry) }))
    .reverse()
    .sort((one, other) => weight(one) - weight(other))
    .slice(0, SHOWN_MAX)
}

/** As an error quotes them: a value may be as large as a body. */
const shownOf = (differences: readonly Difference[]): Difference[] =>
  differences.slice(0, SHOWN_DIFFERENCES_MAX).map(({ path, expected, received }) => ({
    path: shortened(path),
    expected: shortened(expected),
    received: shortened(received),
  }))

function line({ entry: { id, asked, status }, differences }: NearMiss): string {
  const shown = shownOf(differences).map(
    ({ path, expected, received }) => `${path} is ${received}, not ${expected}`,
  )
  const more = differences.length - shown.length
  const why = [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ') || FITS
  return `  ${id} ${asked.method} ${asked.target} → ${status}: ${why}`
}

/** The reason for a request that fits and that a behavior still did not act on. */
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
