/** What a retry has done a second time: the first attempt was carried out, and so was the next one. */
import { arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { retriedChainsIn, retriesOf } from './chains.ts'
import { inquiriesIn, type RequestsAndWebhooks } from './inquiries.ts'
import { isInFlight, isUnknown, type JournaledRequest, scopedKeyOf } from './picture.ts'

export interface Repeat {
  /** The two requests. */
  before: string
  after: string
  /** Why it was tried again, such as `whose answer was lost`. */
  why: string
  /** Why it was carried out again, such as `under another key`. */
  how: string
  /** The audit rule that forbids it. */
  rule: 'C1' | 'C2' | 'C5'
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
        why: whyAgain(before),
        ...howAgain(before, after),
      }))
  })
}

const isUnderOneKey = (before: JournaledRequest, after: JournaledRequest) =>
  after.key !== null && scopedKeyOf(before) === scopedKeyOf(after)

function whyAgain(request: JournaledRequest): string {
  if (request.clientLeft) return 'whose answer the client did not wait for'
  if (isInFlight(request)) return 'which was still under way'
  if (request.fault === null || arrivingUnder(request.fault) === 'whole') {
    return `which was answered ${request.status}`
  }
  return arrivingUnder(request.fault) === 'damaged'
    ? 'whose answer could not be read'
    : 'whose answer was lost'
}

function howAgain(before: JournaledRequest, after: JournaledRequest): Pick<Repeat, 'how' | 'rule'> {
  if (after.key === null) return { how: 'without a key', rule: 'C1' }
  if (isUnderOneKey(before, after)) {
    return { how: 'under the same key after it was forgotten', rule: 'C5' }
  }
  const isMoved = before.key === after.key
  return { how: isMoved ? 'on another path, where its key is another key' : 'under another key', rule: 'C2' }
}
