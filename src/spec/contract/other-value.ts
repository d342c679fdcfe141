/** Another legal value for a key of a profile, to find out what a change of it affects. */
import { z } from 'zod'
import type { ProfileKey } from './profile.ts'

/** The first of some values that the key's schema accepts and that is not its default. */
export function otherValueOf({ schema, fallback, path }: ProfileKey): unknown {
  const isOther = (value: unknown) =>
    JSON.stringify(value) !== JSON.stringify(fallback) && schema.safeParse(value).success
  const value = [...valuesLike(fallback), ...optionsOf(schema), ...OF_COLLECTIONS].find(isOther)
  if (value === undefined) throw new Error(`no other value for ${path.join('.')}`)
  return value
}

function valuesLike(fallback: unknown): unknown[] {
  if (typeof fallback === 'boolean') return [!fallback]
  if (typeof fallback === 'number') return [fallback + 8, fallback - 1]
  if (Array.isArray(fallback)) return fallback.map((_, index) => fallback.toSpliced(index, 1)).toReversed()
  if (typeof fallback !== 'string') return []
  return [fallback.replace(/^\/v1\//, '/v1/other/'), `${fallback}Other`, `${fallback}!`, ...OF_STRINGS]
}

const OF_STRINGS = ['EUR', '9s', 'sha256=']
const OF_COLLECTIONS = [
  { addedField: 'added' },
  { addedField: { type: 'text' } },
  ['updatedAt'],
  ['timestamp'],
]

const optionsOf = (schema: z.ZodType): readonly unknown[] =>
  schema instanceof z.ZodLiteral || schema instanceof z.ZodEnum
    ? [...('values' in schema ? schema.values : schema.options)].reverse()
    : []
