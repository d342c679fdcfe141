/** `paysim profile`: the guesses that are values, as a file to correct; and what such a file changes. */
import { parseDocument, visit, type YAMLMap } from 'yaml'
import { DECISIONS } from '../../spec/contract/decisions.ts'
import { changedKeys, PROFILE_KEYS, ProfileChanges, type ProfileKey } from '../../spec/contract/profile.ts'
import { UsageError, wrongOption } from '../../spec/options/read.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { keyLines, written } from '../fidelity/profile-text.ts'
import type { Resolved } from '../options/commands.ts'
import { printText } from './terminal.ts'

export async function profile({ check }: Resolved<'profile'>): Promise<void> {
  printText(check === undefined ? profileText().trimEnd() : checkText(await readProfile(check)))
}

/**
 * Reads a profile from its file, or takes one that is given as an object; a mistake is one sentence that
 * names the key.
 */
export async function readProfile(file: string | ProfileChanges): Promise<ProfileChanges> {
  if (typeof file !== 'string') return file
  return parseProfile(readTextFile(file), file)
}

export function parseProfile(text: string, file: string): ProfileChanges {
  // A file with nothing but comments changes nothing.
  const given = parsed(text, file) ?? {}
  const result = ProfileChanges.safeParse(given)
  if (result.success) return result.data
  const issue = result.error.issues[0]!
  if (issue.path.length === 0 && issue.code !== 'unrecognized_keys')
    throw new UsageError(`${file} ${issue.message}.`)
  throw new UsageError(`${file}: ${wrongOption(ProfileChanges, issue, given).message}`)
}

/** A profile with every key and its comments has 10 KB. */
const PROFILE_MAX_CHARS = 1_000_000

function parsed(text: string, file: string): unknown {
  if (text.length > PROFILE_MAX_CHARS)
    throw new UsageError(`${file} has more than 1 MB, so it is no profile.`)
  // Duplicate keys are looked for here: the library compares each key with each other one, which takes
  // minutes for 50,000.
  const document = parseDocument(text, { uniqueKeys: false })
  const [wrong] = document.errors
  if (wrong)
    throw new UsageError(`${file} is no YAML: ${wrong.message.split('\n', 1)[0]!.replace(/:$/, '')}.`)
  visit(document, { Map: (_, map) => requireDistinct(map, file) })
  try {
    return document.toJS()
  } catch {
    throw new UsageError(`${file} has aliases, such as *a, that stand for too much; write the values out.`)
  }
}

function requireDistinct({ items }: YAMLMap, file: string): void {
  const names = new Set<string>()
  for (const { key } of items) {
    const name = String(key)
    if (names.has(name)) throw new UsageError(`${file} has the key ${name} twice.`)
    names.add(name)
  }
}

const HEAD = `# Every guess of paysim that is a value, with its decision. Correct what is wrong, and take out the rest:
# paysim start --profile FILE. A key that is left out keeps its default.
`

/** The defaults as a file; a comment above each key says what it is. */
export const profileText = (): string =>
  `${HEAD}${keyLines(
    PROFILE_KEYS.map((row) => ({
      path: row.path,
      value: row.fallback,
      comment: `${row.decision}: ${row.help}`,
    })),
  )}\n`

/** What a profile changes, a line for each key. */
export function checkText(changes: ProfileChanges): string {
  const changed = changedKeys(changes)
  if (changed.length === 0) return 'It changes nothing.'
  return changed.map(changeText).join('\n')
}

const changeText = ({ key, value, fallback, decision }: ProfileKey & { value: unknown }): string =>
  `${key} is ${written(value)}, not ${written(fallback)} (${decision}, ${topicOf(decision)})`

const topicOf = (id: string): string => DECISIONS.find((decision) => decision.id === id)!.topic
