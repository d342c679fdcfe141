/** The kinds of fields of a resource: how responses show each, requests send it, and the database stores it. */
import { z } from 'zod'
import { exampleIdOf } from '../example-id.ts'
import { TEXT_MAX_CHARS } from '../limits.ts'
import { Amount, Money, ZERO } from '../money.ts'
import { isObject } from '../parsed-json.ts'
import { Currency, oneOf, SentInstant, Text, Url } from '../wire.ts'

interface FieldOptions {
  /**
   * Whether the creating body has the field. `optional`: null in the response if it was not sent. `completed`: the service fills
   * it in if it was not sent.
   */
  readonly sent?: 'required' | 'completed' | 'optional'
  /** Set later by the service, or never: null until then. */
  readonly nullable?: boolean
  /** A filter of lists. Of several filters, SQLite looks up one that `few` rows share. */
  readonly filter?: 'few' | 'many'
  /**
   * How a search compares it. `beginning`: prefix, by an index. `part`: anywhere in the text, in the newest rows. `amount`: like
   * `part`, for numbers.
   */
  readonly search?: 'beginning' | 'part' | 'amount'
  /** Unique within a sandbox. */
  readonly unique?: boolean
  /** An update writes it; other fields never change. */
  readonly changes?: boolean
  /** False for a field that is computed for each response. */
  readonly stored?: boolean
  /** A short description, for the documents. */
  readonly about?: string
  /** An SQL condition on the column. */
  readonly check?: string
}

export interface ResourceField<
  Shown extends z.ZodType = z.ZodType,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Options extends FieldOptions = FieldOptions,
> {
  readonly shown: Shown
  readonly body: Body
  /** The SQLite type. */
  readonly column: 'TEXT' | 'INTEGER'
  /** The table whose ids it holds. */
  readonly references: string | undefined
  /** The default in a new resource. */
  readonly initial: unknown
  /** Its type, of a field without a column: each value is a row of the table `added`. */
  readonly inRows?: 'number' | 'time' | 'boolean' | 'map'
  /** Set if a profile may reword the field's values. */
  readonly shows: 'currency' | 'part' | undefined
  readonly options: Options
}

type ShownAs<Schema extends z.ZodType, Options extends FieldOptions> = Options extends
  | { sent: 'optional' }
  | { nullable: true }
  ? z.ZodNullable<Schema>
  : Schema

type SentAs<Schema extends z.ZodType, Options extends FieldOptions> = Options extends { sent: 'required' }
  ? Schema
  : Options extends { sent: 'optional' | 'completed' }
    ? z.ZodOptional<z.ZodNullable<Schema>>
    : undefined

const described = (schema: z.ZodType, { about }: FieldOptions) => (about ? schema.describe(about) : schema)

const kindOfField =
  <Shown extends z.ZodType, Body extends z.ZodType>(
    shown: Shown,
    body: Body,
    column: ResourceField['column'],
    initial: unknown = null,
    references: string | undefined = undefined,
    shows: ResourceField['shows'] = undefined,
  ) =>
  <const Options extends FieldOptions>(options: Options) =>
    ({
      shown: described(options.nullable || options.sent === 'optional' ? shown.nullable() : shown, options),
      body: options.sent && described(options.sent === 'required' ? body : body.nullish(), options),
      column,
      initial,
      references,
      shows,
      options,
    }) as ResourceField as ResourceField<ShownAs<Shown, Options>, SentAs<Body, Options>, Options>

/** The schema of an optional field of a body if it is sent. */
export const withoutNull = (body: z.ZodOptional) => (body.unwrap() as z.ZodNullable).unwrap() as z.ZodType

const text = kindOfField(z.string(), Text, 'TEXT')
const url = kindOfField(z.string(), Url, 'TEXT')
const amount = kindOfField(Money, Amount, 'INTEGER', ZERO)
const currency = kindOfField(Currency, Currency, 'TEXT', Currency.value, undefined, 'currency')

const kindInRows =
  <Schema extends z.ZodType>(inRows: NonNullable<ResourceField['inRows']>, schema: Schema) =>
  <const Options extends FieldOptions>(options: Options) => {
    const apart: Options & { readonly stored: false } = { ...options, stored: false }
    return { ...kindOfField(schema, schema, 'TEXT')(apart), inRows }
  }

const number = kindInRows('number', z.number('must be a number'))
const boolean = kindInRows('boolean', z.boolean('must be true or false'))
const time = kindInRows('time', SentInstant)

/** Not a record, because zod's would drop the key `__proto__`. */
export const TextMap = z
  .custom<Readonly<Record<string, string>>>(
    (value) => isObject(value) && Object.values(value).every((text) => Text.safeParse(text).success),
    `must be an object of texts of 1 to ${TEXT_MAX_CHARS} characters`,
  )
  .meta({ type: 'object', additionalProperties: { type: 'string', ...Text.meta() } })
const map = kindInRows('map', TextMap)

/** The id of another resource. */
const reference = <const Options extends FieldOptions>(
  to: { prefix: string; table: string },
  options: Options,
) => kindOfField(z.string().meta({ example: exampleIdOf(to.prefix) }), Text, 'TEXT', null, to.table)(options)

/** One of a few words. */
const word = <Words extends z.ZodEnum, const Options extends FieldOptions>(words: Words, options: Options) =>
  kindOfField(words, words, 'TEXT')(options)

/** An object inside the resource, stored as JSON. */
const part = <Part extends z.ZodObject, const Options extends FieldOptions>(schema: Part, options: Options) =>
  kindOfField(schema, schema, 'TEXT', null, undefined, 'part')(options)

/** A field computed for each response and not stored. */
const computed = <Shown extends z.ZodType>(shown: Shown) =>
  kindOfField(shown, shown, 'TEXT')({ stored: false })

/** The position of the state among the fields. Its values are derived from the moves. */
const state = kindOfField(oneOf(['none']), oneOf(['none']), 'TEXT')({ filter: 'many', changes: true })

export const field = {
  text,
  url,
  number,
  amount,
  time,
  boolean,
  map,
  currency,
  reference,
  word,
  part,
  computed,
  state,
}
