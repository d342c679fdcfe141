/** Counts the requests that are as expected; the error of a miss shows the nearest ones and how they differ. */
import { z } from 'zod'
import { callIs, opIs } from '../behaviors/conditions.ts'
import { formatDuration } from '../contract/duration.ts'
import type { CallPattern, OperationPattern } from '../contract/endpoints.ts'
import { invalidField, notVerified } from '../contract/errors.ts'
import { quoted, shortened } from '../contract/shortened.ts'
import type { Translation } from '../contract/translation.ts'
import { type Journal, type JournalEntry, KEPT_HEADERS } from '../gate/journal.ts'
import { duration } from '../options/values.ts'
import { Call, Op } from '../scenario-file/behavior.ts'
import {
  type Counted,
  type CountRange,
  checkCountedOnce,
  countFields,
  countRange,
  isInRange,
  rangeInWords,
} from '../scenario-file/count.ts'
import { differences, Expected, Matcher } from '../scenario-file/matcher.ts'
import { numberTexts } from '../scenario-file/number-texts.ts'
import { within } from '../world/clock.ts'
import { readParameters, requireShape } from './input.ts'
import { Waiting, type WaitOptions } from './inputs.ts'
import { bodyOf, summarize } from './requests.ts'
import { RequestSummary } from './shapes.ts'

const Header = z.union([z.string(), Matcher], { error: 'must be a text or a matcher' })

const STATUS_RULE = 'must be a status such as 409 or 4xx'
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

/** A field that is left out allows every value. */
export const RequestExpectation = z
  .strictObject({
    op: Op.optional(),
    call: Call.optional(),
    key: Header.optional().meta({ description: 'The Idempotency-Key' }),
    json: Expected.optional().meta({ description: 'What the body must contain' }),
    header: z.record(z.string(), Header).optional(),
    status: z
      .union([z.int(), z.enum(STATUS_CLASSES, STATUS_RULE), Matcher], {
        error: STATUS_RULE,
      })
      .optional(),
    ...countFields,
  })
  .superRefine(checkCountedOnce)
  .meta({ id: 'Expectation' })

export const VerifiedRequests = z
  .object({ count: z.int(), requests: z.array(RequestSummary) })
  .meta({ id: 'Verified', description: 'The requests that are as expected' })

/** Everything that is given must fit. */
export interface RequestExpectation extends Counted {
  /** An operation, such as `refunds.create`; * for any, as in `checkouts.*`. */
  op?: OperationPattern | undefined
  /** Method and path: {id} and * stand for one segment, ** for the rest, * for any method. */
  call?: CallPattern | undefined
  /** The Idempotency-Key: a text or a matcher. */
  key?: string | Matcher | undefined
  /** What the body must contain; matchers may take the place of values. */
  json?: unknown
  /** Headers by name in any case; each a text or a matcher. */
  header?: Record<string, string | Matcher> | undefined
  /** The status, such as 409 or `4xx`, or a matcher. */
  status?: number | StatusClass | Matcher | undefined
}

export type VerifiedRequests = z.input<typeof VerifiedRequests>

interface Difference {
  path: string
  expected: string
  received: string
}

const callOf = ({ method, target }: JournalEntry, words: Translation | undefined): string =>
  `${method} ${(words?.ownCall({ method, target }).target ?? target).split('?', 1)[0]}`

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
  const expectation = checked(given)
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
  return { count: entries.length, requests: entries.map(summarize) }
}

/** Checked here too, as the embedded object's argument has not passed the route's check. */
function checked(given: RequestExpectation): RequestExpectation {
  requireShape(RequestExpectation, given)
  const unknown = Object.keys(given.header ?? {}).find((name) => !KEPT_HEADERS.includes(name.toLowerCase()))
  if (unknown !== undefined)
    throw invalidField(`header.${unknown}`, `is not journaled; ${KEPT_HEADERS.join(', ')} are`)
  return given
}

/** In the order of arrival. A request under way does not count, as its status is not known yet. */
const answered = (journal: Journal): JournalEntry[] =>
  [...journal.newestFirst()].filter(({ status }) => status !== null).reverse()

const isEnough = ({ length }: JournalEntry[], expectation: RequestExpectation): boolean =>
  isInRange(length, rangeOf(expectation))

const rangeOf = (expectation: RequestExpectation): CountRange =>
  countRange(expectation) ?? { min: 1, max: Number.POSITIVE_INFINITY }

// How one request differs

/** `words` are those of the sandbox's profile; an expectation has the defaults'. */
function comparison(
  { op, call, key, json, header = {}, status }: RequestExpectation,
  words?: Translation,
): (entry: JournalEntry) => Difference[] {
  const isOp = op === undefined ? undefined : opIs(op)
  const isCall = call === undefined ? undefined : callIs(call)
  return (entry) => {
    const made = callOf(entry, words)
    const about = {
      place: 'request' as const,
      call: made,
      op: entry.operation ?? 'none',
      json: () => null,
      countedBy: {},
    }
    return [
      ...(isOp && !isOp(about) ? [{ path: 'op', expected: op!, received: about.op }] : []),
      ...(isCall && !isCall(about) ? [{ path: 'call', expected: call!, received: made }] : []),
      ...(key === undefined ? [] : underPath('key', differences(key, entry.key ?? undefined))),
      ...(status === undefined ? [] : statusDifferences(status, entry.status)),
      ...Object.entries(header).flatMap(([name, expected]) =>
        underPath(`header.${name}`, differences(expected, entry.headers[name.toLowerCase()])),
      ),
      ...(json === undefined ? [] : bodyDifferences(json, entry)),
    ]
  }
}

function bodyDifferences(json: unknown, entry: JournalEntry): Difference[] {
  const body = bodyOf(entry)
  return differences(json, body, body === null ? {} : { numbers: numberTexts(entry.body) })
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

// A miss

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

function line({ entry: { id, method, target, status }, differences }: NearMiss): string {
  const shown = shownOf(differences).map(
    ({ path, expected, received }) => `${path} is ${received}, not ${expected}`,
  )
  const more = differences.length - shown.length
  const why = [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ') || FITS
  return `  ${id} ${method} ${target} → ${status}: ${why}`
}

/** Of a request on which a behavior might have acted, and did not. */
const FITS = 'it fits, but came before the behavior was armed, or an earlier behavior acted on it'

function inWords({ op, call, key, json, header, status }: RequestExpectation): string {
  const what = shortened(call ?? op ?? 'a request')
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
