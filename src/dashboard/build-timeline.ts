/** Tells the story of a resource or of a key, from what the tester's side knows of it. */
import type { Delivery, RequestExplained } from '../control/shapes.ts'
import type {
  AttemptMoment,
  ChangeMoment,
  Effect,
  RequestMoment,
  Timeline,
  TimelineMoment,
} from './timeline-model.ts'

export interface TimelineSources {
  subject: string | null
  /** In the order in which they came. */
  requests: readonly RequestExplained[]
  /** In the order in which they happened. */
  events: readonly TesterEvent[]
  deliveries: readonly Delivery[]
  /** What behaviors did, by what they did it to. */
  backgroundResults: readonly { behavior: string; fired: boolean; subject: string }[]
}

export interface TesterEvent {
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
  const deedsTo = (...ids: string[]) =>
    backgroundResults.flatMap((deed) => (deed.fired && ids.includes(deed.subject) ? [deed.behavior] : []))
  /** What was done to an event's deliveries, and to when a new refund completes. */
  const troubleOf: TroubleOf = (id, type, resourceId) =>
    type === 'refund.created' ? deedsTo(id, resourceId) : deedsTo(id)
  const causes = new Map(
    requests.flatMap((request) => request.events.map(({ id }) => [id, request.id] as const)),
  )
  const known = new Map(events.map((event) => [event.id, event]))
  const moments: TimelineMoment[] = requests.map((request) => requestMoment(request, known, troubleOf))
  for (const group of uncaused(events, causes))
    insert(moments, happening(group, troubleOf), group[0]!, events)
  for (const attempt of attemptsOf(deliveries)) insertAttempt(moments, attempt)
  return { subject, moments }
}

/** The steps after which the operation has run, or has begun to. */
const BEHIND_THE_GATE = ['operation', 'commit']

function requestMoment(
  request: RequestExplained,
  known: ReadonlyMap<string, TesterEvent>,
  troubleOf: TroubleOf,
): RequestMoment {
  const { id, arrivedAt, method, target, status, step, key, verdict, fault, fired, events } = request
  const told = new Set(events.flatMap((event) => troubleOf(event.id, event.type, event.resourceId)))
  return {
    kind: 'request',
    id,
    at: Date.parse(arrivedAt),
    method,
    path: target,
    status,
    reached: BEHIND_THE_GATE.includes(step) ? 'operation' : 'gate',
    key,
    replayed: verdict === 'replayed',
    fault,
    // What was done to its events stands beside them.
    behaviors: fired.filter((behavior) => !told.has(behavior)),
    effects: events.map(({ id: event, type, resourceId }) => ({
      eventId: event,
      type,
      resourceId,
      trouble: inWords(troubleOf(event, type, resourceId)),
      state: stateOf(known.get(event)),
    })),
  }
}

const stateOf = (event: TesterEvent | undefined): string | null =>
  typeof event?.data.status === 'string' ? event.data.status : null

type TroubleOf = (id: string, type: string, resourceId: string) => string[]

const inWords = (trouble: readonly string[]): string | null =>
  trouble.length === 0 ? null : [...new Set(trouble)].join(', ')

const effectOf = (event: TesterEvent, troubleOf: TroubleOf): Effect => ({
  eventId: event.id,
  type: event.type,
  resourceId: event.data.id,
  trouble: inWords(troubleOf(event.id, event.type, event.data.id)),
  state: stateOf(event),
})

/** Events that no request led to, those of one cause together. */
function uncaused(events: readonly TesterEvent[], causes: ReadonlyMap<string, string>): TesterEvent[][] {
  const groups: TesterEvent[][] = []
  let last: TesterEvent | undefined
  for (const event of events) {
    if (causes.has(event.id)) last = undefined
    else {
      if (last && last.timestamp === event.timestamp && isByTime(last) === isByTime(event))
        groups.at(-1)!.push(event)
      else groups.push([event])
      last = event
    }
  }
  return groups
}

const happening = (events: readonly TesterEvent[], troubleOf: TroubleOf): ChangeMoment => ({
  kind: 'happening',
  at: Date.parse(events[0]!.timestamp),
  cause: causeOf(events),
  effects: events.map((event) => effectOf(event, troubleOf)),
})

const isByTime = ({ type }: TesterEvent) => type === 'refund.completed'

/** Without a request, time completes a refund and a buyer approves. What else there is, a tester did. */
function causeOf(events: readonly TesterEvent[]): ChangeMoment['cause'] {
  if (events.every(isByTime)) return 'time'
  return events.some(({ type }) => type === 'checkout.approved') ? 'buyer' : 'tester'
}

/** By time; and at one instant after everything that led to an earlier event. */
function insert(
  moments: TimelineMoment[],
  moment: ChangeMoment,
  event: TesterEvent,
  events: readonly TesterEvent[],
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
    .flatMap(({ id, eventId, eventType, resourceId, attempts }) =>
      attempts.map(({ at, number, status }) => ({
        kind: 'attempt' as const,
        at: Date.parse(at),
        deliveryId: id,
        eventId,
        type: eventType,
        resourceId,
        number,
        status,
      })),
    )
    .sort((one, other) => one.at - other.at)
}

/** By time; and at one instant right after its event and the attempts before it. */
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
  let place = Math.max(cause + 1, from)
  while (place < end && moments[place]!.kind === 'attempt') place += 1
  moments.splice(place, 0, attempt)
}
