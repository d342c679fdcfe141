/**
 * Writes JSON by a schema: responses, events and the tester's API. JSON.stringify can neither write D10's two decimals nor notice
 * a missing field. A writer refuses every value that its schema does not allow, so writing a response also checks it: every field
 * is there, null if it does not apply (D39). Each schema becomes a closure once, which writes a checkout in 1.7 µs. Reading the
 * schema at each call takes 35 µs, and a POST writes two.
 */
import { z } from 'zod'
import { type Cents, formatMoney, fromMajor, Money } from './money.ts'
import { formatInstant } from './time.ts'
import { Instant } from './wire.ts'

/** JSON that was written before and is reused byte for byte. */
export const JsonText = z.custom<string>((value) => typeof value === 'string')

/** A value that is written once, when it is created, and stored as that text. */
export const storedAsJson = <Wire extends z.ZodType>(wire: Wire) =>
  z.codec(wire, JsonText, {
    decode: (value) => JSON.stringify(value),
    encode: (text) => JSON.parse(text),
  })

export class UnwritableAnswer extends Error {
  constructor(path: string, value: unknown) {
    super(`the answer's ${path || 'body'} is not what its schema promises: ${String(value)}`)
  }
}

/** Which side of its schema a value is on: `inside` the code (cents, milliseconds), or already as on the `wire`. */
type Side = 'inside' | 'wire'

type Write = (value: unknown) => string

/** How a profile writes an object, or each object of a list. */
export interface ObjectWords {
  /** By default name; a field without an entry is omitted. */
  readonly fields: ReadonlyMap<string, FieldWords>
  /** Additional fields, always with these values (D39). */
  readonly constants: Readonly<Record<string, unknown>>
}

export interface FieldWords {
  readonly name: string
  /** Turns the JSON of a value into the profile's. */
  readonly reworded?: ((json: string) => string) | undefined
  /** Of an object or a list of objects. */
  readonly inside?: ObjectWords | undefined
}

/** Turns a schema into a function that writes, and thereby checks, the code's values. */
export const writer = <Schema extends z.ZodType>(
  schema: Schema,
  words?: ObjectWords,
): ((value: z.output<Schema>) => string) => whenFirstCalled(() => writerOf(schema, 'inside', '', words))

/** Like `writer`, for values already in the form of JSON; it still adds D10's two decimals. */
export const wireWriter = <Schema extends z.ZodType>(schema: Schema): ((value: z.input<Schema>) => string) =>
  whenFirstCalled(() => writerOf(schema, 'wire', ''))

/** Creates the writer at its first call: most processes use few schemas, and a command line tool none. */
function whenFirstCalled(make: () => Write): Write {
  let write: Write | undefined
  return (value) => {
    write ??= make()
    return write(value)
  }
}

/** `path`: where the values are in the response, such as `data[].amount`. */
function writerOf(schema: z.ZodType, side: Side, path: string, words?: ObjectWords): Write {
  const refuse = (value: unknown): never => {
    throw new UnwritableAnswer(path, value)
  }
  if (schema === JsonText) return (value) => (isString(value) ? value : refuse(value))
  if (schema === Money && side === 'inside')
    return (value) => (isCount(value) ? formatMoney(value as Cents) : refuse(value))
  if (schema === Money)
    return (value) => (Number.isFinite(value) ? formatMoney(fromMajor(value as number)) : refuse(value))
  if (schema === Instant && side === 'inside')
    return (value) => (isCount(value) ? `"${formatInstant(value)}"` : refuse(value))
  if (schema instanceof z.ZodCodec) {
    if (side === 'inside' && schema.def.out === JsonText) return writerOf(JsonText, side, path)
    const write = writerOf(schema.def.in as z.ZodType, 'wire', path)
    return side === 'wire' ? write : (value) => write(schema.encode(value))
  }
  if (schema instanceof z.ZodNullable) {
    const write = writerOf(schema.unwrap() as z.ZodType, side, path, words)
    return (value) => (value === null ? 'null' : write(value))
  }
  if (schema instanceof z.ZodOptional) return writerOf(schema.unwrap() as z.ZodType, side, path, words)
  if (schema instanceof z.ZodObject) {
    const write = fieldsWriter(schema, side, path === '' ? '' : `${path}.`, words)
    return (value) => (typeof value === 'object' && value !== null ? write(value as Fields) : refuse(value))
  }
  if (schema instanceof z.ZodArray) {
    const write = writerOf(schema.element as z.ZodType, side, `${path}[]`, words)
    return (value) => (Array.isArray(value) ? `[${value.map(write).join(',')}]` : refuse(value))
  }
  if (schema instanceof z.ZodUnion) return unionWriter(schema, side, path)
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const words = 'values' in schema ? schema.values : schema.options
    const texts = new Map<unknown, string>(Array.from(words, (word) => [word, JSON.stringify(word)]))
    return (value) => texts.get(value) ?? refuse(value)
  }
  if (schema instanceof z.ZodString) return (value) => (isString(value) ? quote(value) : refuse(value))
  if (schema instanceof z.ZodBoolean)
    return (value) => (typeof value === 'boolean' ? String(value) : refuse(value))
  if (schema instanceof z.ZodNumber)
    return (value) => (Number.isFinite(value) ? String(value) : refuse(value))
  return (value) => JSON.stringify(value) ?? refuse(value)
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Writes an object. The parts are joined, not added with +: V8 keeps a sum as a tree of its parts, and an event's tree would be
 * walked both when stored and when sent.
 */
function fieldsWriter(
  schema: z.ZodObject,
  side: Side,
  path: string,
  words?: ObjectWords,
): (value: Fields) => string {
  const shown = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const word = words ? words.fields.get(name) : { name }
    return word ? [{ name, field, word }] : []
  })
  const fields = shown.map(({ name, field, word }) => {
    const write = writerOf(field, side, path + name, word.inside)
    const { reworded } = word
    return {
      name,
      first: `${JSON.stringify(word.name)}:`,
      further: `,${JSON.stringify(word.name)}:`,
      isOptional: field instanceof z.ZodOptional,
      write: reworded ? (value: unknown) => reworded(write(value)) : write,
    }
  })
  const constants = Object.entries(words?.constants ?? {}).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  const end = `${constants.join('')}}`
  return (value) => {
    const parts = ['{']
    for (const { name, first, further, isOptional, write } of fields) {
      const inner = value[name]
      if (inner === undefined && isOptional) continue
      parts.push(parts.length === 1 ? first : further, write(inner))
    }
    parts.push(end)
    return parts.join('')
  }
}

/** The first alternative that fits the value; a union has no tag, so each is tried. */
function unionWriter(schema: z.ZodUnion, side: Side, path: string): Write {
  const alternatives = (schema.options as z.ZodType[]).map((option) => ({
    fits: (value: unknown) => (side === 'wire' ? option.safeParse(value) : option.safeEncode(value)).success,
    write: writerOf(option, side, path),
  }))
  return (value) => {
    const found = alternatives.find(({ fits }) => fits(value))
    if (!found) throw new UnwritableAnswer(path, value)
    return found.write(value)
  }
}

/** Most text is plain ASCII and is written unchanged; JSON.stringify handles text that may need escaping. */
const PLAIN = /^[ !#-[\]-\u007e]*$/
const quote = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

const isString = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
