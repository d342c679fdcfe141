/**
 * A profile: the decisions as values, so that a person who knows the real service can correct them without code. The table of its
 * keys makes the schema and the output of `paysim profile`; contract.ts makes the contract.
 */

import { z } from 'zod'
import { contradictions } from './contradictions.ts'
import { valueAt } from './parsed-json.ts'
import { isKey, type KeyDefinition, type Parts, type SectionDefinition } from './profile-key.ts'
import { PROFILE_TABLE, type Profile } from './profile-table.ts'
import type { ResourceField } from './resources/field.ts'
import { BY_NAME } from './resources/index.ts'

export type { Profile }

/** The given part: only differences from the defaults. */
export type ProfileChanges = ChangesOf<typeof PROFILE_TABLE>

type ChangesOf<Inner> = { [Name in keyof Inner]?: ChangeOf<Inner[Name]> | undefined }
type ChangeOf<Part> =
  Part extends KeyDefinition<infer Value>
    ? Value
    : Part extends SectionDefinition<infer Inner>
      ? ChangesOf<Inner>
      : never

/** The defaults with these changes. */
export const completed = (changes: ProfileChanges): Profile => merged(PROFILE_TABLE, changes) as Profile

const merged = (parts: Parts, changes: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const change = changes[name]
      if (!isKey(part)) return [name, merged(part.parts, change as Record<string, unknown>)]
      return [name, change === undefined ? part.fallback : change]
    }),
  )

export interface ProfileKey extends KeyDefinition<unknown> {
  /** With dots, such as `ids.length`. */
  readonly key: string
  readonly path: readonly string[]
}

/** The tables of the resources that the service creates to complete a body. */
const COMPLETED = BY_NAME.flatMap(({ fields }) => Object.values<ResourceField>(fields)).map(
  ({ options, references }) => options.sent === 'completed' && references,
)
/** What the tour never sees, because it acts as a platform: a kind that only a tester creates, and the read of one. */
const UNSEEN = BY_NAME.filter(({ tester, table }) => tester && !COMPLETED.includes(table)).flatMap(
  ({ name, collection }): string[] => [name, `${collection}.get`],
)

const keysIn = (parts: Parts, outer: readonly string[] = []): ProfileKey[] =>
  Object.entries(parts).flatMap(([name, part]) => {
    const path = [...outer, name]
    if (!isKey(part)) return keysIn(part.parts, path)
    const isUnseen = part.learned === 'tour' && path.some((word) => UNSEEN.includes(word))
    return [{ ...part, ...(isUnseen && { learned: 'sometimes' as const }), key: path.join('.'), path }]
  })

/** Every key, in display order. */
export const PROFILE_KEYS: readonly ProfileKey[] = keysIn(PROFILE_TABLE)

/** The keys whose value differs from the default, with both values. */
export const changedKeys = (changes: ProfileChanges): (ProfileKey & { value: unknown })[] =>
  PROFILE_KEYS.flatMap((row) => {
    const value = valueAt(changes, row.path)
    const isChanged = value !== undefined && JSON.stringify(value) !== JSON.stringify(row.fallback)
    return isChanged ? [{ ...row, value }] : []
  })

function schemaOf(parts: Parts): z.ZodType {
  const shape = Object.entries(parts).map(([name, part]) =>
    isKey(part)
      ? [name, part.schema.optional().describe(`${part.help} (${part.decision})`)]
      : [name, schemaOf(part.parts).optional().describe(part.help)],
  )
  return z.strictObject(Object.fromEntries(shape), 'must be keys as paysim profile prints them')
}

/** The changes that give these keys these values. */
export function changesOf(rows: readonly (Pick<ProfileKey, 'path'> & { value: unknown })[]): ProfileChanges {
  const tree: Record<string, unknown> = {}
  for (const { path, value } of rows) {
    let inner = tree
    for (const name of path.slice(0, -1)) {
      inner[name] ??= {}
      inner = inner[name] as Record<string, unknown>
    }
    inner[path.at(-1)!] = value
  }
  return tree
}

/** Both sets of changes; the second wins. */
export function bothProfiles(
  first: ProfileChanges | undefined,
  second: ProfileChanges | undefined,
): ProfileChanges | undefined {
  if (first === undefined || second === undefined) return second ?? first
  const rows = PROFILE_KEYS.flatMap(({ path }) => {
    const value = valueAt(second, path) ?? valueAt(first, path)
    return value === undefined ? [] : [{ path, value }]
  })
  return changesOf(rows)
}

/**
 * The schema of a profile: any of the keys. Lazy, because it is large and only a program with a profile needs
 * it.
 */
export const ProfileChanges = z.lazy(() =>
  (schemaOf(PROFILE_TABLE) as z.ZodType<ProfileChanges, ProfileChanges>)
    .superRefine((changes, { issues }) => {
      for (const { path, message } of contradictions(completed(changes)))
        issues.push({ code: 'custom', input: changes, path: [...path], message })
    })
    .meta({ id: 'Profile', description: 'Keys as paysim profile prints them' }),
)
// `optional()` would read `optin` of the inner schema, which evaluates the lazy one at every start.
ProfileChanges._zod.optin = undefined
