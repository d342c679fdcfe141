/**
 * §2: how values look on the wire, and the one place that writes an answer.
 *
 * A schema describes both sides of a value: `z.input` is the wire, `z.output` is what the code holds (cents,
 * milliseconds). {@link writer} turns the second into JSON text and refuses whatever the schema does not promise,
 * so an answer is checked against its schema by being written: every field is there, null where it does not apply (D39).
 */
import { z } from 'zod'
import { PAGE_DEFAULT_ROWS, PAGE_MAX_ROWS, TEXT_MAX_CHARS, URL_MAX_CHARS } from './limits.ts'
import { type Cents, formatMoney, Money } from './money.ts'

/** D12: UTC with milliseconds. Inside, a point in time is milliseconds since 1970. */
export const Instant = z.codec(
  z.iso.datetime({ precision: 3 }).meta({ id: 'Instant', example: '2025-01-31T12:34:56.789Z' }),
  z.int(),
  { decode: (text) => Date.parse(text), encode: (ms) => formatInstant(ms) },
)

let latest = { ms: Number.NaN, text: '' }

/** A request sees one instant, so the text of the latest one is nearly always the text asked for. */
export function formatInstant(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() }
  return latest.text
}

const TEXT_RULE = `must be a string of 1 to ${TEXT_MAX_CHARS} characters`
const URL_RULE = `must be an absolute http or https URL of at most ${URL_MAX_CHARS} characters`

/** Characters are counted, not the one or two units that each takes up. */
const isWithin = (text: string, max: number) =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

const fits = (text: string) => text.length >= 1 && isWithin(text, TEXT_MAX_CHARS)

/** D18: references are kept exactly as sent. A lone surrogate cannot be kept, so it is not text. */
export const Text = z
  .string({ error: TEXT_RULE })
  .refine((text) => fits(text) && text.isWellFormed(), {
    error: ({ input }) => (fits(input as string) ? 'must be well-formed Unicode' : TEXT_RULE),
  })
  .meta({ minLength: 1, maxLength: TEXT_MAX_CHARS })

/** D19: where a buyer is sent back to. A shop under development lives on http://localhost, so http passes. */
export const Url = z
  .string({ error: URL_RULE })
  .refine(isUrl, URL_RULE)
  .meta({ format: 'uri', maxLength: URL_MAX_CHARS, example: 'https://shop.example/ok' })

function isUrl(text: string): boolean {
  return (
    isWithin(text, URL_MAX_CHARS) && text.isWellFormed() && /^https?:\/\//i.test(text) && isParsableUrl(text)
  )
}

/** Not URL.canParse: in Node 20 its compiled form, after some thousand calls, refuses every URL with a letter such as ü. */
export function isParsableUrl(text: string): boolean {
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}

export const id = (prefix: string) => z.string().meta({ example: `${prefix}_7Qm2ZxT9cLw4RbN8sVk1YdHf` })

/** D11: the service shows dollars and no currency field; its peers all carry one. */
export const Currency = z.literal('USD')

/** One of a few words, refused in words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` })

// Lists (D24): newest first, an opaque cursor, stable while rows are added

const LIMIT_RULE = `must be a whole number from 1 to ${PAGE_MAX_ROWS}`

export const Limit = z
  .string()
  .regex(/^\d{1,3}$/, LIMIT_RULE)
  .transform(Number)
  .refine((rows) => rows >= 1 && rows <= PAGE_MAX_ROWS, LIMIT_RULE)
  .default(PAGE_DEFAULT_ROWS)
  .meta({ type: 'integer', minimum: 1, maximum: PAGE_MAX_ROWS, default: PAGE_DEFAULT_ROWS })

/** The cursor hides a row's place in insertion order; inside it is that number. */
export const Cursor = z
  .string()
  .transform((text, context) => {
    const place = Number.parseInt(Buffer.from(text, 'base64url').toString('latin1'), 10)
    if (Number.isSafeInteger(place) && place > 0 && formatCursor(place) === text) return place
    context.addIssue({ code: 'custom', message: 'must be the nextCursor of an earlier page' })
    return z.NEVER
  })
  .meta({ description: 'nextCursor of the previous page' })

export const formatCursor = (place: number) => Buffer.from(String(place), 'latin1').toString('base64url')

export const paged = { limit: Limit, cursor: Cursor.optional() }

/** A list with no filter of its own. */
export const pageQuery = z.object(paged)

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), hasMore: z.boolean(), nextCursor: z.string().nullable() })

// Writing

/** JSON that was written before and is handed on to the byte. */
export const Written = z.custom<string>((value) => typeof value === 'string')

/** A value that is written once, when it comes to be, and kept as that text. */
export const kept = <Wire extends z.ZodType>(wire: Wire) =>
  z.codec(wire, Written, {
    decode: (value) => JSON.stringify(value),
    encode: (text) => JSON.parse(text),
  })

export class UnwritableAnswer extends Error {
  constructor(path: string, value: unknown) {
    super(`the answer's ${path || 'body'} is not what its schema promises: ${String(value)}`)
  }
}

type Write = (value: unknown) => string

/** Most text is plain ASCII and is written as it is; what may need escaping is left to JSON. */
const PLAIN = /^[ !#-[\]-\u007e]*$/
const quote = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

/** Makes a schema into the function that writes and thereby checks its values, when it is first asked to. */
export function writer<Schema extends z.ZodType>(schema: Schema): (value: z.output<Schema>) => string {
  let write: Write | undefined
  return (value) => {
    write ??= writerOf(schema, '')
    return write(value)
  }
}

/** The path is where the values stand in the answer, such as `data[].amount`. */
function writerOf(schema: z.ZodType, path: string): Write {
  const refuse = (value: unknown): never => {
    throw new UnwritableAnswer(path, value)
  }
  if (schema === Written) return (value) => (isString(value) ? value : refuse(value))
  if (schema instanceof z.ZodCodec && schema.def.out === Written) return writerOf(Written, path)
  if (schema === Money) return (value) => (isCount(value) ? formatMoney(value as Cents) : refuse(value))
  if (schema === Instant) return (value) => (isCount(value) ? `"${formatInstant(value)}"` : refuse(value))
  if (schema instanceof z.ZodNullable) {
    const write = writerOf(schema.unwrap() as z.ZodType, path)
    return (value) => (value === null ? 'null' : write(value))
  }
  if (schema instanceof z.ZodObject) {
    const write = fieldsWriter(schema, path === '' ? '' : `${path}.`)
    return (value) => (typeof value === 'object' && value !== null ? write(value) : refuse(value))
  }
  if (schema instanceof z.ZodArray) {
    const write = writerOf(schema.element as z.ZodType, `${path}[]`)
    return (value) => (Array.isArray(value) ? `[${value.map(write).join(',')}]` : refuse(value))
  }
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const words = 'values' in schema ? schema.values : schema.options
    const written = new Map<unknown, string>(Array.from(words, (word) => [word, JSON.stringify(word)]))
    return (value) => written.get(value) ?? refuse(value)
  }
  if (schema instanceof z.ZodString) return (value) => (isString(value) ? quote(value) : refuse(value))
  if (schema instanceof z.ZodBoolean)
    return (value) => (typeof value === 'boolean' ? String(value) : refuse(value))
  if (schema instanceof z.ZodNumber)
    return (value) => (Number.isFinite(value) ? String(value) : refuse(value))
  throw new Error(`no writer for a ${schema.def.type} schema`)
}

/** Put together as code from the schema's own names: a loop over the fields would cost several times as much. */
function fieldsWriter({ shape }: z.ZodObject, path: string): Write {
  const fields = Object.keys(shape).map((name, at) => {
    const before = `${at === 0 ? '' : ','}${JSON.stringify(name)}:`
    return `${JSON.stringify(before)} + write[${at}](value[${JSON.stringify(name)}])`
  })
  const write = Object.entries(shape).map(([name, field]) => writerOf(field as z.ZodType, path + name))
  return new Function('write', `return (value) => ${["'{'", ...fields, "'}'"].join(' + ')}`)(write)
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
