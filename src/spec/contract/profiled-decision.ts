/**
 * The decisions under a profile. Separate from the contract, so that a process that only serves `/v1` does not load their texts.
 */
import { DECISIONS, type Decision } from './decisions.ts'
import { changedKeys, type ProfileChanges } from './profile.ts'

export interface ProfiledDecision extends Decision {
  /** The profile's keys that change the decision, with their values. */
  profile: Record<string, unknown>
}

/** Each with the profile's changes. */
export function decisionsUnder(changes: ProfileChanges): readonly ProfiledDecision[] {
  const changed = changedKeys(changes)
  return DECISIONS.map((decision) => ({
    ...decision,
    profile: Object.fromEntries(
      changed.filter((row) => row.decision === decision.id).map(({ key, value }) => [key, value]),
    ),
  }))
}
