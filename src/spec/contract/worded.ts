/**
 * Translates a default schema to a profile's words; the code itself always uses the default names. One walk gives the renamed
 * schema, a function that reads JSON in these words back to the default names, and which profile keys show where. It is made
 * once per schema; each value only runs that function.
 */
import { z } from 'zod'
import { ENDPOINTS, type OperationId } from './endpoints.ts'
import { Event, RESOURCES } from './event.ts'
import { inverted } from './inverted.ts'
import { JsonText, renamed, storedAsJson } from './json-writer.ts'
import { pageOf } from './pages.ts'
import { isObject, valueAt } from './parsed-json.ts'
import {
  nameKeys,
  type ObjectKind,
  objectPlace,
  otherFields,
  PAGE_PARAMETERS,
  type Turn,
  valuePlace,
  withExampleId,
} from './places.ts'
import type { Profile } from './profile-table.ts'
import type { JsonObject } from './wire.ts'

/** A schema as a profile words it. */
export interface Worded {
  /** The default schema itself where the profile changes nothing. */
  readonly schema: z.ZodType
  /** Reads a value in the profile's words; undefined where the profile changes nothing. */
  readonly read?: Turn | undefined
  /** For a word that the profile changes: writes one of the defaults in the profile's words. */
  readonly write?: (own: string) => string
  /** For a single value: the profile key that shows in it. */
  readonly key?: string
  /** For an object: its fields by their default names. */
  readonly fields?: ReadonlyMap<string, WordedField>
  /** For an object: the keys of the fields that a profile adds and leaves out. */
  readonly constants?: string
  readonly leftOut?: string
  /** For a list: its items. */
  readonly items?: Worded
  /** For a union: its alternatives. */
  readonly options?: readonly Worded[]
}

export interface WordedField extends Worded {
  /** The profile's name of the field, and the key that sets it. */
  readonly name: string
  readonly nameKey: string | undefined
}

type Shape = Readonly<Record<string, z.ZodType>>

export class Wording {
  readonly #profile: Profile
  readonly #known = new Map<z.ZodType, Worded>()
  readonly #answers = new Map<OperationId, Worded>()

  constructor(profile: Profile) {
    this.#profile = profile
  }

  of(schema: z.ZodType): Worded {
    const known = this.#known.get(schema)
    if (known) return known
    const made = this.#made(schema)
    this.#known.set(schema, made)
    return made
  }

  /** The renamed fields of a kind: the profile's names by the default ones. */
  names(kind: ObjectKind): Readonly<Record<string, string>> {
    const named = Object.entries(this.#named(nameKeys(kind)))
    return Object.fromEntries(named.filter(([own, name]) => own !== name))
  }

  /** The parameters of a page: the profile's names by the default ones. */
  pageParameters(): Readonly<Record<string, string>> {
    return this.#named(PAGE_PARAMETERS)
  }

  /** Gives a request's body the default names; undefined where no field is renamed. */
  bodyReader(operation: OperationId): Turn | undefined {
    const names = inverted(this.names(ENDPOINTS[operation].what))
    return Object.keys(names).length === 0 ? undefined : (body) => withNames(body, names)
  }

  /** The schema of an operation's answer, as the profile words it. */
  answer(operation: OperationId): Worded {
    const known = this.#answers.get(operation)
    if (known) return known
    const { does, what } = ENDPOINTS[operation]
    const shown = what === 'event' ? Event : RESOURCES[what]
    const made = this.of(does === 'list' ? pageOf(shown) : shown)
    this.#answers.set(operation, made)
    return made
  }

  #made(schema: z.ZodType): Worded {
    const place = valuePlace(schema)
    if (place) return { schema, key: place.key, ...place.under?.(this.#profile) }
    if (schema instanceof z.ZodObject) return this.#object(schema)
    if (schema instanceof z.ZodUnion) return this.#union(schema)
    if (schema instanceof z.ZodArray) return this.#list(schema)
    if (schema instanceof z.ZodNullable) return this.#around(schema, schema.unwrap(), z.nullable)
    if (schema instanceof z.ZodOptional) return this.#around(schema, schema.unwrap(), z.optional)
    if (schema instanceof z.ZodCodec && schema.def.out === JsonText)
      return this.#around(schema, schema.def.in, storedAsJson)
    return { schema: withExampleId(schema, this.#profile) }
  }

  #around(schema: z.ZodType, inside: z.core.$ZodType, make: (inner: z.ZodType) => z.ZodType): Worded {
    const inner = this.of(inside as z.ZodType)
    return { ...inner, schema: inner.schema === inside ? schema : make(inner.schema) }
  }

  #list(schema: z.ZodArray): Worded {
    const items = this.of(schema.element as z.ZodType)
    const { read } = items
    return {
      schema: items.schema === schema.element ? schema : z.array(items.schema),
      items,
      read: read && ((list) => (Array.isArray(list) ? list.map(read) : list)),
    }
  }

  /** A value is read by the alternative whose literal it has, such as the `type` of an event. */
  #union(schema: z.ZodUnion): Worded {
    const options = (schema.options as z.ZodType[]).map((option) => this.of(option))
    const isSame = options.every((option, index) => option.schema === schema.options[index])
    const tagged = options.flatMap(({ fields, read }) =>
      [...(fields ?? [])].flatMap(([, field]) =>
        field.schema instanceof z.ZodLiteral ? [{ tag: field.name, word: field.schema.value, read }] : [],
      ),
    )
    const tag = tagged[0]?.tag ?? ''
    const readers = new Map(tagged.map(({ word, read }) => [word as unknown, read]))
    return {
      schema: isSame
        ? schema
        : withMeta(z.union(options.map((option) => option.schema) as [z.ZodType]), schema),
      options,
      read: options.every(({ read }) => read === undefined)
        ? undefined
        : (value) => (isObject(value) ? (readers.get(value[tag])?.(value) ?? value) : value),
    }
  }

  #object(schema: z.ZodObject): Worded {
    const place = objectPlace(schema)
    const constants = place.constants === undefined ? undefined : (this.#at(place.constants) as object)
    const leftOut = place.leftOut === undefined ? [] : (this.#at(place.leftOut) as readonly string[])
    const given: Shape = { ...schema.shape, ...otherFields(schema, this.#profile, constants) }
    const fields = new Map(
      Object.entries(given).flatMap(([own, field]): [string, WordedField][] => {
        if (leftOut.includes(own)) return []
        const nameKey = place.names[own]
        const name = nameKey === undefined ? own : String(this.#at(nameKey))
        return [[own, { ...this.of(field), name, nameKey }]]
      }),
    )
    return {
      schema: this.#renamed(schema, fields, place.sent),
      read: readerOf(fields, Object.keys(constants ?? {})),
      fields,
      ...(place.constants !== undefined && { constants: place.constants }),
      ...(place.leftOut !== undefined && { leftOut: place.leftOut }),
    }
  }

  #renamed(
    schema: z.ZodObject,
    fields: ReadonlyMap<string, WordedField>,
    sent: 'body' | 'query' | undefined,
  ): z.ZodType {
    const shape = Object.fromEntries([...fields.values()].map((field) => [field.name, field.schema]))
    const isStrict = sent === 'body' && this.#profile.requests.unknownFields === 'refuse'
    if (isSameShape(schema.shape, shape) && !isStrict) return schema
    const catchall = isStrict ? z.never() : schema.def.catchall
    const names = Object.fromEntries([...fields].map(([own, { name }]) => [own, name]))
    const { checks = [] } = schema.def
    const other = (some: typeof checks) =>
      withMeta(schema.clone({ ...schema.def, shape, ...(catchall && { catchall }), checks: some }), schema)
    if (Object.entries(names).every(([own, name]) => own === name)) return other(checks)
    return sent === undefined
      ? renamed(other(checks), inverted(names))
      : withOwnNames(other([]), names, checks)
  }

  #named(keys: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(keys).map(([own, key]) => [own, String(this.#at(key))]))
  }

  #at(key: string): unknown {
    return valueAt(this.#profile, key.split('.'))
  }
}

/**
 * Reads an object: gives the fields their default names and drops the constants. Undefined where nothing
 * changes.
 */
function readerOf(fields: ReadonlyMap<string, WordedField>, constants: readonly string[]): Turn | undefined {
  if (constants.length === 0 && [...fields].every(([own, { name, read }]) => own === name && !read))
    return undefined
  const byName = new Map([...fields].map(([own, { name, read }]) => [name, { own, read }]))
  return (value) => {
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        if (constants.includes(name)) return []
        const { own = name, read } = byName.get(name) ?? {}
        return [[own, read ? read(inner) : inner]]
      }),
    )
  }
}

/** Copies the metadata: a changed schema has none, and OpenAPI names it by that. */
function withMeta<Schema extends z.ZodType>(made: Schema, like: z.ZodType): Schema {
  const meta = like.meta()
  return meta ? made.meta(meta) : made
}

const isSameShape = (one: Shape, other: Shape) =>
  Object.keys(one).join() === Object.keys(other).join() &&
  Object.keys(one).every((name) => one[name] === other[name])

/**
 * A schema that takes the profile's names and gives the code's. The checks run on the code's names, so the
 * paths and messages of their issues are renamed back to the profile's.
 */
function withOwnNames(
  sent: z.ZodObject,
  names: Readonly<Record<string, string>>,
  checks: NonNullable<z.ZodObject['def']['checks']>,
): z.ZodType {
  const own = inverted(names)
  const read = sent.pipe(z.transform((given: Readonly<Record<string, unknown>>) => withNames(given, own)))
  if (checks.length === 0) return read
  return read.check((payload) => {
    for (const check of checks) check._zod.check(payload as never)
    payload.issues = payload.issues.map(({ path = [], message, ...issue }) => ({
      ...issue,
      path: path.map((part) => (typeof part === 'string' ? renamedIn(part, names) : part)),
      message: message && renamedIn(message, names),
    })) as typeof payload.issues
  })
}

/** A copy of the object with its fields renamed; a value that is no object is returned as it is. */
export const withNames = (value: unknown, names: Readonly<Record<string, string>>): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          Object.hasOwn(names, name) ? names[name]! : name,
          inner,
        ]),
      )
    : value

/** The text with each of these words replaced. */
export const renamedIn = (text: string, names: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\w+/g, (word) => (Object.hasOwn(names, word) ? names[word]! : word))

/**
 * The schemas at a path such as `$.data[0].status`, and those of the object or list around it. A union on the
 * way gives one for each alternative.
 */
export function wordedAt(worded: Worded, path: string): { at: readonly Worded[]; within: readonly Worded[] } {
  let [at, within]: (readonly Worded[])[] = [[worded], []]
  for (const [segment] of path.matchAll(/\w+/g)) {
    within = at!.flatMap(({ options, ...one }) => options ?? [one])
    at = within.flatMap(({ fields, items }) => items ?? fields?.get(segment) ?? [])
  }
  return { at: at!, within: within! }
}

/** The fields of the object, not of objects inside it, whose value a profile key changes. */
export const shownIn = (
  { fields = new Map() }: Worded,
  key: string,
  object: JsonObject,
): [name: string, value: unknown][] =>
  Object.entries(object).filter(([name]) => fields.get(name)?.key === key)
