/** Effects that a retry repeated: the first attempt succeeded, and so did the next one. */
import { writes } from '../../spec/contract/endpoints.ts'
import { retriedChainsIn, retriesOf } from './chains.ts'
import { inquiriesIn, isKnownBefore } from './inquiries.ts'
import {
  isUnknown,
  type JournaledRequest,
  type Picture,
  scopedKeyOf,
  type UnknownOutcome,
  unknownOutcome,
} from './picture.ts'

export interface Repeat {
  /** The two requests. */
  before: string
  after: string
  /** Why the client retried. */
  outcome: UnknownOutcome
  /** The audit rule that forbids it: without a key, under another key, or after the key was forgotten. */
  rule: 'C1' | 'C2' | 'C5'
  /** Whether it has the same key on another path, where it is a different key. */
  isOnOtherPath: boolean
}

/** Excludes a new request under another key from a client that knew that the first had succeeded. */
export function repeatsIn(picture: Pick<Picture, 'requests' | 'deliveries'>): Repeat[] {
  return retriedChainsIn(picture).flatMap((chain) => {
    if (!writes(chain[0]!.asked.method)) return []
    const done = chain.filter(({ events }) => events.length > 0)
    return retriesOf(done)
      .filter(
        ({ before, after }) =>
          isUnknown(before) &&
          (isUnderOneKey(before, after) || !isKnownBefore(inquiriesIn(picture).knownOf(before), after)),
      )
      .map(({ before, after }) => ({
        before: before.id,
        after: after.id,
        outcome: unknownOutcome(before)!,
        rule: after.key === null ? 'C1' : isUnderOneKey(before, after) ? 'C5' : 'C2',
        isOnOtherPath: before.key === after.key,
      }))
  })
}

const isUnderOneKey = (before: JournaledRequest, after: JournaledRequest) =>
  after.key !== null && scopedKeyOf(before) === scopedKeyOf(after)
