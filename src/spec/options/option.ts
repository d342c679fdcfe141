/**
 * An option is one zod schema with metadata. The schema says what may be given and what it becomes; the metadata says how
 * a command line, the environment and the documents write it. Everything that knows options is made from the two.
 */
import { z } from 'zod'

export interface OptionMeta {
  /** For `--help`, the documents, OpenAPI and the JSON Schema that editors read. */
  help: string
  /** An option without a flag is only for code and HTTP. */
  flag?: string
  /** In place of a flag: it stands behind the command, such as `[paths...]`. */
  argument?: string
  /** Left out where a command has the flag: then `PAYSIM_`, the command and the flag. One variable is one option. */
  env?: string
  /** Stands for the value in the help text. A flag without one is a switch. */
  placeholder?: string
  /** The flag may be given several times. */
  repeatable?: true
  /** A switch with three states: `--confirm`, `--no-confirm` with this help, or neither. */
  helpOfNo?: string
  /** It is heard, and `--help` does not have it. */
  hidden?: true
  /** A file or a folder. In paysim.yaml it is seen from that file's folder. */
  isPath?: true
  /** What is written to it, such as `The report`: that this cannot be is said before the work. */
  writes?: string
  /** Turns text into what the schema takes. Text that it cannot read stays, and the schema refuses it. */
  fromText?: (text: string) => unknown
  /** How the default is written, if not as it is. */
  shownDefault?: string
  /** The value is left out of error messages. */
  secret?: true
  /** Whether it holds for every sandbox that says nothing else when it is given to the simulator, or for `default` only. */
  shared?: boolean
  /** Whether a sandbox that is made from another one takes it over. */
  copied?: boolean
}

/** A registry of our own: what stands in zod's global one would end up in every JSON Schema. */
const META = z.registry<OptionMeta>()

export const metaOf = (schema: z.core.$ZodType): OptionMeta | undefined => META.get(schema)

export interface OptionMaker<Meta extends OptionMeta> {
  /** `fallback` is the value that holds when none is given. */
  <Schema extends z.ZodType>(
    schema: Schema,
    meta: Meta & { fallback: z.core.util.NoUndefined<z.output<Schema>> },
  ): z.ZodDefault<Schema>
  <Schema extends z.ZodType>(schema: Schema, meta: Meta): z.ZodOptional<Schema>
}

export const option = ((schema: z.ZodType, { fallback, ...meta }: OptionMeta & { fallback?: unknown }) =>
  withMeta(
    fallback === undefined ? schema.optional() : schema.default(fallback),
    meta,
  )) as OptionMaker<OptionMeta>

/** For a value that must be given. */
export const required = <Schema extends z.ZodType>(schema: Schema, meta: OptionMeta): Schema =>
  withMeta(schema.clone(), meta)

/** Of a schema that is made for this option: unlike `describe`, this makes no copy, which takes time at every start. */
function withMeta<Schema extends z.ZodType>(schema: Schema, meta: OptionMeta): Schema {
  META.add(schema, meta)
  z.globalRegistry.add(schema, { description: meta.help })
  return schema
}

export type Options = Readonly<Record<string, z.ZodType>>

/** A schema for each property of an interface; what a schema takes must be what the property may be. */
export type SchemasOf<Interface> = {
  [Name in keyof Required<Interface>]: z.ZodType<unknown, Interface[Name]>
}

/** What may be given. */
export type Given<Shape extends Options> = { [Name in keyof Shape]?: z.input<Shape[Name]> }

type WithoutDefaults<Shape extends Options> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner extends z.ZodType>
    ? z.ZodOptional<Inner>
    : Shape[Name]
}

/** The same options where one that is left out stays out, as something else decides then. */
export const withoutDefaults = <Shape extends Options>(shape: Shape): WithoutDefaults<Shape> =>
  mapShape(shape, (schema) =>
    schema instanceof z.ZodDefault ? withMeta(valueSchema(schema).optional(), metaOf(schema)!) : schema,
  )

/** The same options under flags and variables of their own: `--production-api-key` for `--api-key`. */
export const withFlagsAfter = <Shape extends Options>(word: string, shape: Shape): WithoutDefaults<Shape> =>
  mapShape(shape, (schema) => {
    const { flag, env, shownDefault, ...meta } = metaOf(schema)!
    const value = valueSchema(schema)
    const inner = value instanceof z.ZodObject ? z.strictObject(withFlagsAfter(word, value.shape)) : value
    const isRequired = inner === schema
    return withMeta(isRequired ? inner.clone() : inner.optional(), {
      ...meta,
      shared: false,
      ...(flag && { flag: flag.replace('--', `--${word}-`) }),
      ...(env && { env: env.replace('PAYSIM_', `PAYSIM_${word.toUpperCase()}_`) }),
    })
  })

type AsRead<Shape extends Options> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner extends z.ZodType>
    ? Inner
    : Shape[Name] extends z.ZodOptional<infer Inner extends z.ZodType>
      ? z.ZodNullable<Inner>
      : Shape[Name]
}

/** The same options where each has a value, and null is one that was not given and has no default. */
export const asRead = <Shape extends Options>(shape: Shape): AsRead<Shape> =>
  mapShape(shape, (schema) => {
    const value = givenSchema(schema)
    const meta = metaOf(schema)!
    return schema instanceof z.ZodOptional ? withMeta(value.nullable(), meta) : value.describe(meta.help)
  })

const mapShape = <To>(shape: Options, change: (schema: z.ZodType) => z.ZodType): To =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, change(schema)])) as To

/** Strips `.default()` or `.optional()`. Does not resolve a lazy schema: the profile's has 640 parts. */
export const givenSchema = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema

/** The same as what it is made of. */
export function valueSchema(schema: z.ZodType): z.ZodType {
  const value = givenSchema(schema)
  return value instanceof z.ZodLazy ? (value.unwrap() as z.ZodType) : value
}

/** One option as the command line sees it, such as `--webhook-url` for `webhook.url`. */
export interface CommandOption extends OptionMeta {
  flag: string
  env: string
  path: readonly string[]
  /** The path with dots. */
  name: string
  /** As people read it. */
  shownDefault: string
  /** Where paysim.yaml may have it; the first wins. */
  keys: readonly (readonly string[])[]
  schema: z.ZodType
}

/** Every option of a shape that has a flag, those of objects inside it included; and the arguments of a command. */
export const commandOptions = (shape: Options, command?: string): CommandOption[] =>
  Object.entries(shape).flatMap(([key, schema]) => optionsAt([key], schema, command))

function optionsAt(
  path: readonly string[],
  schema: z.ZodType,
  command: string | undefined,
  outer?: OptionMeta,
): CommandOption[] {
  const meta = metaOf(schema)!
  const value = valueSchema(schema)
  if (value instanceof z.ZodObject && !meta.flag) {
    return Object.entries(value.shape as Options).flatMap(([key, part]) =>
      optionsAt([...path, key], part, command, meta),
    )
  }
  const { argument, flag = argument, repeatable, shared = outer?.shared } = meta
  const { shownDefault = writtenDefault(schema) } = meta
  const env = meta.env ?? (command && meta.flag && `PAYSIM_${upperCase(command)}_${upperCase(meta.flag)}`)
  if (!flag || (!env && !argument)) return []
  const help = [
    meta.help,
    ...(shared === false ? ['for the sandbox "default" only'] : []),
    ...(repeatable && !argument ? ['may be repeated'] : []),
  ].join('; ')
  const name = path.join('.')
  const keys = [...(command && env ? [[command, ...path]] : []), ...(meta.env ? [path] : [])]
  return [{ ...meta, flag, env: env ?? '', path, name, help, shownDefault, keys, schema }]
}

const upperCase = (name: string) => name.replace(/^--/, '').replaceAll('-', '_').toUpperCase()

const writtenDefault = (schema: z.ZodType): string => {
  const value = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined
  return value === undefined ? 'none' : value === false ? 'off' : String(value)
}
