/**
 * §2: the schemas of single values. `z.input` is the value in JSON ("the wire"), `z.output` the value in the code (cents,
 * milliseconds).
 */
import { z } from 'zod'
import { TEXT_MAX_CHARS, URL_MAX_CHARS } from './limits.ts'
import { formatInstant } from './time.ts'

/** A JSON object as parsed, or as it will be written. */
export type JsonObject = Record<string, unknown>

const INSTANT = '2025-01-31T12:34:56.789Z'

/** In the code, a point in time is a number: milliseconds since 1970. */
const instantAs = (text: z.ZodType<string, string>) =>
  z.codec(text, z.int(), { decode: (time) => Date.parse(time), encode: (ms) => formatInstant(ms) })

/** D12: UTC with milliseconds. */
export const Instant = instantAs(z.iso.datetime({ precision: 3 }).meta({ id: 'Instant', example: INSTANT }))

/** A time that a platform sends, in any form of ISO 8601 with an offset: the specification asks only for that. */
export const SentInstant = instantAs(
  z.iso.datetime({ offset: true, error: `must be a time such as ${INSTANT}` }),
)

const TEXT_RULE = `must be a string of 1 to ${TEXT_MAX_CHARS} characters`
const URL_RULE = `must be an absolute http or https URL of at most ${URL_MAX_CHARS} characters`

/** Counts characters (code points), not UTF-16 units. */
const isWithin = (text: string, max: number) =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

const fits = (text: string) => text.length >= 1 && isWithin(text, TEXT_MAX_CHARS)

/** D18: references are stored exactly as sent. A lone surrogate cannot be stored as UTF-8, so it is refused. */
export const Text = z
  .string({ error: TEXT_RULE })
  .refine((text) => fits(text) && text.isWellFormed(), {
    error: ({ input }) => (fits(input as string) ? 'must be well-formed Unicode' : TEXT_RULE),
  })
  .meta({ minLength: 1, maxLength: TEXT_MAX_CHARS })

/** D19: the URL that a buyer returns to. http is allowed, because a shop in development runs on http://localhost. */
export const Url = z
  .string({ error: URL_RULE })
  .refine(isUrl, URL_RULE)
  .meta({ format: 'uri', maxLength: URL_MAX_CHARS, example: 'https://shop.example/ok' })

function isUrl(text: string): boolean {
  return isWithin(text, URL_MAX_CHARS) && text.isWellFormed() && isHttpUrl(text)
}

/** Not URL.canParse: in Node 20 its compiled form, after some thousand calls, refuses every URL with a letter such as ü. */
export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text)) return false
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}

/** D11: the spec shows dollars and no currency field. */
export const Currency = z.literal('USD')

/** One of a few words; the refusal lists them. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` })

/** A schema of the same values under a narrower type, such as that of a pattern of texts. */
export const typedAs = <Value>(schema: z.ZodType): z.ZodType<Value, Value> =>
  schema as z.ZodType<Value, Value>
