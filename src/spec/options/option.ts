/**
 * An option is one zod schema with metadata. The schema defines the input and the resulting value, the metadata how command line,
 * environment and docs present it. All code that knows options is derived from the two.
 */
import { z } from 'zod'

export interface OptionMeta {
  /** For `--help`, the docs, OpenAPI and the JSON Schema that editors read. */
  help: string
  /** Follows the help in editors' comments, such as the effect of omitting the option. */
  inCode?: string
  /**
   * The flag without its dashes; default: the option's path, such as `webhook-url`. For an object of options: the prefix of their
   * flags. False: only code and HTTP can set it.
   */
  flag?: string | false
  /** Instead of a flag, for an argument after the command, such as `[paths...]`. */
  argument?: string
  /**
   * The variable; default: `PAYSIM_`, the command and the flag. A variable sets the same option in every command, so an option
   * with this key may also be at the top of paysim.yaml.
   */
  env?: string
  /** The heading in `--help`. */
  group?: string
  /** The word for the value in `--help`, such as `FILE`. A flag without a placeholder is a switch. */
  placeholder?: string
  /** The flag may be given several times. */
  repeatable?: true
  /** A switch with three states: `--confirm`, `--no-confirm` with this help, or neither. */
  helpOfNo?: string
  /** Hidden from `--help`, but it works. */
  hidden?: true
  /** A file or a folder. In paysim.yaml it is relative to that file's folder. */
  isPath?: true
  /** What is at the path, such as `a file`: it must exist before the work starts. */
  reads?: string
  /** Names of bundled files that may be given instead of a path. */
  bundled?: () => readonly string[]
  /**
   * The subject of an error, such as `The report`, for a file that the command writes at its end; it is checked before the work.
   */
  writes?: string
  /**
   * Turns text into a value for the schema, unless the schema's type determines it. Text that it cannot parse is returned
   * unchanged, and the schema refuses it.
   */
  fromText?: (text: string) => unknown
  /** The default shown in help and docs; default: `fallback`. */
  shownDefault?: string
  /** Never quoted in an error message. */
  secret?: true
  /** False: if given to the simulator, it applies only to the sandbox `default`, not to all sandboxes without their own value. */
  shared?: false
  /** False: not copied with a sandbox. */
  copied?: false
}

/** A separate registry: metadata in zod's global one would end up in every JSON Schema. */
const META = z.registry<OptionMeta>()

export const metaOf = (schema: z.core.$ZodType): OptionMeta | undefined => META.get(schema)

/** `fallback` is the default. */
export function option<Schema extends z.ZodType>(
  schema: Schema,
  meta: OptionMeta & { fallback: z.core.util.NoUndefined<z.output<Schema>> },
): z.ZodDefault<Schema>
export function option<Schema extends z.ZodType>(schema: Schema, meta: OptionMeta): z.ZodOptional<Schema>
export function option(schema: z.ZodType, { fallback, ...meta }: OptionMeta & { fallback?: unknown }) {
  return withMeta(fallback === undefined ? schema.optional() : schema.default(fallback), meta)
}

/** A required option without a default. */
export const required = <Schema extends z.ZodType>(schema: Schema, meta: OptionMeta): Schema =>
  withMeta(schema.clone(), meta)

/**
 * Attaches the metadata to the schema itself: `describe` would make a copy, which takes time at every start. Each option
 * therefore needs its own schema.
 */
function withMeta<Schema extends z.ZodType>(schema: Schema, meta: OptionMeta): Schema {
  META.add(schema, meta)
  z.globalRegistry.add(schema, { description: meta.help })
  return schema
}

export type Options = Readonly<Record<string, z.ZodType>>

/** Puts options under a heading of `--help`. */
export function grouped<Shape extends Options>(group: string, shape: Shape): Shape {
  for (const schema of Object.values(shape)) META.add(schema, { ...metaOf(schema)!, group })
  return shape
}

type WithoutDefaults<Shape extends Options> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner extends z.ZodType>
    ? z.ZodOptional<Inner>
    : Shape[Name]
}

/** The same options without defaults: an omitted option is undefined, and the caller decides. */
export const withoutDefaults = <Shape extends Options>(shape: Shape): WithoutDefaults<Shape> =>
  mapShape(shape, (schema) =>
    schema instanceof z.ZodDefault ? withMeta(givenSchema(schema).optional(), metaOf(schema)!) : schema,
  )

type AsRead<Shape extends Options> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner extends z.ZodType>
    ? Inner
    : Shape[Name] extends z.ZodOptional<infer Inner extends z.ZodType>
      ? z.ZodNullable<Inner>
      : Shape[Name]
}

/** The same options for reading: all are present, and one without value and default is null. */
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

/** Like `givenSchema`, and resolves a lazy schema. */
export function valueSchema(schema: z.ZodType): z.ZodType {
  const value = givenSchema(schema)
  return value instanceof z.ZodLazy || value instanceof z.ZodReadonly ? (value.unwrap() as z.ZodType) : value
}

/** Like `valueSchema`; of a codec, such as an amount, the schema of what is written. */
export function inputSchema(schema: z.ZodType): z.ZodType {
  const value = valueSchema(schema)
  return value instanceof z.ZodPipe ? (value.in as z.ZodType) : value
}

/** One option as the command line sees it, such as `--webhook-url` for `webhook.url`. */
export interface CommandOption extends Omit<OptionMeta, 'flag' | 'fromText'> {
  /** With its dashes; for an argument, the argument itself. */
  flag: string
  /** Empty for an argument without a variable. */
  env: string
  path: readonly string[]
  /** The path with dots. */
  name: string
  shownDefault: string
  fromText: ((text: string) => unknown) | undefined
  /** The paths under which paysim.yaml may have it; the first one found wins. */
  keys: readonly (readonly string[])[]
  schema: z.ZodType
}

/** The options and arguments of a command, including those of nested objects. */
export const commandOptions = (shape: Options, command = 'start'): CommandOption[] =>
  Object.entries(shape).flatMap(([key, schema]) => optionsAt(schema, command, [key]))

/** `before`: the flag prefix of the surrounding object. */
function optionsAt(
  schema: z.ZodType,
  command: string,
  path: readonly string[],
  before: string | false = '',
  outer: Pick<OptionMeta, 'shared' | 'group'> = {},
): CommandOption[] {
  const word = path.at(-1)!.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const meta = { flag: before ? `${before}-${word}` : word, ...metaOf(schema)!, ...outer }
  const { argument, repeatable, shared, flag, group } = meta
  if (flag === false) return []
  const value = valueSchema(schema)
  if (value instanceof z.ZodObject) {
    const inherited = { ...(shared === false && { shared }), ...(group && { group }) }
    return Object.entries(value.shape as Options).flatMap(([key, part]) =>
      optionsAt(part, command, [...path, key], flag, inherited),
    )
  }
  const isStart = command === 'start'
  const env = meta.env ?? (argument ? '' : variable(isStart ? flag : `${command}-${flag}`))
  const help = [
    meta.help,
    ...(shared === false ? ['for the sandbox "default" only'] : []),
    ...(repeatable ? ['may be repeated'] : []),
  ].join('; ')
  return [
    {
      shownDefault: writtenDefault(schema),
      fromText: TEXT_READERS[value.def.type],
      ...meta,
      flag: argument ?? `--${flag}`,
      env,
      path,
      name: path.join('.'),
      help,
      keys: isStart ? [path] : [...(env ? [[command, ...path]] : []), ...(meta.env ? [path] : [])],
      schema,
    },
  ]
}

const variable = (name: string) => `PAYSIM_${name.replaceAll('-', '_').toUpperCase()}`

function writtenDefault(schema: z.ZodType): string {
  const value = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined
  if (value === false) return 'off'
  return value === undefined || (typeof value === 'object' && Object.keys(value as object).length === 0)
    ? 'none'
    : String(value)
}

// How flags, variables and forms write values

export const numberFromText = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)

const TEXT_READERS: Readonly<Record<string, (text: string) => unknown>> = {
  number: numberFromText,
  boolean: (text) => ({ 1: true, true: true, on: true, 0: false, false: false, off: false })[text] ?? text,
  array: (text) => text.split(',').map((part) => part.trim()),
}

/** The value of a text, by its schema. Text that it cannot parse is returned unchanged, and the schema refuses it. */
export function typedValue(schema: z.ZodType, text: string): unknown {
  const read = metaOf(schema)?.fromText ?? TEXT_READERS[inputSchema(schema).def.type]
  return read ? read(text) : text
}
