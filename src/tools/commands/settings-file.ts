/** `paysim.yaml`, next to package.json, may set any option. Flags and variables take precedence. */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { z } from 'zod'
import { readBySchema } from '../../sandbox/scenario-file/explain-issues.ts'
import { problemSentence } from '../../sandbox/scenario-file/file-problem.ts'
import { ScenarioError, SourceFile } from '../../sandbox/scenario-file/source-file.ts'
import { valueAt } from '../../spec/contract/parsed-json.ts'
import { ProfileChanges } from '../../spec/contract/profile.ts'
import { Fixture } from '../../spec/options/fixture.ts'
import { type CommandOption, commandOptions, givenSchema } from '../../spec/options/option.ts'
import type { Settings } from '../../spec/options/read.ts'
import { nonEmptyText } from '../../spec/options/values.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { COMMANDS } from '../options/commands.ts'

/** Reads a settings file; throws an error with line and column for each mistake. */
export function readSettings(file: string, here: string): Settings {
  const shown = relative(here, file) || file
  const source = new SourceFile(readTextFile(file), shown)
  const content = source.content ?? {}
  const { problems } = readBySchema(settingsSchema(), content, { jitless: true })
  if (problems.length > 0)
    throw new ScenarioError(problems.map((problem) => source.locate(problem, problemSentence(problem))))
  const toHere = (path: string) =>
    isAbsolute(path) ? path : relative(here, join(dirname(file), path)) || '.'
  return (option) => {
    const key = option.keys.find((path) => valueAt(content, path) !== undefined)
    if (key === undefined) return undefined
    const value = valueAt(content, key)
    const { line, column } = source.locate({ path: [...key], of: 'value' }, '')
    const name = `${shown}:${line}:${column}: ${key.join('.')}`
    const moved = option.isPath && dirname(file) !== here ? relocated(option, value, toHere) : value
    return { name, value: moved }
  }
}

/**
 * The value may be a file, `KIND=FILE`, a list of those, or a file for each kind. A file's content, which may be given instead,
 * is returned unchanged.
 */
function relocated(option: CommandOption, value: unknown, toHere: (path: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => relocated(option, part, toHere))
  if (typeof value === 'string') {
    const [, kind = '', path = ''] = /^((?:junit|json|html)=)?(.*)$/s.exec(value)!
    // `demo` is a bundled fixture, unless a file of that name exists.
    return option.bundled && !existsSync(toHere(path)) ? value : `${kind}${toHere(path)}`
  }
  if (option.name !== 'reports') return value
  return Object.fromEntries(Object.entries(value as object).map(([kind, path]) => [kind, toHere(path)]))
}

/** Commands whose options cannot be set in the file. */
const WITHOUT_SECTION = ['health', 'profile', 'sign', 'init', 'completion']

/** Options that name a file, and may have the file's content here instead. */
const CONTENTS: Readonly<Record<string, z.ZodType>> = { fixture: Fixture, profile: ProfileChanges }

function inFile({ name, schema, help }: CommandOption): z.ZodType {
  const content = CONTENTS[name]
  const value = content ? z.union([nonEmptyText('a file'), content]) : givenSchema(schema)
  return value.optional().describe(help)
}

interface Section {
  [key: string]: Section | z.ZodType
}

/** Every option, at each path where the file may set it. */
function sections(): Section {
  const top: Section = {}
  const put = (option: CommandOption, [key, ...rest]: readonly string[], into: Section): void => {
    into[key!] ??= rest.length > 0 ? {} : inFile(option)
    if (rest.length > 0) put(option, rest, into[key!] as Section)
  }
  for (const [name, { options }] of Object.entries(COMMANDS)) {
    if (WITHOUT_SECTION.includes(name)) continue
    // audit.audit.ignore has the rules of audit.ignore.
    for (const option of commandOptions(options, name))
      for (const key of option.keys) if (key[0] !== key[1]) put(option, key, top)
  }
  return top
}

const schemaOf = (section: Section): z.ZodObject =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(section).map(([key, entry]) => [
        key,
        entry instanceof z.ZodType ? entry : schemaOf(entry).optional(),
      ]),
    ),
  )

let made: z.ZodObject | undefined
function settingsSchema(): z.ZodObject {
  made ??= schemaOf(sections())
  return made
}

export const settingsJsonSchema = (): Record<string, unknown> => ({
  ...z.toJSONSchema(settingsSchema(), { io: 'input', target: 'draft-7', unrepresentable: 'any' }),
  title: 'Settings of paysim',
})
