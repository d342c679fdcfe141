/** The timeline of an order as plain data: its requests, its other changes and the attempts to deliver its webhooks. */
import { WAITED_AFTER } from '../../spec/contract/resources/timed.ts'
import { runsOf } from '../../spec/grouping.ts'
import type { ShownEvent } from '../../tester/control/browse.ts'
import type { Delivery, RequestExplained, RequestSummary } from '../../tester/control/shapes.ts'
import { BY_TIME, type ChangeCause, causeOf, insert } from '../../tester/story/changes.ts'

/** A change of a resource, with its event. */
export interface Change {
  eventId: string
  type: string
  resourceId: string
  /** The resource's new state; null if it has no states. */
  state: string | null
  /** The behaviors that changed it or its deliveries. */
  changedBy: readonly string[]
}

/** A request in a timeline, without what only its page explains. */
export type TimelineRequest = RequestSummary & {
  events: readonly Pick<RequestExplained['events'][number], 'id' | 'type' | 'resourceId'>[]
}

/** A request, a change without one, or attempts to deliver a webhook. */
export interface Moment {
  at: number
  /** How many equal requests, or attempts with the same result, it stands for. */
  count: number
  changes: readonly Change[]
  request?: TimelineRequest
  /** Of a change without a request. */
  cause?: ChangeCause
  attempt?: {
    eventId: string
    type: string
    delivery: Delivery
    status: number | null
    place: string
  }
}

interface Sources {
  /** Oldest first, as are the events. */
  requests: readonly TimelineRequest[]
  events: readonly ShownEvent[]
  /** Actions of behaviors outside of requests. */
  backgroundResults: readonly { behavior: string; fired: boolean; subject: string }[]
}

/** In order of time; at the same instant each cause is before its effects. */
export function momentsOf({ requests, events, backgroundResults }: Sources): Moment[] {
  const states = new Map(events.map(({ id, data }) => [id, data.status]))
  const changeOf = ({ id, type, resourceId }: { id: string; type: string; resourceId: string }): Change => {
    const state = states.get(id)
    // A behavior may also have set the time at which the resource changes by itself.
    const changers = backgroundResults.filter(
      ({ fired, subject }) => fired && (subject === id || (subject === resourceId && WAITED_AFTER.has(type))),
    )
    return {
      eventId: id,
      type,
      resourceId,
      state: typeof state === 'string' ? state : null,
      changedBy: [...new Set(changers.map(({ behavior }) => behavior))],
    }
  }
  const moments = requests.map(
    (request): Moment => ({
      at: Date.parse(request.arrivedAt),
      count: 1,
      request,
      changes: request.events.map(changeOf),
    }),
  )
  const caused = new Set(requests.flatMap((request) => request.events.map(({ id }) => id)))
  const groups = runsOf(
    events,
    (first, event) =>
      caused.has(first.id) === caused.has(event.id) &&
      first.timestamp === event.timestamp &&
      BY_TIME.includes(first.type) === BY_TIME.includes(event.type),
  )
  for (const group of groups.filter(([first]) => !caused.has(first!.id))) {
    const earlier = new Set(events.slice(0, events.indexOf(group[0]!)).map(({ id }) => id))
    const moment: Moment = {
      at: Date.parse(group[0]!.timestamp),
      count: 1,
      cause: causeOf(group.map(({ type }) => type)),
      changes: group.map((event) => changeOf({ ...event, resourceId: event.data.id })),
    }
    insert(moments, moment, (eventId) => earlier.has(eventId))
  }
  // Backwards, because each is inserted directly after its event.
  for (const attempt of attemptsOf(events).reverse())
    insert(moments, attempt, (eventId) => eventId === attempt.attempt.eventId)
  return runsOf(moments, isRepeated).map((run) =>
    run.length > 1 ? { ...run[0]!, count: run.length } : run[0]!,
  )
}

/** The attempts of a delivery; neighbors with the same status are one run. */
export const attemptRuns = ({ attempts }: Delivery) =>
  runsOf(attempts, (first, attempt) => first.status === attempt.status)

const attemptsOf = (events: readonly ShownEvent[]) =>
  events.flatMap(({ id: eventId, type, deliveries }) =>
    deliveries.flatMap((delivery, index) => {
      const place = deliveries.length > 1 ? `delivery ${index + 1} of ${deliveries.length}` : ''
      return attemptRuns(delivery).map((run) => {
        const { at, status } = run[0]!
        const attempt = { eventId, type, delivery, status, place }
        return { at: Date.parse(at), count: run.length, changes: [], attempt }
      })
    }),
  )

/** A request equal to the one before it that changed nothing, such as a poll. */
const isRepeated = (first: Moment, moment: Moment): boolean =>
  first.request !== undefined &&
  moment.request !== undefined &&
  first.changes.length + moment.changes.length === 0 &&
  signature(first.request) === signature(moment.request)

const signature = ({ id, method, target, status, key, verdict, fault, fired }: TimelineRequest) =>
  status === null ? id : JSON.stringify([method, target, status, key, verdict, fault, fired])

/** Whether it got past the door. */
export const reachedOperation = ({ step }: TimelineRequest) => step === 'operation' || step === 'commit'
