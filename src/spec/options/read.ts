/** Reads the values given for options. An error is one sentence that names the option as the user gave it. */

import { existsSync } from 'node:fs'
import { z } from 'zod'
import { valueAt } from '../contract/parsed-json.ts'
import { quoted, shortened } from '../contract/shortened.ts'
import { asSentence, didYouMean } from '../contract/suggest.ts'
import {
  type CommandOption,
  commandOptions,
  metaOf,
  type OptionMeta,
  type Options,
  valueSchema,
} from './option.ts'

/** A usage error: the user must change a flag, a variable or a file. */
export class UsageError extends Error {}

export class WrongOption extends UsageError {
  /** The response status if the value came over HTTP. */
  readonly status = 400
  readonly option: string

  /**
   * The value is omitted from the sentence if it is undefined or secret, or if the rule does not start with `must`, because then
   * the name is wrong.
   */
  constructor(name: string, rule: string, value?: unknown, guess = '') {
    const isShown = value !== undefined && rule.startsWith('must')
    super(asSentence(`${shortened(name)} ${rule}${isShown ? `, not ${quoted(value)}` : ''}${guess}`))
    this.name = 'WrongOption'
    this.option = name
  }
}

/** Options are read once or twice, so compiling a parser for their schema would cost more than it saves. */
const ONCE = { jitless: true }

/** Reads one value outside an object of options, such as an argument of a call. */
export function readValue<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  name: string,
): z.output<Schema> {
  const result = schema.safeParse(given, ONCE)
  if (result.success) return result.data
  throw new WrongOption(name, result.error.issues[0]!.message, metaOf(schema)?.secret ? undefined : given)
}

/** Refuses a path, or list of paths, with nothing to read. `name`: the flag, variable or setting, if there is one. */
export function requireThere(
  { reads, bundled }: Pick<OptionMeta, 'reads' | 'bundled'>,
  given: unknown,
  name?: string,
): void {
  if (reads === undefined) return
  const isMissing = (path: unknown): path is string => typeof path === 'string' && !existsSync(path)
  const missing = [given].flat().find(isMissing)
  if (missing === undefined) return
  const names = bundled?.() ?? []
  if (names.includes(missing)) return
  const guess =
    didYouMean(missing, names) || (names.length === 0 ? '' : `; ${names.join(' and ')} comes with paysim`)
  const subject = name ? `${name} names ${reads} that does not exist` : `No such ${reads.slice('a '.length)}`
  throw new UsageError(asSentence(`${subject}: ${shortened(missing)}${guess}`))
}

/** "did you mean …" for a word that is not allowed. */
export const guessFor = (issue: z.core.$ZodIssue, value: unknown): string =>
  issue.code === 'invalid_value' ? didYouMean(String(value), issue.values.map(String)) : ''

/** Refuses an unknown option, because a misspelled one would be ignored silently. */
export function refuseUnknown(given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new WrongOption('options', 'must be an object', given)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new WrongOption(unknown, `is unknown here${didYouMean(unknown, known)}`)
}

/** Reads options given in code; an error names the property. */
export function readOptions<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  const result = schema.safeParse(given, ONCE)
  if (result.success) return result.data
  throw wrongOption(schema, result.error.issues[0]!, given)
}

/**
 * For a value with several forms zod only reports that none fits; the inner error is more useful. Not for a part that was not
 * given, because a text may be parsed as an object.
 */
export function innermost(issue: z.core.$ZodIssue, given: unknown): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const inside = issue.errors
    .flat()
    .map((nested) => ({ ...nested, path: [...issue.path, ...nested.path] }))
    .find(
      ({ path, message }) =>
        path.length > issue.path.length && valueAt(given, path) !== undefined && message.startsWith('must '),
    )
  return inside ? innermost(inside, given) : issue
}

/** A rule about several options names the missing one itself. */
const isMissing = ({ code }: z.core.$ZodIssue, value: unknown): boolean =>
  value === undefined && (code === 'invalid_type' || code === 'invalid_union' || code === 'invalid_value')

const missing = (name: string, help: string) => new WrongOption('Missing', `${name}: ${help}`)

/** The error for one issue of the schema. */
export function wrongOption(schema: z.ZodType, found: z.core.$ZodIssue, given: unknown): WrongOption {
  const issue = innermost(found, given)
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys') {
    const guess = didYouMean(issue.keys[0]!, keysAt(schema, path))
    return new WrongOption([...path, issue.keys[0]].join('.'), `is unknown here${guess}`)
  }
  // zod's own message for an option that is an object, such as webhook.
  const isNoObject = issue.code === 'invalid_type' && message.startsWith('Invalid input: expected object')
  if (path.length === 0 || isNoObject) {
    return new WrongOption(path.join('.') || 'options', 'must be an object', valueAt(given, path))
  }
  const metas = metasAt(schema, path)
  const help = metas.at(-1)?.help
  if (isMissing(issue, valueAt(given, path)) && help !== undefined) return missing(path.join('.'), help)
  const value = metas.some(({ secret }) => secret) ? undefined : valueAt(given, path)
  return new WrongOption(path.join('.'), message, value, guessFor(issue, value))
}

export const isOption = (schema: z.ZodType, path: readonly PropertyKey[]): boolean =>
  metasAt(schema, path).length > 0

/** The allowed properties of the object at a path. */
export const keysAt = (schema: z.ZodType, [key, ...rest]: readonly PropertyKey[]): string[] => {
  const value = objectOf(schema)
  if (value === undefined) return []
  if (key === undefined) return Object.keys(value.shape)
  const part = (value.shape as Options)[String(key)]
  return part ? keysAt(part, rest) : []
}

/** Also if a text is allowed instead, or the value is transformed afterwards. */
function objectOf(schema: z.ZodType): z.ZodObject | undefined {
  const value = valueSchema(schema)
  if (value instanceof z.ZodPipe) return objectOf(value.in as z.ZodType)
  const options = value instanceof z.ZodUnion ? (value.options as z.ZodType[]) : undefined
  if (options) return options.flatMap((option) => objectOf(option) ?? [])[0]
  return value instanceof z.ZodObject ? value : undefined
}

/** The metadata of every schema on the path, such as those of `webhook` and `webhook.url`. */
function metasAt(schema: z.ZodType, [key, ...rest]: readonly PropertyKey[]): OptionMeta[] {
  const value = valueSchema(schema)
  const part = value instanceof z.ZodObject ? (value.shape as Options)[String(key)] : undefined
  return [metaOf(schema) ?? [], part ? metasAt(part, rest) : []].flat()
}

/** Looks up an option in the settings file: its value, and its name for error messages. */
export type Settings = (option: CommandOption) => { name: string; value: unknown } | undefined

/** Where option values come from: a flag takes precedence over its variable, and the variable over the file. */
export interface Sources {
  /** Values as text, by the names of the options. */
  flags: Readonly<Record<string, unknown>>
  env: Readonly<Record<string, string | undefined>>
  settings?: Settings | undefined
}

/**
 * Reads and checks the options of a command from flags, the environment and a file. An empty variable counts as unset, so that a
 * container can override one of its image. Returns every option, with its default.
 */
export function resolveOptions<Shape extends Options>(
  command: string,
  shape: Shape,
  from: Sources,
): z.output<z.ZodObject<Shape>> {
  const options = commandOptions(shape, command)
  const { given, sources } = findValues(options, from)
  const result = z.object(shape).safeParse(given, ONCE)
  if (result.success) {
    for (const option of options) {
      const isWord = option.argument !== undefined && from.flags[option.name] !== undefined
      requireThere(option, valueAt(given, option.path), isWord ? undefined : sources.get(option.name)?.name)
    }
    return result.data
  }
  const mistakes = result.error.issues.map((found) => {
    const issue = innermost(found, given)
    return { issue, option: options.find(({ path }) => path.every((key, at) => key === issue.path[at]))! }
  })
  // Report a wrong value before a missing one.
  const { issue, option } = mistakes.find(({ option }) => sources.has(option.name)) ?? mistakes[0]!
  const source = sources.get(option.name)
  if (source === undefined) throw missing(option.flag, metaOf(option.schema)!.help)
  const { length } = option.path
  const value = issue.path.length > length ? valueAt(given, issue.path) : source.value
  const [first, ...others] = [value].flat()
  const shown = option.secret ? undefined : others.length === 0 ? first : value
  // Without a list index: the flag was given several times.
  const inside = issue.path.slice(length).filter((part) => typeof part === 'string')
  const name = [source.name, ...inside].join(issue.code === 'invalid_key' ? ' ' : '.')
  throw new WrongOption(name, issue.message, shown, guessFor(issue, shown))
}

/** The given values, and for each option the text and the flag, variable or setting it came from. */
function findValues(options: readonly CommandOption[], { flags, env, settings }: Sources) {
  const given: Record<string, unknown> = {}
  const sources = new Map<string, { name: string; value: unknown }>()
  for (const option of options) {
    const { name, flag, argument } = option
    const written =
      flags[name] !== undefined
        ? { name: argument ? `The ${argument.replaceAll(/[^\w-]/g, '')}` : flag, value: flags[name] }
        : env[option.env]
          ? { name: option.env, value: env[option.env] }
          : undefined
    const source = written ?? settings?.(option)
    if (source === undefined) continue
    sources.set(name, source)
    put(given, option.path, written ? fromText(option, source.value) : source.value)
  }
  return { given, sources }
}

/**
 * A repeatable flag yields a list of texts, each of which may hold several values, unless it is an argument or a path, which may
 * contain commas.
 */
function fromText({ fromText, argument, isPath }: CommandOption, text: unknown): unknown {
  if (fromText === undefined || (Array.isArray(text) && (argument || isPath))) return text
  return Array.isArray(text) ? text.flatMap(fromText) : typeof text === 'string' ? fromText(text) : text
}

function put(into: Record<string, unknown>, [key, ...rest]: CommandOption['path'], value: unknown): void {
  if (rest.length === 0) into[key!] = value
  else {
    into[key!] ??= {}
    put(into[key!] as Record<string, unknown>, rest, value)
  }
}
