/** The kinds of values in a profile. The error text of each rule completes a sentence that starts with the key. */
import { z } from 'zod'
import { DURATION_RULE, Duration } from './duration.ts'
import { text } from './tester.ts'

const textLike = (pattern: RegExp, rule: string) => z.string(rule).regex(pattern, rule)

export function whole(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.int(rule).min(min, rule).max(max, rule)
}

export const YesOrNo = z.boolean('must be true or false')
export const Prefix = textLike(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,19}$/,
  'must be 1 to 20 letters, digits, _ or -, such as chk_',
)
export const Word = textLike(
  /^[A-Za-z][A-Za-z0-9_-]{0,39}$/,
  'must be a word of at most 40 letters, digits, _ and -',
)
export const EventName = textLike(
  /^[A-Za-z][A-Za-z0-9_.-]{0,79}$/,
  'must be a word of at most 80 letters, digits, _, . and -',
)

const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,63}$/
/**
 * RFC 9110, 6.4 and 7.6.1: HTTP itself uses these headers; a second value would break the message, or a proxy would remove it.
 */
const OF_THE_MESSAGE =
  /^(connection|content-length|content-type|date|host|keep-alive|trailer|transfer-encoding)$/i
const header = (rule: string) =>
  textLike(HEADER, rule).refine(
    (name) => !OF_THE_MESSAGE.test(name),
    'must be a header that HTTP does not use itself, such as X-Signature',
  )
export const Header = header('must be the name of a header, such as X-Signature')
export const HeaderOrNone = header('must be the name of a header, such as X-Signature, or null').nullable()

export const MessageText = text.min(1, 'must not be empty').max(500, 'must have at most 500 characters')
export const Path = textLike(
  /^\/v1(\/([A-Za-z0-9_.-]+|\{\w+\}))+$/,
  'must be a path under /v1 with names in braces, such as /v1/refunds/{id}',
)

export const Time = z
  .string(DURATION_RULE)
  .refine((given) => Duration.safeParse(given).success, DURATION_RULE)
export const PositiveTime = Time.refine(
  (given) => Duration.safeParse(given).data !== 0,
  'must be longer than 0s',
)
export const Times = z.array(Time, 'must be a list of durations').max(50, 'must be at most 50 durations')

/** §2: the names of fields are camelCase. */
export const FieldName = textLike(
  /^[a-z][A-Za-z0-9]{0,39}$/,
  'must be camelCase of at most 40 letters and digits, such as amountRefunded',
)
/** ISO 4217. */
export const CurrencyCode = textLike(/^[A-Z]{3}$/, 'must be three capital letters, such as EUR')

export function someOf(names: readonly string[]) {
  const rule = `must be a list of some of ${names.join(', ')}`
  return z.array(z.enum(names as readonly [string, ...string[]], rule), rule)
}

const FIELD_NAME = /^[A-Za-z_]\w{0,39}$/
const FIELDS_RULE = 'must be fields with their values, such as { object: checkout }'
export const ConstantFields = z
  .record(z.string(), z.unknown(), FIELDS_RULE)
  .refine((fields) => Object.keys(fields).every((name) => FIELD_NAME.test(name)), FIELDS_RULE)
