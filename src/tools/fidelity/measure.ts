/**
 * The core of `paysim fidelity`: plays our side, compares it with the service, learns a profile, and plays our side again under
 * that profile. A difference that is then gone is explained by a key.
 */
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import type { Difference } from './comparison.ts'
import type { ServiceExchange } from './evidence.ts'
import { givenKeys, type Learned, learn } from './learn.ts'

export interface FileDifferences {
  file: string
  name: string
  /** Why the file was not compared. */
  skipped: string | undefined
  /** Why the file could not be started on one side. */
  failed: string | undefined
  differences: readonly Difference[]
  /** How many statuses, headers and values were compared. */
  observations: number
}

/** Both sides, ours under one profile. */
export interface PlayedSides {
  exchanges: readonly ServiceExchange[]
  files: readonly FileDifferences[]
  /** The exchanges that could not be played. */
  left: readonly string[]
}

/** Plays our side under a profile; the service's responses are the same in each round. */
type SidesSource = (profile: ProfileChanges) => Promise<PlayedSides>

export interface MeasuredSides {
  /** Compared under the given profile. */
  before: PlayedSides
  /** Compared under the learned profile. */
  after: PlayedSides
  learned: Learned
}

/** A name learned in one round may let our side accept more requests in the next. */
const ROUNDS_MAX = 3

export async function measure(source: SidesSource, given: ProfileChanges = {}): Promise<MeasuredSides> {
  const before = await source(given)
  let learned = givenKeys(given)
  let round = before
  let best = { after: before, learned }
  for (let rounds = 1; rounds < ROUNDS_MAX; rounds += 1) {
    const next = learn(round.exchanges, learned)
    const isKnown = JSON.stringify(next.profile) === JSON.stringify(learned.profile)
    learned = next
    if (!isKnown) round = await source(learned.profile)
    if (isKnown || differencesOf(round).length <= differencesOf(best.after).length)
      best = { after: round, learned }
    if (isKnown) break
  }
  return { before, ...best }
}

export const differencesOf = ({ files }: PlayedSides): Difference[] =>
  files.flatMap(({ differences }) => differences)
