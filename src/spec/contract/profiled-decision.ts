/**
 * The decisions under a profile. A file apart from the contract, so that a process which only serves `/v1` does
 * not load their texts.
 */
import { DECISIONS, type Decision } from './decisions.ts'
import { changedKeys, type ProfileChanges } from './profile.ts'

export interface ProfiledDecision extends Decision {
  /** The keys of the profile that say otherwise, with their values. */
  profile: Record<string, unknown>
}

/** Each with what the profile says otherwise. */
export function decisionsUnder(changes: ProfileChanges): readonly ProfiledDecision[] {
  const changed = changedKeys(changes)
  return DECISIONS.map((decision) => ({
    ...decision,
    profile: Object.fromEntries(
      changed.filter((row) => row.decision === decision.id).map(({ key, value }) => [key, value]),
    ),
  }))
}
