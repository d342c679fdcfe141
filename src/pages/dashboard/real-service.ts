/** What the dashboard shows where the sandbox `default` is played beside a real service; `paysim shadow` hands it in. */

import type { Answered, Asked } from '../../spec/exchange.ts'

export interface IdPair {
  theirs: string
  ours: string
}

export interface ShadowDifference {
  /** Where, such as `$.status` or `the header location`. */
  path: string
  kind: string
  theirs: string
  ours: string
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
  /** What could not be compared. */
  notes: readonly string[]
  /** The bodies are empty, as newer ones took their room. */
  bodiesForgotten?: true
}

/** A difference, and the key of a profile that would mend it. */
export interface MendableDifference extends ShadowDifference {
  mendedBy: { key: string; value: unknown } | undefined
}

/** What a profile of the service would say. */
export interface LearnedProfile {
  keys: readonly { key: string; value: unknown }[]
  /** What no key says, or does not agree. */
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
