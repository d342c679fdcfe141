/** `paysim profile`: prints every configurable assumption as a file to correct, and what such a file changes. */
import { problemLine, SourceFile } from '../../sandbox/scenario-file/source-file.ts'
import { DECISIONS } from '../../spec/contract/decisions.ts'
import { changedKeys, PROFILE_KEYS, ProfileChanges, type ProfileKey } from '../../spec/contract/profile.ts'
import { innermost, UsageError, wrongOption } from '../../spec/options/read.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { keyLines, written } from '../fidelity/profile-text.ts'
import type { Resolved } from '../options/commands.ts'
import { printText } from './terminal.ts'

export async function profile({ check }: Resolved<'profile'>): Promise<void> {
  printText(check === undefined ? profileText().trimEnd() : checkText(await readProfile(check)))
}

/** Reads a profile from a file, or returns one given as an object. A mistake is reported in a sentence that names the key. */
export async function readProfile(file: string | ProfileChanges): Promise<ProfileChanges> {
  if (typeof file !== 'string') return file
  return parseProfile(readTextFile(file), file)
}

export function parseProfile(text: string, file: string): ProfileChanges {
  const source = new SourceFile(text, file)
  // A file with only comments changes nothing.
  const given = source.content ?? {}
  const result = ProfileChanges.safeParse(given)
  if (result.success) return result.data
  const issue = innermost(result.error.issues[0]!, given)
  const isUnknown = issue.code === 'unrecognized_keys'
  const path = isUnknown ? [...issue.path, issue.keys[0]!] : issue.path
  const message =
    path.length === 0 ? `a profile ${issue.message}.` : wrongOption(ProfileChanges, issue, given).message
  throw new UsageError(problemLine(source.locate({ path, of: isUnknown ? 'key' : 'value' }, message)))
}

const HEAD = `# Every configurable assumption of paysim, with its decision. Correct what is wrong and delete the rest:
# paysim start --profile FILE. A missing key keeps its default.
`

/** The defaults as a file, with a comment above each key. */
export const profileText = (): string =>
  `${HEAD}${keyLines(
    PROFILE_KEYS.map((row) => ({
      path: row.path,
      value: row.fallback,
      comment: `${row.decision}: ${row.help}`,
    })),
  )}\n`

/** The changes of a profile, one line for each key. */
export function checkText(changes: ProfileChanges): string {
  const changed = changedKeys(changes)
  if (changed.length === 0) return 'It changes nothing.'
  return changed.map(changeText).join('\n')
}

const changeText = ({ key, value, fallback, decision }: ProfileKey & { value: unknown }): string =>
  `${key} is ${written(value)}, not ${written(fallback)} (${decision}, ${DECISIONS[decision]})`
