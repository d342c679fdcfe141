/**
 * An option is one zod schema with metadata. The schema says what may be given and what it becomes; the metadata says how
 * a command line, the environment and the documents write it. Everything that knows options is made from the two.
 */
import { z } from 'zod'

export interface OptionMeta {
  /** For `--help`, the documents, OpenAPI and the JSON Schema that editors read. */
  help: string
  /** What the comment that an editor shows says after the help, such as what holds if it is left out. */
  inCode?: string
  /** Left out for an option that only code and HTTP can set. */
  flag?: string
  /** In place of `flag`, for an argument behind the command, such as `[paths...]`. */
  argument?: string
  /**
   * The variable. Left out, it is made of `PAYSIM_`, the command and the flag. A variable means the same
   * option in every command.
   */
  env?: string
  /** The word for the value in `--help`, such as `FILE`. A flag without a placeholder is a switch. */
  placeholder?: string
  /** The flag may be given several times. */
  repeatable?: true
  /** A switch with three states: `--confirm`, `--no-confirm` with this help, or neither. */
  helpOfNo?: string
  /** The flag works but is left out of `--help`. */
  hidden?: true
  /** A file or a folder. In paysim.yaml it is relative to that file's folder. */
  isPath?: true
  /** What is read at the path, such as `a file`: it must be there before the work begins. */
  reads?: string
  /** The names that may stand in place of a path, of files that come with paysim. */
  bundled?: () => readonly string[]
  /**
   * The subject of an error, such as `The report`, for a file that the command writes at its end: it is
   * checked before the work.
   */
  writes?: string
  /**
   * Turns text into a value for the schema. Text that it cannot read is returned unchanged, and the schema
   * refuses it.
   */
  fromText?: (text: string) => unknown
  /** The default as help and documents write it; left out, `fallback` itself. */
  shownDefault?: string
  /** Never quoted in an error message. */
  secret?: true
  /**
   * True: given to the simulator, it holds for every sandbox without a value of its own. False: only for the
   * sandbox `default`.
   */
  shared?: boolean
  /** Whether a sandbox that is copied from another one gets the same value. */
  copied?: boolean
}

/** A registry of our own: what stands in zod's global one would end up in every JSON Schema. */
const META = z.registry<OptionMeta>()

export const metaOf = (schema: z.core.$ZodType): OptionMeta | undefined => META.get(schema)

export interface OptionMaker<Meta extends OptionMeta> {
  /** `fallback` is the default. */
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

/** An option without a default that must be given. */
export const required = <Schema extends z.ZodType>(schema: Schema, meta: OptionMeta): Schema =>
  withMeta(schema.clone(), meta)

/**
 * Attaches the metadata to the schema itself: `describe` would make a copy, which takes time at every start.
 * So each option needs a schema of its own.
 */
function withMeta<Schema extends z.ZodType>(schema: Schema, meta: OptionMeta): Schema {
  META.add(schema, meta)
  z.globalRegistry.add(schema, { description: meta.help })
  return schema
}

export type Options = Readonly<Record<string, z.ZodType>>

type WithoutDefaults<Shape extends Options> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner extends z.ZodType>
    ? z.ZodOptional<Inner>
    : Shape[Name]
}

/** The same options without defaults: one that is left out is undefined, and the caller decides. */
export const withoutDefaults = <Shape extends Options>(shape: Shape): WithoutDefaults<Shape> =>
  mapShape(shape, (schema) =>
    schema instanceof z.ZodDefault ? withMeta(valueSchema(schema).optional(), metaOf(schema)!) : schema,
  )

/**
 * The same options with a word in flag and variable, without defaults: `--production-api-key` for
 * `--api-key`. `defaults` says what holds for one that is left out.
 */
export const withFlagsAfter = <Shape extends Options>(
  word: string,
  shape: Shape,
  defaults: { readonly [Name in keyof Shape]?: string } = {},
): WithoutDefaults<Shape> =>
  mapShape(shape, (schema, name) => {
    const { flag, env, shownDefault, ...meta } = metaOf(schema)!
    const value = valueSchema(schema)
    const inner = value instanceof z.ZodObject ? z.strictObject(withFlagsAfter(word, value.shape)) : value
    const isRequired = inner === schema
    return withMeta(isRequired ? inner.clone() : inner.optional(), {
      ...meta,
      shared: false,
      ...(defaults[name] && { shownDefault: defaults[name], inCode: `Left out, ${defaults[name]}` }),
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

/** The same options as a reader sees them: all are present, and one without value and default is null. */
export const asRead = <Shape extends Options>(shape: Shape): AsRead<Shape> =>
  mapShape(shape, (schema) => {
    const value = givenSchema(schema)
    const meta = metaOf(schema)!
    return schema instanceof z.ZodOptional ? withMeta(value.nullable(), meta) : value.describe(meta.help)
  })

const mapShape = <To>(shape: Options, change: (schema: z.ZodType, name: string) => z.ZodType): To =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, change(schema, name)])) as To

/** Strips `.default()` or `.optional()`. Does not resolve a lazy schema: the profile's has 640 parts. */
export const givenSchema = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema

/** Like `givenSchema`, and resolves a lazy schema. */
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
  /** The default as help and documents write it. */
  shownDefault: string
  /** The paths under which paysim.yaml may have it; the first that is there wins. */
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
