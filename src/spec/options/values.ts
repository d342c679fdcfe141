/**
 * Schemas of values shared by options and testers' requests. The error text of each rule completes a sentence that starts with
 * the name.
 */
import { z } from 'zod'
import { AUDIT_RULES } from '../contract/audit-rules.ts'
import { DURATION_MAX_MS, DURATION_RULE, Duration, type DurationText } from '../contract/duration.ts'
import { EVENT_PATTERNS } from '../contract/event.ts'
import { CLOCK_MAX_MS, TESTER_LIMITS, URL_MAX_CHARS } from '../contract/limits.ts'
import { isSigningSecret } from '../contract/signing-secret.ts'
import { didYouMean } from '../contract/suggest.ts'
import { timeIn } from '../contract/time.ts'
import { isHttpUrl } from '../contract/wire.ts'
import { changeValues, StagingChanges, type StagingValues } from '../environments/values.ts'
import { readTextFile, UnreadableFile } from '../text-file.ts'
import { readValue } from './read.ts'

export const nonEmptyText = (what: string) => z.string(`must be ${what}`).min(1, `must be ${what}`)

export const oneWordOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, `must be ${words.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`)

export function wholeNumber(min: number, max: number, alternative = '') {
  const rule = `must be a whole number from ${min} to ${max}${alternative}`
  return z.int(rule).min(min, rule).max(max, rule)
}

export const Switch = z.boolean('must be true or false')

export const HTTP_URL_RULE = 'must be an http or https URL'
export const HttpUrl = z
  .string(HTTP_URL_RULE)
  .max(URL_MAX_CHARS, `must be a URL of at most ${URL_MAX_CHARS} characters`)
  .refine(isHttpUrl, HTTP_URL_RULE)

/**
 * The address of a paysim or of the real service. A `/v1` at its end is dropped, because each request adds it, and `/_sim` is a
 * sibling.
 */
export const ServerUrl = HttpUrl.transform((url) => url.replace(/(?<=[^/])\/v1\/*$/, ''))

const KEY_MAX_CHARS = TESTER_LIMITS.nameChars.max
const KEY_RULE = `must be 1 to ${KEY_MAX_CHARS} characters of printable ASCII without spaces`
export const ApiKey = z
  .string(KEY_RULE)
  .max(KEY_MAX_CHARS, KEY_RULE)
  .regex(/^[\x21-\x7e]+$/, KEY_RULE)

const SECRET_RULE = 'must be whsec_ and the base64 of 24 to 64 bytes'
export const SigningSecret = z.string(SECRET_RULE).refine(isSigningSecret, SECRET_RULE)

const NAME_RULE = 'must be a name of 1 to 63 letters, digits, - and _'
export const SandboxName = z.string(NAME_RULE).regex(/^[a-z0-9][a-z0-9_-]{0,62}$/i, NAME_RULE)

/** The name of a sandbox; `production.` before it means one of production. */
export const SandboxFullName = z
  .string(NAME_RULE)
  .regex(/^((staging|production)\.)?[a-z0-9][a-z0-9_-]{0,62}$/i, NAME_RULE)

const EVENT_RULE = 'must be an event type such as refund.completed or refund.*'
const EVENTS_RULE = 'must be a list of event types such as refund.completed or refund.*'
/** `refund.completed`, `refund.*` or `*`. */
export const EventWord = z.enum(EVENT_PATTERNS, EVENT_RULE)
export const EventPatterns = z
  .array(EventWord, EVENTS_RULE)
  .min(1, EVENTS_RULE)
  .max(TESTER_LIMITS.webhookEvents.max, EVENTS_RULE)
  .readonly()

/** Milliseconds as a number, or a duration as text. In the code, milliseconds. */
export type DurationOrMs = DurationText | number
export const DurationOrMs = z.union(
  [Duration, z.int(DURATION_RULE).min(0, DURATION_RULE).max(DURATION_MAX_MS, DURATION_RULE)],
  DURATION_RULE,
)

/** The journal must not keep these headers: it is shown, and their values are secrets. */
const SECRET_HEADERS = ['x-api-key', 'authorization', 'cookie', 'proxy-authorization']
const HEADERS_RULE = `must be names of headers, such as x-trace, at most ${TESTER_LIMITS.headers.max}, and none of ${SECRET_HEADERS.join(', ')}`

export const HeaderNames = z
  .array(z.string(HEADERS_RULE), HEADERS_RULE)
  .max(TESTER_LIMITS.headers.max, HEADERS_RULE)
  .refine(
    (names) =>
      names.every(
        (name) => /^[\w!#$%&'*+.^`|~-]{1,255}$/.test(name) && !SECRET_HEADERS.includes(name.toLowerCase()),
      ),
    HEADERS_RULE,
  )
  .readonly()

const IGNORE_RULE = 'must be audit rules, each with a reason, such as C7=legacy importer'
const ruleOfText = (text: string) => /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(text)?.slice(1, 3) ?? [text.trim(), '']
/**
 * Takes `{ C7: 'legacy importer' }`, or text `C7=legacy importer`: several in a list, or with `;` between
 * them.
 */
export const IgnoredRules = z
  .union([z.string(), z.array(z.string()), z.record(z.string(), z.string())], IGNORE_RULE)
  .transform((given, { issues }): Readonly<Record<string, string>> => {
    const texts = typeof given === 'string' ? given.split(';').filter((text) => text.trim() !== '') : given
    const rules: Record<string, string> = Array.isArray(texts)
      ? Object.fromEntries(texts.map(ruleOfText))
      : texts
    const key = Object.keys(rules).find((word) => !(AUDIT_RULES as readonly string[]).includes(word))
    if (key !== undefined) {
      // In each form the error names the word, as the path of its key.
      const guess = didYouMean(key, AUDIT_RULES) || `; known are C1 to ${AUDIT_RULES.at(-1)}`
      const message = `is not an audit rule${guess}`
      issues.push({ code: 'invalid_key', origin: 'record', path: [key], input: key, issues: [], message })
    } else if (Object.values(rules).some((reason) => reason.trim() === '' || reason.includes(';')))
      issues.push({ code: 'custom', input: given, message: IGNORE_RULE })
    return rules
  })

const TIME_RULE = 'must be a time with a zone, such as 2026-01-01T00:00:00Z, from 1970 to 9000'
/** Milliseconds since 1970, or a time as text. In the code, milliseconds. */
export const TimeOrMs = z.union([z.string(), z.int()], TIME_RULE).transform((given, { issues }) => {
  const ms = typeof given === 'string' ? timeIn(given) : given
  if (ms >= 0 && ms <= CLOCK_MAX_MS) return ms
  issues.push({ code: 'custom', input: given, message: TIME_RULE })
  return z.NEVER
})

/** How a sandbox's clock starts. A frozen clock without a time starts now. */
export type ClockStart = { mode: 'real' } | { mode: 'frozen'; at: number | undefined }

export interface ClockSettings {
  /** frozen: only a tester moves it. real: it runs. Default: frozen if a time is given. */
  mode?: 'real' | 'frozen' | undefined
  /** The time of a frozen clock, such as `2026-01-01T00:00:00Z`, or milliseconds since 1970; default: now. */
  at?: string | number | undefined
}

/** A clock as one word. */
export type ClockText = 'real' | 'frozen' | `frozen@${string}`

const CLOCK_RULE =
  'must be real, frozen, or frozen@ with a time and zone, such as frozen@2026-01-01T00:00:00Z'
export const ClockObject = z
  .strictObject({ mode: z.enum(['real', 'frozen']).optional(), at: TimeOrMs.optional() })
  .transform(
    ({ at, mode = at === undefined ? 'real' : 'frozen' }): ClockStart =>
      mode === 'real' ? { mode } : { mode, at },
  )
export const ClockText = (z.string().regex(/^(real|frozen|frozen@.+)$/) as z.ZodType<string, ClockText>)
  .transform((text): z.input<typeof ClockObject> => {
    const [mode, at] = text.split('@') as [ClockStart['mode'], string?]
    return { mode, at }
  })
  .pipe(ClockObject)
export const ClockStart = z.union([ClockText, ClockObject], CLOCK_RULE)

const TEST_VALUES_RULE = 'must be test values as in fixtures/test-values.json'

/** The option only has the file's path, so the message names the file and the wrong value in it. */
function whyNotIn(file: string, cause: unknown): string {
  const [issue] = cause instanceof z.ZodError ? cause.issues : []
  if (cause instanceof UnreadableFile && cause.isMissing) return `names a file that does not exist: ${file}`
  return issue
    ? `names ${file}, where ${issue.path.join('.') || 'the content'} ${issue.message}`
    : `names ${file}${cause instanceof SyntaxError ? ', which is not JSON' : ''}: ${(cause as Error).message}`
}

/** Staging's test values, some of them changed. */
export const TestValues = StagingChanges.transform(changeValues)

/**
 * Like `TestValues`, or the name of a JSON file with the changes. Not for HTTP, because a request must not make paysim read a
 * local file.
 */
export const TestValuesOrFile = z
  .union([StagingChanges, z.string()], TEST_VALUES_RULE)
  .transform((given, { issues }): StagingValues => {
    if (typeof given === 'object') return changeValues(given)
    try {
      return changeValues(StagingChanges.parse(JSON.parse(readTextFile(given))))
    } catch (cause) {
      issues.push({ code: 'custom', input: given, message: whyNotIn(given, cause) })
      return z.NEVER
    }
  })

export const sandboxName = (given: unknown, name = 'name'): string => readValue(SandboxName, given, name)
export const duration = (given: unknown, name: string): number => readValue(DurationOrMs, given, name)
export const instant = (given: unknown, name: string): number =>
  readValue(TimeOrMs, given instanceof Date ? given.getTime() : given, name)
