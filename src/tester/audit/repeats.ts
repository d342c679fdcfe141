/** What a retry has done a second time: the first attempt was carried out, and so was the next one. */
import { writes } from '../../spec/contract/endpoints.ts'
import { retriedChainsIn, retriesOf } from './chains.ts'
import { inquiriesIn, type RequestsAndWebhooks } from './inquiries.ts'
import {
  isUnknown,
  type JournaledRequest,
  scopedKeyOf,
  type UnknownOutcome,
  unknownOutcome,
} from './picture.ts'

export interface Repeat {
  /** The two requests. */
  before: string
  after: string
  /** Why it was tried again. */
  outcome: UnknownOutcome
  /** The audit rule that forbids it: without a key, under another key, or after the key was forgotten. */
  rule: 'C1' | 'C2' | 'C5'
  /** Whether it has the same key, but on another path, where that is another key. */
  isOnOtherPath: boolean
}

/** Not what the client asked for anew, under another key, when it knew that the first had been carried out. */
export function repeatsIn(picture: RequestsAndWebhooks): Repeat[] {
  return retriedChainsIn(picture).flatMap((chain) => {
    if (!writes(chain[0]!.asked.method)) return []
    const done = chain.filter(({ events }) => events.length > 0)
    return retriesOf(done)
      .filter(
        ({ before, after }) =>
          isUnknown(before) &&
          (isUnderOneKey(before, after) || !inquiriesIn(picture).wasKnownBefore(before, after)),
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
