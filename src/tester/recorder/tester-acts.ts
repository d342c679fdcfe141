/**
 * A buyer's or tester's acts between the requests: approved a checkout, attached a payment method, completed a refund. These are
 * not requests of the session, so they are found by their events.
 */

import { DURATION_MAX_MS, formatDuration, parseDuration } from '../../spec/contract/duration.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { idsIn } from './resource-ids.ts'
import type { RecordedEvent, RecordedRequest, Session } from './session.ts'

export interface TesterAct {
  at: string
  /** The index of the request after which it happened; -1 before the first. */
  after: number
  /** The words of its `sim` step, with the session's ids. */
  command: Readonly<Record<string, string>>
  /** The resource that it is about. */
  subject: string
  /** The resource that it created, which a later request may name. */
  made: string | null
}

type Act = Pick<TesterAct, 'command' | 'subject' | 'made'>

/** `refundDelay`: the recording's, see {@link refundDelayOf}. */
export function actsAmong(
  session: Session,
  requests: readonly RecordedRequest[],
  refundDelay: string,
): TesterAct[] {
  const { events } = session
  const ids = new Set(requests.flatMap(idsIn))
  const causes = new Map(session.requests.flatMap((request) => request.events.map(({ id }) => [id, request])))
  const isByHand = refundDelay === NEVER

  /** An approval includes its payment method. */
  const isOfApproval = ({ timestamp, data }: RecordedEvent) =>
    events.some(
      (one) =>
        one.type === 'checkout.approved' &&
        one.timestamp === timestamp &&
        one.data.paymentMethodId === data.id,
    )

  function actOf(event: RecordedEvent): Act | undefined {
    const { id, type, data } = event
    if (type === 'refund.completed' && isByHand)
      return { command: { complete: data.id }, subject: data.id, made: null }
    if (causes.has(id)) return undefined
    if (type === 'checkout.approved') {
      const method = data.paymentMethodType
      const command = { approve: data.id, ...(typeof method === 'string' && { method }) }
      return { command, subject: data.id, made: null }
    }
    if (type !== 'payment_method.attached' || isOfApproval(event)) return undefined
    const customer = String(data.customerId)
    return { command: { attach: customer, type: String(data.type) }, subject: customer, made: data.id }
  }

  return events.flatMap((event, index) => {
    const act = actOf(event)
    if (!act || !ids.has(act.subject)) return []
    const cause = requests.indexOf(causes.get(event.id)!)
    const after = cause >= 0 ? cause - 1 : requestBefore(requests, events, index, act.subject)
    return [{ ...act, at: event.timestamp, after }]
  })
}

/** Nothing completes automatically any more. */
const NEVER = formatDuration(DURATION_MAX_MS)

/** On a busy machine a refund completes some milliseconds after it is due. */
const LATE_MS = 1_000

/**
 * The sandbox's own delay if each refund completed when it was due, and none if each completed at its creation. Otherwise a
 * tester or a behavior decided: in the recording each refund completes by a step.
 */
export function refundDelayOf(
  { events, refundDelay, armed = [] }: Session,
  requests: readonly RecordedRequest[],
): string {
  // A behavior of the file completes them.
  if (armed.some(({ do: words }) => 'transition' in words)) return refundDelay
  const ids = new Set(requests.flatMap(idsIn))
  const refunds = events
    .filter(({ type, data }) => type === 'refund.created' && ids.has(data.id))
    .map(({ id, timestamp, data }) => {
      const due = Date.parse(timestamp) + parseDuration(refundDelay)
      const completed = events.find((one) => one.type === 'refund.completed' && one.data.id === data.id)
      const completedAt = completed === undefined ? Number.NaN : Date.parse(completed.timestamp)
      const latestPending = requests.findLast((request) => sawPending(request, data.id))?.at ?? 0
      const isTooLate = (completedAt || latestPending) >= due + LATE_MS
      const wasAtOnce = requests.some((request) =>
        [id, completed?.id].every((one) => request.events.some((event) => event.id === one)),
      )
      return { wasDue: !isTooLate && !(completedAt < due), wasAtOnce }
    })
  if (refunds.every(({ wasDue }) => wasDue)) return refundDelay
  return refunds.every(({ wasAtOnce }) => wasAtOnce) ? '0s' : NEVER
}

/**
 * The index of the last request before an event. Within a millisecond the order of the events decides, and a request that still
 * found the resource pending came before the event.
 */
function requestBefore(
  requests: readonly RecordedRequest[],
  events: readonly RecordedEvent[],
  eventIndex: number,
  subject: string,
): number {
  const happenedAt = Date.parse(events[eventIndex]!.timestamp)
  const earlier = new Set(events.slice(0, eventIndex).map(({ id }) => id))
  const byOrder = requests.findLastIndex((request) => request.events.some(({ id }) => earlier.has(id)))
  const byTime = requests.findLastIndex(({ at }) => at < happenedAt)
  const byState = requests.findLastIndex(
    (request) => request.at === happenedAt && sawPending(request, subject),
  )
  // It was only possible after a response with the resource's id had arrived; if the first response was lost, a replay's.
  const named = requests.findIndex(
    ({ ending, answered }) => ending === null && answered?.body.includes(subject),
  )
  const byName = named >= 0 && requests[named]!.at <= happenedAt ? named : -1
  const earliest = Math.max(byOrder, byTime, byState, byName)
  // As late as possible, because a request refused in the same millisecond shows no state.
  const later = new Set(events.slice(eventIndex).map(({ id }) => id))
  const next = requests.findIndex(
    (request, index) =>
      index > earliest &&
      (request.at > happenedAt ||
        request.events.some(({ id }) => later.has(id)) ||
        sawStates(request, subject).some((status) => status !== 'pending')),
  )
  return next === -1 ? requests.length - 1 : next - 1
}

const sawPending = (request: RecordedRequest, id: string): boolean =>
  sawStates(request, id).includes('pending')

/** The resource as a request found it, and as its response reported it. A replay reports the earlier state. */
export function sawStates({ before, answered, verdict }: RecordedRequest, resourceId: string): unknown[] {
  // Checked first, because reading every response for every event would take seconds in a long session.
  if (before?.id !== resourceId && !answered?.body.includes(resourceId)) return []
  const seen = [before, verdict === 'replayed' ? null : parsedJson(answered?.body ?? '')]
  return seen.flatMap((one) => (isObject(one) && one.id === resourceId ? [one.status] : []))
}
