/** Puts requests, events and deliveries of a resource or of a key into one order. */
import { arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { isByTime } from '../../spec/contract/resources/timed.ts'
import { exchangeOf } from '../../tester/control/exchange-of.ts'
import type { Delivery, RequestExplained } from '../../tester/control/shapes.ts'
import { runsOf } from './text.ts'
import type {
  AttemptMoment,
  ChangeMoment,
  Effect,
  RequestMoment,
  Timeline,
  TimelineMoment,
} from './timeline-model.ts'

interface TimelineSources {
  subject: string
  /** Oldest first. */
  requests: readonly RequestExplained[]
  /** Oldest first. */
  events: readonly EventAboutResource[]
  deliveries: readonly Delivery[]
  /** Actions of behaviors outside of requests. */
  backgroundResults: readonly { behavior: string; fired: boolean; subject: string }[]
}

export interface EventAboutResource {
  id: string
  type: string
  timestamp: string
  data: { id: string } & Readonly<Record<string, unknown>>
}

export function buildTimeline({
  subject,
  requests,
  events,
  deliveries,
  backgroundResults,
}: TimelineSources): Timeline {
  const behaviorsThatChanged = (...ids: string[]) =>
    backgroundResults.flatMap(({ behavior, fired, subject: changed }) =>
      fired && ids.includes(changed) ? [behavior] : [],
    )
  /** The behaviors that changed the deliveries of an event, or the time when a new refund completes. */
  const changersOf: ChangersOf = (id, type, resourceId) =>
    type === 'refund.created' ? behaviorsThatChanged(id, resourceId) : behaviorsThatChanged(id)
  const causes = new Map(
    requests.flatMap((request) => request.events.map(({ id }) => [id, request.id] as const)),
  )
  const eventsById = new Map(events.map((event) => [event.id, event]))
  const moments: TimelineMoment[] = requests.map((request) => requestMoment(request, eventsById, changersOf))
  for (const group of uncaused(events, causes))
    insert(moments, changeMoment(group, changersOf), group[0]!, events)
  for (const attempt of attemptsOf(deliveries)) insertAttempt(moments, attempt)
  return { subject, moments }
}

/** The steps of the door in which the operation runs. */
const OPERATION_STEPS = ['operation', 'commit']

function requestMoment(
  request: RequestExplained,
  eventsById: ReadonlyMap<string, EventAboutResource>,
  changersOf: ChangersOf,
): RequestMoment {
  const { id, status, step, key, verdict, fault, fired, events } = request
  const changedLater = new Set(events.flatMap((event) => changersOf(event.id, event.type, event.resourceId)))
  return {
    ...exchangeOf(request),
    kind: 'request',
    id,
    status,
    reached: OPERATION_STEPS.includes(step) ? 'operation' : 'door',
    key,
    replayed: verdict === 'replayed',
    arrives: arrivingUnder(fault),
    // A behavior that changed an event or its deliveries is named next to the event.
    behaviors: fired.filter((behavior) => !changedLater.has(behavior)),
    effects: events.map((event) => effectOf(event, eventsById.get(event.id), changersOf)),
  }
}

type ChangersOf = (id: string, type: string, resourceId: string) => string[]

function effectOf(
  { id, type, resourceId }: { id: string; type: string; resourceId: string },
  event: EventAboutResource | undefined,
  changersOf: ChangersOf,
): Effect {
  const state = event?.data.status
  return {
    eventId: id,
    type,
    resourceId,
    changedBy: [...new Set(changersOf(id, type, resourceId))],
    state: typeof state === 'string' ? state : null,
  }
}

/** Events without a request. Simultaneous events with the same cause are one group. */
const uncaused = (
  events: readonly EventAboutResource[],
  causes: ReadonlyMap<string, string>,
): EventAboutResource[][] =>
  runsOf(
    events,
    (one, other) =>
      causes.has(one.id) === causes.has(other.id) &&
      one.timestamp === other.timestamp &&
      isByTime(one.type) === isByTime(other.type),
  ).filter(([first]) => !causes.has(first!.id))

const changeMoment = (events: readonly EventAboutResource[], changersOf: ChangersOf): ChangeMoment => ({
  kind: 'change',
  at: Date.parse(events[0]!.timestamp),
  cause: causeOf(events),
  effects: events.map((event) => effectOf({ ...event, resourceId: event.data.id }, event, changersOf)),
})

/** The cause of an event without a request: a due refund, a buyer's approval of a checkout, or unknown. */
function causeOf(events: readonly EventAboutResource[]): ChangeMoment['cause'] {
  if (events.every(({ type }) => isByTime(type))) return 'time'
  return events.some(({ type }) => type === 'checkout.approved') ? 'buyer' : 'unknown'
}

/** Inserts by time; at the same instant, after the moments of earlier events. */
function insert(
  moments: TimelineMoment[],
  moment: ChangeMoment,
  event: EventAboutResource,
  events: readonly EventAboutResource[],
): void {
  const earlier = new Set(events.slice(0, events.indexOf(event)).map(({ id }) => id))
  const byOrder = moments.findLastIndex(
    (other) => other.kind !== 'attempt' && other.effects.some(({ eventId }) => earlier.has(eventId)),
  )
  const byTime = moments.findLastIndex(({ at }) => at < moment.at)
  moments.splice(Math.max(byOrder, byTime) + 1, 0, moment)
}

function attemptsOf(deliveries: readonly Delivery[]): AttemptMoment[] {
  return deliveries
    .flatMap(({ id, eventId, eventType, resourceId, attempts }) => {
      const ofEvent = deliveries.filter((other) => other.eventId === eventId)
      const place = ofEvent.findIndex((other) => other.id === id) + 1
      const delivery = ofEvent.length > 1 ? `${place} of ${ofEvent.length}` : null
      return attempts.map(({ at, number, status }) => ({
        kind: 'attempt' as const,
        at: Date.parse(at),
        deliveryId: id,
        eventId,
        type: eventType,
        resourceId,
        number,
        delivery,
        status,
      }))
    })
    .sort((one, other) => one.at - other.at)
}

/** Inserts by time; at the same instant, directly after its event and the earlier attempts. */
function insertAttempt(moments: TimelineMoment[], attempt: AttemptMoment): void {
  const later = moments.findIndex(({ at }) => at > attempt.at)
  const end = later === -1 ? moments.length : later
  const from = moments.findIndex(({ at }) => at === attempt.at)
  if (from === -1) {
    moments.splice(end, 0, attempt)
    return
  }
  const cause = moments.findLastIndex((moment) =>
    moment.kind === 'attempt'
      ? moment.at === attempt.at && moment.eventId === attempt.eventId
      : moment.effects.some(({ eventId }) => eventId === attempt.eventId),
  )
  let index = Math.max(cause + 1, from)
  while (index < end && moments[index]!.kind === 'attempt') index += 1
  moments.splice(index, 0, attempt)
}
