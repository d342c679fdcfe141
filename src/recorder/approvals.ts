/** Approvals by a buyer on the checkout page. They are no requests of the session, so they are found by their events. */
import { isObject } from '../scenario-file/matcher.ts'
import { parsedJson } from './parsed-json.ts'
import { idsIn } from './resource-ids.ts'
import type { RecordedEvent, RecordedRequest, Session } from './session.ts'

export interface Approval {
  at: string
  /** The index of the request after which it happened; -1 before the first. */
  after: number
  checkoutId: string
  method: string | null
}

export function approvalsAmong(
  { events, requests: all }: Session,
  requests: readonly RecordedRequest[],
): Approval[] {
  const ids = new Set(requests.flatMap(idsIn))
  const causedByRequests = new Set(all.flatMap((request) => request.events.map(({ id }) => id)))
  return events.flatMap((event, index) => {
    const { id, type, data, timestamp } = event
    if (type !== 'checkout.approved' || causedByRequests.has(id) || !ids.has(data.id)) return []
    const method = typeof data.paymentMethodType === 'string' ? data.paymentMethodType : null
    return [{ at: timestamp, after: requestBefore(requests, events, index), checkoutId: data.id, method }]
  })
}

/**
 * The index of the last request before an event. At the same millisecond the order of the events decides, and a request
 * that was still answered `pending` came before the approval.
 */
function requestBefore(
  requests: readonly RecordedRequest[],
  events: readonly RecordedEvent[],
  eventIndex: number,
): number {
  const { timestamp, data } = events[eventIndex]!
  const earlier = new Set(events.slice(0, eventIndex).map(({ id }) => id))
  const byOrder = requests.findLastIndex((request) => request.events.some(({ id }) => earlier.has(id)))
  const byTime = requests.findLastIndex(({ arrivedAt }) => arrivedAt < timestamp)
  let after = Math.max(byOrder, byTime)
  for (
    let next = requests[after + 1];
    next?.arrivedAt === timestamp && saysPending(next, data.id);
    next = requests[after + 1]
  ) {
    after += 1
  }
  return after
}

function saysPending({ response }: RecordedRequest, checkoutId: string): boolean {
  const answer = parsedJson(response?.body ?? '')
  return isObject(answer) && answer.id === checkoutId && answer.status === 'pending'
}
