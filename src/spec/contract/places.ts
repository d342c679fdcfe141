/**
 * Where the keys of a profile show in JSON. Each has its place here once: a single value, by its schema, or the names and the
 * fields of an object. worded.ts walks over schemas and values and asks at each node which place it is.
 */
import { z } from 'zod'
import { ErrorBody } from './errors.ts'
import { EVENT_TYPES, EVENTS, EventEnvelope, EventQuery, EventType } from './event.ts'
import { EXAMPLE_ID, idKindOf } from './ids.ts'
import { constant } from './json-writer.ts'
import { PAGE_DEFAULT_ROWS, PAGE_MAX_ROWS } from './limits.ts'
import { HasMore, Limit, limitOf, pageQuery } from './pages.ts'
import { FIELDS, KINDS_WITH_STATES, NAMED_BY_THE_SPEC } from './profile-kinds.ts'
import type { Profile } from './profile-table.ts'
import { CheckoutCreate, CheckoutWithUrl } from './resources/checkout.ts'
import { byResource, DEFINITIONS, type ResourceName } from './resources/index.ts'
import { BankAccount, Card, PaymentMethodType } from './resources/payment-method.ts'
import type { OperationRow } from './resources/resource.ts'
import { formatInstant, withoutFraction } from './time.ts'
import { Currency, Instant, oneOf, Text, Url } from './wire.ts'

/**
 * Reads a value in a profile's words and gives it in those of the defaults. An unknown value is returned as
 * it is.
 */
export type Turn = (value: unknown) => unknown

// Single values

interface ValuePlace {
  /** The key, or the section of keys, that says how the value is written. */
  readonly key: string
  /** How it is written under a profile; undefined where it is as under the defaults. */
  readonly under?: (profile: Profile) => OtherValue | undefined
}

interface OtherValue {
  readonly schema: z.ZodType
  readonly read?: Turn
  /** For a word: writes one of the defaults in the profile's words. */
  readonly write?: (own: string) => string
}

export const valuePlace = (schema: z.ZodType): ValuePlace | undefined => VALUES.get(schema)

const words = <Word extends string>(
  key: string,
  schema: z.ZodType<Word> & { options: readonly Word[] },
  wordsOf: (profile: Profile) => Readonly<Record<Word, string>>,
): [typeof schema, ValuePlace] => [
  schema,
  {
    key,
    under(profile) {
      const others = wordsOf(profile)
      if (schema.options.every((own) => others[own] === own)) return undefined
      const ownBy = new Map<unknown, Word>(schema.options.map((own) => [others[own], own]))
      return {
        schema: z.codec(
          oneOf(schema.options.map((own) => others[own]) as [string, ...string[]]),
          z.string(),
          {
            decode: (word) => ownBy.get(word)!,
            encode: (own) => others[own as Word],
          },
        ),
        read: (word) => ownBy.get(word) ?? word,
        write: (own) => others[own as Word] ?? own,
      }
    },
  },
]

const described = (schema: z.ZodType) => ({ description: schema.meta()?.description })

/** D12 without milliseconds: the fraction of a second is cut off. */
const WholeSeconds = z.codec(
  z.iso.datetime({ precision: 0 }).meta({ id: 'Instant', example: '2025-01-31T12:34:56Z' }),
  z.int(),
  { decode: (text) => Date.parse(text), encode: (ms) => withoutFraction(formatInstant(ms)) },
)

const withMilliseconds: Turn = (time) =>
  typeof time === 'string' ? time.replace(/(T\d\d:\d\d:\d\d)Z$/, '$1.000Z') : time

const time = (usual: z.ZodType, wholeSeconds: z.ZodType): [z.ZodType, ValuePlace] => [
  usual,
  {
    key: 'timestamps.milliseconds',
    under: ({ timestamps }) =>
      timestamps.milliseconds ? undefined : { schema: wholeSeconds, read: withMilliseconds },
  },
]

const WORDS = [
  ...KINDS_WITH_STATES.map((kind) =>
    words<string>(`states.${kind}`, DEFINITIONS[kind].Status, ({ states }) => states[kind]),
  ),
  words('events', EventType, ({ events }) => events),
]

/** The lists of words that a profile may change. */
export const WORD_LISTS = WORDS.map(([schema]) => schema)

const VALUES = new Map<z.ZodType, ValuePlace>([
  ...WORDS,
  ...EVENT_TYPES.map((type): [z.ZodType, ValuePlace] => [
    EVENTS[type].shape.type,
    {
      key: 'events',
      under: ({ events }) =>
        events[type] === type
          ? undefined
          : { schema: z.literal(events[type]), read: (word) => (word === events[type] ? type : word) },
    },
  ]),
  [
    Currency,
    {
      key: 'answers.currency',
      under: ({ answers: { currency } }) =>
        currency === Currency.value
          ? undefined
          : {
              schema: z.codec(z.literal(currency), Currency, {
                decode: () => Currency.value,
                encode: () => currency,
              }),
              read: (code) => (code === currency ? Currency.value : code),
            },
    },
  ],
  time(Instant, WholeSeconds),
  time(Instant.in, WholeSeconds.in),
  // Places are found by the identity of the schema, and `.meta()` makes another schema: so one entry for each
  // type of event.
  ...EVENT_TYPES.map((type) => {
    const { timestamp } = EVENTS[type].shape
    return time(timestamp, WholeSeconds.in.meta(described(timestamp)))
  }),
  [
    Limit,
    {
      key: 'lists',
      under: ({ lists: { size, maxSize } }) =>
        size === PAGE_DEFAULT_ROWS && maxSize === PAGE_MAX_ROWS
          ? undefined
          : { schema: limitOf(size, maxSize) },
    },
  ],
  // No `under`: these depend on the status, so refusal-words.ts writes and reads them.
  [ErrorBody.shape.error, { key: 'errors.names' }],
  [ErrorBody.shape.message, { key: 'errors.texts' }],
])

/**
 * The schema with an example id as the profile writes ids; unchanged where the example is no id whose form a
 * profile can change.
 */
export function withExampleId(schema: z.ZodType, { ids }: Profile): z.ZodType {
  const meta = schema.meta()
  const example = typeof meta?.example === 'string' ? meta.example : ''
  const kind = idKindOf(example)
  if (kind === undefined || !(kind in ids.prefixes)) return schema
  const other = `${ids.prefixes[kind as keyof typeof ids.prefixes]}${EXAMPLE_ID.slice(0, ids.length)}`
  return other === example ? schema : schema.meta({ ...meta, example: other })
}

// Objects

interface ObjectPlace {
  /** For each field, by its default name, the profile key that names it. */
  readonly names: Readonly<Record<string, string>>
  /** The profile key with the fixed fields that are added to the object. */
  readonly constants?: string
  /** The profile key with the fields that are left out. */
  readonly leftOut?: string
  /** Set for what a platform sends, which paysim reads by the names; everything else paysim writes. */
  readonly sent?: 'body' | 'query'
}

export type ObjectKind = keyof typeof FIELDS

/** What operations are sent about a kind, if it is not what creates it. */
function bodiesAbout(kind: ResourceName): z.ZodObject[] {
  return Object.values(DEFINITIONS).flatMap(({ name, operations }) =>
    Object.values<OperationRow>(operations).flatMap(({ body, on }) =>
      body && (on?.what ?? name) === kind ? [body] : [],
    ),
  )
}

/** The schemas of each kind: its object in answers, and the bodies and queries that have its fields. */
const KINDS: Readonly<
  Record<ObjectKind, { shown: readonly z.ZodObject[]; bodies?: readonly z.ZodObject[]; query?: z.ZodObject }>
> = {
  ...byResource(({ name, Shown, Create, Query }) => ({
    shown: [Shown as z.ZodObject],
    bodies: [Create as z.ZodObject, ...bodiesAbout(name)],
    query: Query as z.ZodObject,
  })),
  card: { shown: [Card] },
  bank_account: { shown: [BankAccount] },
  event: { shown: [EventEnvelope, ...Object.values(EVENTS)], query: EventQuery },
}

/** The fields around a list (D24). */
const PAGE: ObjectPlace = {
  names: { data: 'lists.items', hasMore: 'lists.hasMore', nextCursor: 'lists.nextCursor' },
}
/** For each parameter of a page, the key that names it. */
export const PAGE_PARAMETERS = { limit: 'lists.limit', cursor: 'lists.cursor' }

/** For each field of a kind that a profile may rename, by its default name, the key that names it. */
export function nameKeys(kind: ObjectKind): Record<string, string> {
  const fixed: readonly string[] = NAMED_BY_THE_SPEC[kind as keyof typeof NAMED_BY_THE_SPEC] ?? []
  const free = FIELDS[kind].filter((name) => !fixed.includes(name))
  return Object.fromEntries(free.map((name) => [name, `fields.${kind}.${name}`]))
}

const OBJECTS = new Map<z.ZodType, ObjectPlace>(
  (Object.keys(KINDS) as ObjectKind[]).flatMap((kind): [z.ZodType, ObjectPlace][] => {
    const { shown, bodies = [], query } = KINDS[kind]
    const names = nameKeys(kind)
    const isPart = kind === 'card' || kind === 'bank_account'
    const answer: ObjectPlace = isPart
      ? { names }
      : { names, constants: `answers.fields.${kind}`, leftOut: `answers.leaveOut.${kind}` }
    return [
      ...shown.map((schema): [z.ZodType, ObjectPlace] => [schema, answer]),
      ...bodies.map((schema): [z.ZodType, ObjectPlace] => [schema, { names, sent: 'body' }]),
      ...(query
        ? [[query, { names: { ...names, ...PAGE_PARAMETERS }, sent: 'query' }] as [z.ZodType, ObjectPlace]]
        : []),
    ]
  }),
)

/** The parameters by which a list of this kind is narrowed, and those of a page. */
export const queryOf = (kind: ObjectKind): z.ZodObject => KINDS[kind].query ?? pageQuery

const NO_PLACE: ObjectPlace = { names: {} }

export function objectPlace(schema: z.ZodObject): ObjectPlace {
  const known = OBJECTS.get(schema)
  if (known) return known
  if (schema.shape.hasMore === HasMore) return PAGE
  return schema.shape.limit === Limit ? { names: PAGE_PARAMETERS, sent: 'query' } : NO_PLACE
}

/** The fields that an object gets in place of its own, or besides them (D39). */
export const otherFields = (
  schema: z.ZodObject,
  { requests }: Profile,
  constants: object = {},
): Readonly<Record<string, z.ZodType>> => ({
  ...checkoutFields(schema, requests.checkout),
  ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, constant(value)])),
})

/** D22: a text that need not be given is stored as an empty one, which no platform can send, and answered as null. */
function checkoutFields(schema: z.ZodObject, required: readonly string[]): Record<string, z.ZodType> {
  const optional = OPTIONAL_TEXTS.filter(([name]) => !required.includes(name))
  if (schema === CheckoutWithUrl) return Object.fromEntries(optional.map(([name]) => [name, EmptyAsNull]))
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
  encode: (own) => (own === '' ? null : own),
})
