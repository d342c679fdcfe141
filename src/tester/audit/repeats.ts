/** Effects that a retry repeated: the first attempt succeeded, and so did the next one. */
import { retriedChainsIn, retriesOf } from './chains.ts'
import { inquiriesIn, isKnownBefore } from './inquiries.ts'
import { isUnknown, type JournaledRequest, type Picture, scopedKeyOf, unknownOutcome } from './picture.ts'

export type Repeat = ReturnType<typeof repeatsIn>[number]

/** Excludes a new request under another key from a client that knew that the first had succeeded. */
export function repeatsIn(picture: Pick<Picture, 'requests' | 'deliveries'>) {
  return retriedChainsIn(picture).flatMap((chain) =>
    retriesOf(chain.filter(({ events }) => events.length > 0))
      .filter(
        ({ before, after }) =>
          isUnknown(before) &&
          (isUnderOneKey(before, after) || !isKnownBefore(inquiriesIn(picture).knownOf(before), after)),
      )
      .map(({ before, after }) => ({
        before: before.id,
        after: after.id,
        /** Why the client retried. */
        outcome: unknownOutcome(before)!,
        rule: ruleOf(before, after),
        /** The key is the same, but the path is not, so it counts as another key (D32). */
        isOnOtherPath: before.key === after.key,
      })),
  )
}

/** The audit rule that forbids it: without a key, after the key was forgotten, or under another key. */
function ruleOf(before: JournaledRequest, after: JournaledRequest): 'C1' | 'C2' | 'C5' {
  if (after.key === null) return 'C1'
  return isUnderOneKey(before, after) ? 'C5' : 'C2'
}

const isUnderOneKey = (before: JournaledRequest, after: JournaledRequest) =>
  after.key !== null && scopedKeyOf(before) === scopedKeyOf(after)
