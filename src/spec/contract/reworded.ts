/**
 * The schemas of the contract in a profile's words. What the code holds is the same under every profile; only the wire's
 * side is another: the names of states, events and lists, the form of a timestamp, which fields there are and must be.
 * Under the defaults every schema is itself.
 */

import { z } from 'zod'
import { AuthorizationStatus } from './authorization.ts'
import { Checkout, CheckoutCreate, CheckoutStatus } from './checkout.ts'
import { EVENT_TYPES, EVENTS, EventEnvelope, EventType, RESOURCES } from './event.ts'
import { EXAMPLE_ID, idKindOf } from './ids.ts'
import { inverted } from './inverted.ts'
import { constant, JsonText, renamed, storedAsJson } from './json-writer.ts'
import { PAGE_DEFAULT_ROWS, PAGE_MAX_ROWS } from './limits.ts'
import { HasMore, Limit, limitOf } from './pages.ts'
import { PaymentMethodType } from './payment-method.ts'
import type { Profile } from './profile.ts'
import { RefundStatus } from './refund.ts'
import { formatInstant, Instant, oneOf, Text, Url } from './wire.ts'

export type Reword = <Schema extends z.ZodType>(schema: Schema) => Schema

type Shape = Readonly<Record<string, z.ZodType>>
type Names = Readonly<Record<string, string>>

export function rewording(profile: Profile): Reword {
  /** By the schemas of the defaults. */
  const reworded = new Map<z.ZodType, z.ZodType>(singleValues(profile))
  const reword = (schema: z.ZodType): z.ZodType => {
    const known = reworded.get(schema)
    if (known) return known
    const made = rewordedFrom(schema, reword, profile)
    reworded.set(schema, made)
    return made
  }
  return reword as Reword
}

// Single values

function singleValues({ states, events, timestamps, lists }: Profile): [z.ZodType, z.ZodType][] {
  const isUsual = lists.size === PAGE_DEFAULT_ROWS && lists.maxSize === PAGE_MAX_ROWS
  return [
    [CheckoutStatus, withWords(CheckoutStatus, states.checkout)],
    [AuthorizationStatus, withWords(AuthorizationStatus, states.authorization)],
    [RefundStatus, withWords(RefundStatus, states.refund)],
    [EventType, withWords(EventType, events)],
    ...EVENT_TYPES.map((type): [z.ZodType, z.ZodType] => {
      const literal = EVENTS[type].shape.type
      return [literal, events[type] === type ? literal : z.literal(events[type])]
    }),
    [Instant, timestamps.milliseconds ? Instant : WholeSeconds],
    [Instant.in, timestamps.milliseconds ? Instant.in : WholeSeconds.in],
    [Limit, isUsual ? Limit : limitOf(lists.size, lists.maxSize)],
  ]
}

function withWords<Word extends string>(
  schema: z.ZodType<Word> & { options: readonly Word[] },
  words: Readonly<Record<Word, string>>,
): z.ZodType {
  if (schema.options.every((held) => words[held] === held)) return schema
  const heldBy = new Map(schema.options.map((held) => [words[held], held]))
  return z.codec(oneOf(schema.options.map((held) => words[held]) as [string, ...string[]]), z.string(), {
    decode: (word) => heldBy.get(word)!,
    encode: (held) => words[held as Word],
  })
}

/** D12 without milliseconds: what is less than a second is left out. */
const WholeSeconds = z.codec(
  z.iso.datetime({ precision: 0 }).meta({ id: 'Instant', example: '2025-01-31T12:34:56Z' }),
  z.int(),
  { decode: (text) => Date.parse(text), encode: (ms) => formatInstant(ms).replace(/\.\d+/, '') },
)

/** The id of an example in OpenAPI. */
function withExampleId(schema: z.ZodType, { ids }: Profile): z.ZodType {
  const meta = schema.meta()
  const example = typeof meta?.example === 'string' ? meta.example : ''
  const kind = idKindOf(example)
  if (kind === undefined || !(kind in ids.prefixes)) return schema
  const other = `${ids.prefixes[kind as keyof typeof ids.prefixes]}${EXAMPLE_ID.slice(0, ids.length)}`
  return other === example ? schema : schema.meta({ ...meta, example: other })
}

// What is made of other schemas

type RewordPart = (part: z.ZodType) => z.ZodType

function rewordedFrom(schema: z.ZodType, reword: RewordPart, profile: Profile): z.ZodType {
  const around = (inner: z.ZodType, make: (other: z.ZodType) => z.ZodType): z.ZodType => {
    const other = reword(inner)
    return other === inner ? schema : make(other)
  }
  if (schema instanceof z.ZodObject) return rewordedObject(schema, reword, profile)
  if (schema instanceof z.ZodArray) return around(schema.element as z.ZodType, z.array)
  if (schema instanceof z.ZodNullable) return around(schema.unwrap() as z.ZodType, z.nullable)
  if (schema instanceof z.ZodOptional) return around(schema.unwrap() as z.ZodType, z.optional)
  if (schema instanceof z.ZodUnion) return rewordedUnion(schema, reword)
  if (schema instanceof z.ZodCodec && schema.def.out === JsonText)
    return around(schema.def.in as z.ZodType, storedAsJson)
  return withExampleId(schema, profile)
}

function rewordedUnion(schema: z.ZodUnion, reword: RewordPart): z.ZodType {
  const options = schema.options as z.ZodType[]
  const others = options.map(reword)
  if (others.every((other, index) => other === options[index])) return schema
  return withMeta(z.union(others as [z.ZodType]), schema)
}

function rewordedObject(schema: z.ZodObject, reword: RewordPart, profile: Profile): z.ZodType {
  const names = namesInList(schema, profile)
  const fields = Object.entries({ ...(schema.shape as Shape), ...otherFields(schema, profile) })
  const shape = Object.fromEntries(fields.map(([name, field]) => [names[name] ?? name, reword(field)]))
  if (isSameShape(schema.shape, shape)) return schema
  const other = withMeta(schema.clone({ ...schema.def, shape }), schema)
  if (isPage(schema)) return renamed(other as z.ZodObject, inverted(names))
  return isQuery(schema) ? other.pipe(z.transform((given) => withNames(given, inverted(names)))) : other
}

/** A clone has no metadata of its own: OpenAPI knows it by the same name. */
function withMeta<Schema extends z.ZodType>(made: Schema, like: z.ZodType): Schema {
  const meta = like.meta()
  return meta ? made.meta(meta) : made
}

const isSameShape = (one: Shape, other: Shape) =>
  Object.keys(one).join() === Object.keys(other).join() &&
  Object.keys(one).every((name) => one[name] === other[name])

/** D17: an object with other fields is refused. */
export function withoutOtherFields<Schema extends z.ZodType>(schema: Schema): Schema {
  if (!(schema instanceof z.ZodObject)) return schema
  return withMeta(schema.clone({ ...schema.def, catchall: z.never() }), schema) as Schema
}

// The names in a list and its query (D24)

const isPage = ({ shape }: z.ZodObject): boolean => shape.hasMore === HasMore
const isQuery = ({ shape }: z.ZodObject): boolean => shape.limit === Limit

/** The profile's names by those of the defaults. */
function namesInList(schema: z.ZodObject, { lists }: Profile): Names {
  if (isPage(schema)) return { data: lists.items, hasMore: lists.hasMore, nextCursor: lists.nextCursor }
  return isQuery(schema) ? { limit: lists.limit, cursor: lists.cursor } : {}
}

const withNames = (given: object, names: Names) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name] ?? name, value]))

// The fields that a profile adds, or takes in another way

const otherFields = (schema: z.ZodObject, { answers, requests }: Profile): Shape => ({
  ...checkoutFields(schema, requests.checkout),
  ...constantFields(schema, answers.fields),
})

/** D22: a text that need not be given is stored as an empty one, which no platform can send, and answered as null. */
function checkoutFields(schema: z.ZodObject, required: readonly string[]): Shape {
  const optional = OPTIONAL_TEXTS.filter(([name]) => !required.includes(name))
  if (schema === Checkout) return Object.fromEntries(optional.map(([name]) => [name, EmptyAsNull]))
  if (schema !== CheckoutCreate) return {}
  return {
    ...Object.fromEntries(optional.map(([name, field]) => [name, leftOutAsEmpty(field)])),
    ...(required.includes('paymentMethodType') && { paymentMethodType: PaymentMethodType }),
  }
}

const OPTIONAL_TEXTS = [
  ['orderId', Text],
  ['successUrl', Url],
  ['cancelUrl', Url],
] as const

const leftOutAsEmpty = (field: z.ZodType<string>) => field.nullish().transform((given) => given ?? '')

const EmptyAsNull = z.codec(z.string().nullable(), z.string(), {
  decode: (given) => given ?? '',
  encode: (held) => (held === '' ? null : held),
})

/** D39. */
function constantFields(schema: z.ZodObject, fields: Profile['answers']['fields']): Shape {
  const [, values = {}] = Object.entries(fields).find(([kind]) => isOfKind(schema, kind)) ?? []
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, constant(value)]))
}

const isOfKind = (schema: z.ZodType, kind: string): boolean =>
  kind === 'event'
    ? schema === EventEnvelope || Object.values<z.ZodType>(EVENTS).includes(schema)
    : RESOURCES[kind as keyof typeof RESOURCES] === schema
