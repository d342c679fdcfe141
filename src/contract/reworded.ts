/**
 * The schemas of the contract in a profile's words. What the code holds is the same under every profile; only the wire's
 * side is another: the names of states, events and lists, the form of a timestamp, which fields there are and must be.
 * Under the defaults every schema is itself.
 */

import { z } from 'zod'
import { AuthorizationCapture, AuthorizationCreate, AuthorizationStatus } from './authorization.ts'
import { Checkout, CheckoutConfirm, CheckoutCreate, CheckoutRefund, CheckoutStatus } from './checkout.ts'
import { CustomerCreate } from './customer.ts'
import { EVENT_TYPES, EVENTS, EventEnvelope, EventType, RESOURCES } from './event.ts'
import { EXAMPLE_ID, idKindOf } from './ids.ts'
import { inverted } from './inverted.ts'
import { constant, JsonText, renamed, storedAsJson } from './json-writer.ts'
import { PAGE_DEFAULT_ROWS, PAGE_MAX_ROWS } from './limits.ts'
import { HasMore, Limit, limitOf } from './pages.ts'
import { PaymentMethodType } from './payment-method.ts'
import type { Profile } from './profile.ts'
import { RefundCreate, RefundStatus } from './refund.ts'
import { formatInstant, Instant, oneOf, Text, Url } from './wire.ts'

type Shape = Readonly<Record<string, z.ZodType>>

/** The body of a request without fields. */
export const EmptyBody = z.object({})

const BODIES: readonly z.ZodType[] = [
  AuthorizationCapture,
  AuthorizationCreate,
  CheckoutConfirm,
  CheckoutCreate,
  CheckoutRefund,
  CustomerCreate,
  EmptyBody,
  RefundCreate,
]

export type Reword = <Schema extends z.ZodType>(schema: Schema) => Schema

export function rewording(profile: Profile): Reword {
  const known = new Map<z.ZodType, z.ZodType>(replacements(profile))
  const reword = (schema: z.ZodType): z.ZodType => {
    const found = known.get(schema)
    if (found) return found
    const made = rewordPart(schema, reword, profile)
    known.set(schema, made)
    return made
  }
  return reword as Reword
}

/** The schemas of single values. Those that a profile leaves as they are stand for themselves. */
function replacements({ states, events, timestamps, lists }: Profile): [z.ZodType, z.ZodType][] {
  const isUsual = lists.size === PAGE_DEFAULT_ROWS && lists.maxSize === PAGE_MAX_ROWS
  return [
    [CheckoutStatus, words(CheckoutStatus, states.checkout)],
    [AuthorizationStatus, words(AuthorizationStatus, states.authorization)],
    [RefundStatus, words(RefundStatus, states.refund)],
    [EventType, words(EventType, events)],
    ...EVENT_TYPES.map((type): [z.ZodType, z.ZodType] => {
      const literal = EVENTS[type].shape.type
      return [literal, events[type] === type ? literal : z.literal(events[type])]
    }),
    [Instant, timestamps.milliseconds ? Instant : WholeSeconds],
    [Instant.in, timestamps.milliseconds ? Instant.in : WholeSeconds.in],
    [Limit, isUsual ? Limit : limitOf(lists.size, lists.maxSize)],
  ]
}

function words<Word extends string>(
  schema: z.ZodType<Word> & { options: readonly Word[] },
  names: Readonly<Record<Word, string>>,
): z.ZodType {
  if (schema.options.every((word) => names[word] === word)) return schema
  const meanings = new Map(schema.options.map((word) => [names[word], word]))
  return z.codec(oneOf(schema.options.map((word) => names[word]) as [string, ...string[]]), z.string(), {
    decode: (name) => meanings.get(name)!,
    encode: (word) => names[word as Word],
  })
}

/** D12 without milliseconds: what is less than a second is left out. */
const WholeSeconds = z.codec(
  z.iso.datetime({ precision: 0 }).meta({ id: 'Instant', example: '2025-01-31T12:34:56Z' }),
  z.int(),
  { decode: (text) => Date.parse(text), encode: (ms) => formatInstant(ms).replace(/\.\d+/, '') },
)

function rewordPart(
  schema: z.ZodType,
  reword: (schema: z.ZodType) => z.ZodType,
  profile: Profile,
): z.ZodType {
  if (schema instanceof z.ZodObject) return rewordObject(schema, reword, profile)
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodArray) {
    const inner = schema instanceof z.ZodArray ? schema.element : schema.unwrap()
    const other = reword(inner as z.ZodType)
    if (other === inner) return schema
    if (schema instanceof z.ZodArray) return z.array(other)
    return schema instanceof z.ZodNullable ? z.nullable(other) : z.optional(other)
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options as z.ZodType[]
    const others = options.map(reword)
    return others.every((other, index) => other === options[index])
      ? schema
      : withMeta(z.union(others as [z.ZodType]), schema)
  }
  if (schema instanceof z.ZodCodec && schema.def.out === JsonText) {
    const other = reword(schema.def.in as z.ZodType)
    return other === schema.def.in ? schema : storedAsJson(other)
  }
  return rewordExample(schema, profile)
}

/** The id of an example in OpenAPI. */
function rewordExample(schema: z.ZodType, { ids }: Profile): z.ZodType {
  const meta = schema.meta()
  const example = typeof meta?.example === 'string' ? meta.example : ''
  const kind = idKindOf(example)
  if (kind === undefined || !(kind in ids.prefixes)) return schema
  const other = `${ids.prefixes[kind as keyof typeof ids.prefixes]}${EXAMPLE_ID.slice(0, ids.length)}`
  return other === example ? schema : schema.meta({ ...meta, example: other })
}

function rewordObject(
  schema: z.ZodObject,
  reword: (schema: z.ZodType) => z.ZodType,
  profile: Profile,
): z.ZodType {
  const { lists, requests } = profile
  const isPage = schema.shape.hasMore === HasMore
  const isQuery = schema.shape.limit === Limit
  const names: Readonly<Record<string, string>> = isPage
    ? { data: lists.items, hasMore: lists.hasMore, nextCursor: lists.nextCursor }
    : isQuery
      ? { limit: lists.limit, cursor: lists.cursor }
      : {}
  const fields = Object.entries({ ...(schema.shape as Shape), ...otherFields(schema, profile) })
  const shape = Object.fromEntries(fields.map(([name, field]) => [names[name] ?? name, reword(field)]))
  const isStrict = requests.unknownFields === 'refuse' && BODIES.includes(schema)
  if (!isStrict && isSameShape(schema.shape, shape)) return schema
  const made = schema.clone({ ...schema.def, shape, ...(isStrict && { catchall: z.never() }) })
  const other = withMeta(made, schema)
  if (isPage) return renamed(other as z.ZodObject, inverted(names))
  return isQuery ? other.pipe(z.transform((given) => withNames(given, inverted(names)))) : other
}

/** The fields that a profile adds or takes in another way. */
function otherFields(schema: z.ZodObject, { answers, requests }: Profile): Shape {
  const required: readonly string[] = requests.checkout
  if (schema === CheckoutCreate) {
    const mayBeLeftOut = OPTIONAL_TEXTS.filter(([name]) => !required.includes(name))
    return {
      ...Object.fromEntries(mayBeLeftOut.map(([name, field]) => [name, leftOutAsEmpty(field)])),
      ...(required.includes('paymentMethodType') && { paymentMethodType: PaymentMethodType }),
    }
  }
  const kind = Object.keys(answers.fields).find((name) => isOfKind(schema, name))
  if (kind === undefined) return {}
  const mayBeNull = schema === Checkout ? OPTIONAL_TEXTS.filter(([name]) => !required.includes(name)) : []
  const extra = answers.fields[kind as keyof typeof answers.fields]
  return {
    ...Object.fromEntries(mayBeNull.map(([name]) => [name, EmptyAsNull])),
    ...Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, constant(value)])),
  }
}

const isOfKind = (schema: z.ZodType, kind: string): boolean =>
  kind === 'event'
    ? schema === EventEnvelope || Object.values<z.ZodType>(EVENTS).includes(schema)
    : RESOURCES[kind as keyof typeof RESOURCES] === schema

/** D22: a text that need not be given is stored as an empty one, which no platform can send, and answered as null. */
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

const isSameShape = (one: Shape, other: Shape) =>
  Object.keys(one).join() === Object.keys(other).join() &&
  Object.keys(one).every((name) => one[name] === other[name])

const withNames = (given: object, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [names[name] ?? name, value]))

/** A clone has no metadata of its own: OpenAPI knows it by the same name. */
function withMeta<Schema extends z.ZodType>(made: Schema, like: z.ZodType): Schema {
  const meta = like.meta()
  return meta ? made.meta(meta) : made
}
