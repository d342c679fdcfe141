/**
 * Doubts, `--only doubts`: troubles with a profile instead of behaviors. Each gives another legal value to one key that the baseline
 * run has touched, as another service, or a later version of it, may: longer ids, more fields, null in them, 200 instead of 201, or
 * types of events that nobody has heard of. Tests that fail then rely on the decision of that key.
 */
import { DECISIONS } from '../../spec/contract/decisions.ts'
import { otherValueOf } from '../../spec/contract/other-value.ts'
import { changesOf, PROFILE_KEYS, type ProfileKey } from '../../spec/contract/profile.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import type { Seen } from './seen.ts'
import { isExercised, type TroubleResult } from './verdict.ts'

const DOUBTS = 'doubts'

export const isDoubt = ({ profile }: Pick<Trouble, 'profile'>): boolean => profile !== undefined

/** The doubts that `--only` can name. Not the names of fields: each client relies on those that it reads. */
export const doubtsFor = (only: readonly string[] = []): Trouble[] =>
  only.some((part) => part.startsWith(DOUBTS))
    ? PROFILE_KEYS.filter(({ path: [section] }) => section !== 'fields').map(doubtOf)
    : []

function doubtOf(row: ProfileKey): Trouble {
  const { decision, key, path } = row
  const value = otherValueOf(row)
  const sentence = `${key} is ${JSON.stringify(value)}`
  return {
    name: `${DOUBTS}:${decision}:${key}`,
    sentence,
    behaviors: [],
    profile: changesOf([{ path, value }]),
  }
}

export const isTouchedIn = (seen: readonly Pick<Seen, 'touched'>[], { name }: Trouble): boolean =>
  seen.some(({ touched }) => touched.some((key) => name.endsWith(`:${key}`)))

/** Such as `Your tests rely on D13 (Ids) and D30 (Event types)`. */
export function relianceText(results: readonly TroubleResult[]): string | undefined {
  const doubts = results.filter(({ trouble, verdict }) => isDoubt(trouble) && isExercised(verdict))
  const relied = doubts
    .filter(({ verdict }) => verdict !== 'survived')
    .map(({ trouble }) => trouble.name.split(':')[1])
  const named = Object.entries(DECISIONS).flatMap(([id, topic]) =>
    relied.includes(id) ? `${id} (${topic})` : [],
  )
  if (doubts.length === 0) return undefined
  if (named.length === 0) return 'Your tests rely on none of these guesses about the service.'
  const list = new Intl.ListFormat('en').format(named)
  return `Your tests rely on ${list}: compare them with the real service by paysim fidelity --target URL.`
}
