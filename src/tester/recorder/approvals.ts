/** Approvals by a buyer on the checkout page. They are no requests of the session, so they are found by their events. */

import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
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
  const approvedAt = Date.parse(timestamp)
  const earlier = new Set(events.slice(0, eventIndex).map(({ id }) => id))
  const byOrder = requests.findLastIndex((request) => request.events.some(({ id }) => earlier.has(id)))
  const byTime = requests.findLastIndex(({ at }) => at < approvedAt)
  const byState = requests.findLastIndex(
    (request) => request.at === approvedAt && sawPending(request, data.id),
  )
  // The buyer could only approve after an answer with the checkout's id had arrived; the first answer may
  // have been lost, and a replay arrived.
  const named = requests.findIndex(
    ({ ending, answered }) => ending === null && answered?.body.includes(data.id),
  )
  const byName = named >= 0 && requests[named]!.at <= approvedAt ? named : -1
  const earliest = Math.max(byOrder, byTime, byState, byName)
  // The approval is put as late as possible: a request that was refused in the same millisecond shows no
  // state.
  const later = new Set(events.slice(eventIndex).map(({ id }) => id))
  const next = requests.findIndex(
    (request, index) =>
      index > earliest &&
      (request.at > approvedAt ||
        request.events.some(({ id }) => later.has(id)) ||
        sawStates(request, data.id).some((status) => status !== 'pending')),
  )
  return next === -1 ? requests.length - 1 : next - 1
}

const sawPending = (request: RecordedRequest, checkoutId: string): boolean =>
  sawStates(request, checkoutId).includes('pending')

/** How a request found a resource, and how it was answered that the resource is. A replay tells what was so before. */
export function sawStates({ before, answered, verdict }: RecordedRequest, resourceId: string): unknown[] {
  // Looked for first, as reading every answer for every event would take seconds in a long session.
  if (before?.id !== resourceId && !answered?.body.includes(resourceId)) return []
  const seen = [before, verdict === 'replayed' ? null : parsedJson(answered?.body ?? '')]
  return seen.flatMap((one) => (isObject(one) && one.id === resourceId ? [one.status] : []))
}
