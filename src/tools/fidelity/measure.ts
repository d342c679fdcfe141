/**
 * The core of `paysim fidelity`: plays our side, compares it with the service, learns a profile, and plays our side again under
 * that profile. A difference that is then gone is explained by a key.
 */
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import type { Difference } from './comparison.ts'
import type { ServiceExchange } from './evidence.ts'
import { givenKeys, learn } from './learn.ts'

/** The comparison of a scenario file or a recording. */
export interface FileDifferences {
  file: string
  name: string
  /** Why it was not compared. */
  skipped?: string | undefined
  /** Why it could not be played on one side. */
  failed?: string | undefined
  differences: readonly Difference[]
  /** How many statuses, headers and values were compared. */
  observations: number
}

/** Both sides, ours under one profile. */
export interface PlayedSides {
  exchanges: readonly ServiceExchange[]
  files: readonly FileDifferences[]
}

/** Plays our side under a profile; the service's responses are the same in each round. */
type SidesSource = (profile: ProfileChanges) => Promise<PlayedSides>

export type MeasuredSides = Awaited<ReturnType<typeof measure>>

/** A name learned in one round may let our side accept more requests in the next. */
const ROUNDS_MAX = 3

/** `before`: compared under the given profile; `after`: under the learned one. */
export async function measure(source: SidesSource, given: ProfileChanges = {}) {
  const before = await source(given)
  let learned = learn([], givenKeys(given))
  let round = before
  let best = { after: before, learned }
  for (let rounds = 1; rounds < ROUNDS_MAX; rounds += 1) {
    const next = learn(round.exchanges, learned.found)
    const isKnown = JSON.stringify(next.profile) === JSON.stringify(learned.profile)
    learned = next
    if (!isKnown) round = await source(learned.profile)
    if (isKnown || differencesIn(round.files).length <= differencesIn(best.after.files).length)
      best = { after: round, learned }
    if (isKnown) break
  }
  return { before, ...best }
}

export const differencesIn = (files: readonly FileDifferences[]): Difference[] =>
  files.flatMap(({ differences }) => differences)
