/**
 * A buyer's or tester's acts between the requests: approved a checkout, attached a payment method, made a move. These are
 * not requests of the session, so they are found by their events.
 */

import { DURATION_MAX_MS, formatDuration } from '../../spec/contract/duration.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { TESTER_ACTS } from '../../spec/contract/resources/by-tester.ts'
import { checkout } from '../../spec/contract/resources/checkout.ts'
import { byDelayOption, type DelayOption, eventsBefore } from '../../spec/contract/resources/timed.ts'
import { idsIn } from './resource-ids.ts'
import type { RecordedEvent, RecordedRequest, Session } from './session.ts'

export interface TesterAct {
  at: string
  /** The index of the request after which it happened; -1 before the first. */
  after: number
  /** The words of its `sim` step, with the session's ids. */
  command: Readonly<Record<string, unknown>>
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
    const act = TESTER_ACTS.find(({ kind, state }) => `${kind}.${state}` === type)
    const option = act?.move?.by === 'time' ? (act.move.option as DelayOption) : undefined
    if (act?.move && (option === undefined || delays[option] === NEVER))
      return { command: { [act.word]: data.id }, subject: data.id, made: null, from: act.move.from }
    if (causes.has(id)) return undefined
    if (type === 'checkout.approved') {
      const method = data.paymentMethodType
      const command = { approve: data.id, ...(typeof method === 'string' && { method }) }
      return { command, subject: data.id, made: null, from: checkout.moves.approve.from }
    }
    if (!act || act.move || isOfApproval(event)) return undefined
    const subject = String(data[`${act.of}Id`])
    const options = Object.keys(act.options.shape)
      .map((name) => [name, data[name]])
      .filter(([, value]) => value !== null)
    const command = { [act.word]: subject, ...Object.fromEntries(options) }
    return { command, subject, made: data.id, from: [] }
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

/**
 * How long timed moves take in the recording: none if each was made by the request that it waited for. Otherwise each is made by a
 * step, unless the file arms the behaviors of the session, which may make them.
 */
export function delaysOf({ events, delays, armed }: Session, requests: readonly RecordedRequest[]): Delays {
  const ids = new Set(requests.flatMap(idsIn))
  return byDelayOption((option, move) => {
    const before = eventsBefore(move)
    const waiting = events.filter(({ type, data }) => before.includes(type) && ids.has(data.id))
    if (armed || waiting.length === 0) return delays[option]
    const wasImmediate = waiting.every(({ id, data }) =>
      requests.some(
        ({ events }) =>
          events.some((event) => event.id === id) &&
          events.some(({ type, resourceId }) => type === move.event && resourceId === data.id),
      ),
    )
    return wasImmediate ? '0s' : NEVER
  })
}

/**
 * The index of the last request before an act: as late as possible, because its resource must be known first, but before the first
 * request that shows its effect. Within a millisecond the order of the events decides.
 */
function requestBefore(
  requests: readonly RecordedRequest[],
  events: readonly RecordedEvent[],
  eventIndex: number,
  { subject, from, made }: Act,
): number {
  const { type, timestamp } = events[eventIndex]!
  const happenedAt = Date.parse(timestamp)
  const earlier = new Set(events.slice(0, eventIndex).map(({ id }) => id))
  const later = new Set(events.slice(eventIndex).map(({ id }) => id))
  const state = type.split('.').at(-1)!
  // It may have arrived before the act, and was held.
  const shows = (request: RecordedRequest) => sawStates(request, subject).includes(state)
  const latest = requests.findLastIndex(
    (request) =>
      (request.at < happenedAt && !shows(request)) || request.events.some(({ id }) => earlier.has(id)),
  )
  const next = requests.findIndex(
    (request, index) =>
      index > latest &&
      (request.at > happenedAt ||
        shows(request) ||
        request.events.some(({ id }) => later.has(id)) ||
        // A list may show what the act made.
        (made !== null && request.answered?.body.includes(made)) ||
        sawStates(request, subject).some((status) => !from.includes(String(status)))),
  )
  return (next === -1 ? requests.length : next) - 1
}

/** The resource as a request found it, and as its response reported it. A replay reports the earlier state. */
function sawStates({ before, answered, verdict }: RecordedRequest, resourceId: string): unknown[] {
  // Checked first, because reading every response for every event would take seconds in a long session.
  if (before?.id !== resourceId && !answered?.body.includes(resourceId)) return []
  const seen = [before, verdict === 'replayed' ? null : parsedJson(answered?.body ?? '')]
  return seen.flatMap((seenState) =>
    isObject(seenState) && seenState.id === resourceId ? [seenState.status] : [],
  )
}
