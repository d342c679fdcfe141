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
 * that still found the checkout pending came before the approval.
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
  const byState = requests.findLastIndex(
    (request) => request.arrivedAt === timestamp && sawPending(request, data.id),
  )
  // A buyer approves what an answer has named: the first one may have been lost, and its replay is the one that arrived.
  const named = requests.findIndex(
    ({ fault, response }) => fault === null && response?.body.includes(data.id),
  )
  const byName = named >= 0 && requests[named]!.arrivedAt <= timestamp ? named : -1
  return Math.max(byOrder, byTime, byState, byName)
}

/** It found the checkout pending, or was answered so. A replay is answered with what was so before. */
function sawPending({ before, response, verdict }: RecordedRequest, checkoutId: string): boolean {
  const seen = [before, verdict === 'replayed' ? null : parsedJson(response?.body ?? '')]
  return seen.some((one) => isObject(one) && one.id === checkoutId && one.status === 'pending')
}
