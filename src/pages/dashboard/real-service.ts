/**
 * The exchanges with a real service that the dashboard shows beside the sandbox `default`; `paysim shadow`
 * provides them.
 */

import type { Answered, Asked } from '../../spec/exchange.ts'

export interface IdPair {
  theirs: string
  ours: string
}

export interface ShadowDifference {
  /** The place of the difference, such as `$.status` or `the header location`. */
  path: string
  kind: string
  theirs: string
  ours: string
  /** As a person would say it. */
  sentence: string
}

export interface ShadowedExchange extends Pick<Asked, 'method' | 'target' | 'body'> {
  /** Counted from 1. */
  number: number
  /** When it was answered, in milliseconds. */
  at: number
  theirs: Pick<Answered, 'status' | 'body'>
  ours: Pick<Answered, 'status' | 'body'> & { requestId: string | undefined }
  /** The ids in it that stand for one another. */
  ids: readonly IdPair[]
  differences: readonly ShadowDifference[]
  /** Why parts could not be compared. */
  notes: readonly string[]
  /** The bodies were removed to make room for newer ones. */
  bodiesForgotten?: true
}

/** A key of a profile, with the value that the service shows. */
export interface ShownKey {
  key: string
  value: unknown
}

/** A difference, and the key of a profile that would mend it. */
export interface MendableDifference extends ShadowDifference {
  mendedBy: ShownKey | undefined
}

/** A profile of the service, as learned so far. */
interface LearnedProfile {
  keys: readonly ShownKey[]
  /** Differences that no key explains, and contradictions. */
  remarks: readonly string[]
}

export interface RealService {
  /** The address of the service. */
  readonly target: string
  readonly count: number
  readonly differing: number
  /** The newest first. */
  latest(limit: number): readonly ShadowedExchange[]
  find(number: number): ShadowedExchange | undefined
  learned(): LearnedProfile
  differencesOf(exchange: ShadowedExchange): readonly MendableDifference[]
}
