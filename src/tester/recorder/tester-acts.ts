/**
 * A buyer's or tester's acts between the requests: approved a checkout, attached a payment method, made a move. These are
 * not requests of the session, so they are found by their events.
 */

import { DURATION_MAX_MS, formatDuration, parseDuration } from '../../spec/contract/duration.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { TESTER_MOVES } from '../../spec/contract/resources/by-tester.ts'
import { checkout } from '../../spec/contract/resources/checkout.ts'
import {
  byDelayOption,
  type DelayOption,
  eventsBefore,
  type TimedMove,
} from '../../spec/contract/resources/timed.ts'
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

interface Act extends Pick<TesterAct, 'command' | 'subject' | 'made'> {
  /** The states of the subject before it. */
  from: readonly string[]
}

type Delays = Session['delays']

/** `delays`: the recording's, see {@link delaysOf}. */
export function actsAmong(
  session: Session,
  requests: readonly RecordedRequest[],
  delays: Delays,
): TesterAct[] {
  const { events } = session
  const ids = new Set(requests.flatMap(idsIn))
  const causes = new Map(session.requests.flatMap((request) => request.events.map(({ id }) => [id, request])))

  /** An approval includes its payment method. */
  const isOfApproval = ({ timestamp, data }: RecordedEvent) =>
    events.some(
      (approval) =>
        approval.type === 'checkout.approved' &&
        approval.timestamp === timestamp &&
        approval.data.paymentMethodId === data.id,
    )

  function actOf(event: RecordedEvent): Act | undefined {
    const { id, type, data } = event
    const made = TESTER_MOVES.find(({ event }) => event === type)
    if (made && (made.row.by !== 'time' || delays[made.row.option as DelayOption] === NEVER))
      return { command: { [made.move]: data.id }, subject: data.id, made: null, from: made.row.from }
    if (causes.has(id)) return undefined
    if (type === 'checkout.approved') {
      const method = data.paymentMethodType
      const command = { approve: data.id, ...(typeof method === 'string' && { method }) }
      return { command, subject: data.id, made: null, from: checkout.moves.approve.from }
    }
    if (type !== 'payment_method.attached' || isOfApproval(event)) return undefined
    const customer = String(data.customerId)
    const command = { attach: customer, type: String(data.type) }
    return { command, subject: customer, made: data.id, from: [] }
  }

  return events.flatMap((event, index) => {
    const act = actOf(event)
    if (!act || !ids.has(act.subject)) return []
    const cause = requests.indexOf(causes.get(event.id)!)
    const after = cause >= 0 ? cause - 1 : requestBefore(requests, events, index, act)
    return [{ ...act, at: event.timestamp, after }]
  })
}

/** Nothing completes automatically any more. */
const NEVER = formatDuration(DURATION_MAX_MS)

/** On a busy machine a timed move is made some milliseconds after it is due. */
const LATE_MS = 1_000

export const delaysOf = (session: Session, requests: readonly RecordedRequest[]): Delays =>
  byDelayOption((_, move) => delayOf(session, requests, move))

/**
 * The sandbox's own delay if each resource was moved when it was due, and none if each was moved immediately. Otherwise a
 * tester or a behavior decided: in the recording each is moved by a step.
 */
function delayOf(
  { events, delays, armed = [] }: Session,
  requests: readonly RecordedRequest[],
  move: TimedMove,
): string {
  const delay = delays[move.option]
  // A behavior of the file makes the moves.
  if (armed.some(({ do: words }) => 'transition' in words)) return delay
  const ids = new Set(requests.flatMap(idsIn))
  const before = eventsBefore(move)
  const waiting = events
    .filter(({ type, data }) => before.includes(type) && ids.has(data.id))
    .map(({ id, timestamp, data }) => {
      const due = Date.parse(timestamp) + parseDuration(delay)
      const moved = events.find(({ type, data: { id } }) => type === move.event && id === data.id)
      const movedAt = moved === undefined ? Number.NaN : Date.parse(moved.timestamp)
      const latestWaiting = requests.findLast((request) => sawOneOf(move.from, request, data.id))?.at ?? 0
      const isTooLate = (movedAt || latestWaiting) >= due + LATE_MS
      const wasAtOnce = requests.some((request) =>
        [id, moved?.id].every((eventId) => request.events.some((event) => event.id === eventId)),
      )
      return { wasDue: !isTooLate && !(movedAt < due), wasAtOnce }
    })
  if (waiting.every(({ wasDue }) => wasDue)) return delay
  return waiting.every(({ wasAtOnce }) => wasAtOnce) ? '0s' : NEVER
}

/**
 * The index of the last request before an event. Within a millisecond the order of the events decides, and a request that still
 * found the resource in its earlier state came before the event.
 */
function requestBefore(
  requests: readonly RecordedRequest[],
  events: readonly RecordedEvent[],
  eventIndex: number,
  { subject, from, made }: Act,
): number {
  const happenedAt = Date.parse(events[eventIndex]!.timestamp)
  const earlier = new Set(events.slice(0, eventIndex).map(({ id }) => id))
  const byOrder = requests.findLastIndex((request) => request.events.some(({ id }) => earlier.has(id)))
  const byTime = requests.findLastIndex(({ at }) => at < happenedAt)
  const byState = requests.findLastIndex(
    (request) => request.at === happenedAt && sawOneOf(from, request, subject),
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
        // A list may show what the act made.
        (made !== null && request.answered?.body.includes(made)) ||
        sawStates(request, subject).some((status) => !from.includes(String(status)))),
  )
  return next === -1 ? requests.length - 1 : next - 1
}

export const sawOneOf = (states: readonly string[], request: RecordedRequest, id: string): boolean =>
  sawStates(request, id).some((status) => states.includes(String(status)))

/** The resource as a request found it, and as its response reported it. A replay reports the earlier state. */
function sawStates({ before, answered, verdict }: RecordedRequest, resourceId: string): unknown[] {
  // Checked first, because reading every response for every event would take seconds in a long session.
  if (before?.id !== resourceId && !answered?.body.includes(resourceId)) return []
  const seen = [before, verdict === 'replayed' ? null : parsedJson(answered?.body ?? '')]
  return seen.flatMap((seenState) =>
    isObject(seenState) && seenState.id === resourceId ? [seenState.status] : [],
  )
}
