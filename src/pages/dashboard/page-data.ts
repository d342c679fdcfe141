/** Data for pages that combine several results of the tester's object. */

import { ENDPOINTS, listOfKind, type OperationId, READING_IDS } from '../../spec/contract/endpoints.ts'
import type { ResourceName } from '../../spec/contract/event.ts'
import type { Page } from '../../spec/contract/pages.ts'
import { KINDS_OF_PAYMENT } from '../../spec/contract/resources/movements.ts'
import type { Repeat } from '../../tester/audit/repeats.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { ResourceRow } from '../../tester/control/resources.ts'
import type { Delivery, FoundResource, RequestExplained } from '../../tester/control/shapes.ts'
import { buildTimeline, type EventAboutResource } from './build-timeline.ts'
import { filtersOf, KINDS, type Kind } from './kinds.ts'
import type { Timeline } from './timeline-model.ts'

/** The rows on one page of a list, and the requests in a timeline. */
const RELATED_MAX = 50
export const TIMELINE_REQUESTS_MAX = 150

/** A page of a list of /v1. */
export const listResources = (
  control: SandboxControl,
  operation: OperationId,
  parameters: Readonly<Record<string, string>> = {},
): Page<ResourceRow> => JSON.parse(control.read(operation, parameters))

// The resources that name another resource

/** The lists below a resource, such as the refunds of a checkout, and then those that can be filtered by it. */
function listsOf(name: ResourceName): { kind: Kind; list: OperationId; by: string }[] {
  const below = KINDS.flatMap((kind) =>
    READING_IDS.filter((id) => {
      const row = ENDPOINTS[id]
      return row.does === 'list' && row.what === kind.name && 'of' in row && row.of === name
    }).map((list) => ({ kind, list, by: 'id' })),
  )
  const by = `${name}Id`
  const narrowed = KINDS.filter(
    (kind) => !below.some((one) => one.kind === kind) && filtersOf(kind).some((one) => one.name === by),
  )
  return [...below, ...narrowed.map((kind) => ({ kind, list: listOfKind(kind.name), by }))]
}

export const relatedLists = (control: SandboxControl, { name, resource }: FoundResource) =>
  listsOf(name).map(({ kind, list, by }) => {
    const { data } = listResources(control, list, { [by]: resource.id, limit: String(RELATED_MAX) })
    return { kind, rows: data }
  })

/** A resource, and the resources of the same order that name it, such as refunds. */
export const idsAround = (control: SandboxControl, id: string): string[] => [
  id,
  ...relatedLists(control, control.resource(id)).flatMap(({ kind, rows }) =>
    KINDS_OF_PAYMENT.some((name) => name === kind.name) ? rows.map((row) => row.id) : [],
  ),
]

export const eventsAbout = (control: SandboxControl, resourceId: string): EventAboutResource[] =>
  control.browse.eventsAbout(resourceId, RELATED_MAX) as EventAboutResource[]

/** An event with its deliveries, oldest first. */
export interface EventWithDeliveries extends EventAboutResource {
  deliveries: readonly Delivery[]
}

export const withDeliveries = (
  control: SandboxControl,
  events: readonly EventAboutResource[],
): EventWithDeliveries[] =>
  events.map((event) => ({ ...event, deliveries: control.deliveries({ eventId: event.id }) }))

// Timelines

/** The timeline of a resource and of these, which belong to it. `cut`: whether it has more requests than are shown. */
export async function timelineOf(control: SandboxControl, subject: string, ids: readonly string[]) {
  const requests = control.browse.requestsAbout(ids, TIMELINE_REQUESTS_MAX + 1)
  const explained = requests.slice(-TIMELINE_REQUESTS_MAX).map(({ id }) => control.request(id))
  const events = inOrder(
    ids.map((id) => eventsAbout(control, id)),
    explained,
  )
  const timeline = buildTimeline({
    subject,
    requests: explained,
    events,
    deliveries: withDeliveries(control, events).flatMap(({ deliveries }) => deliveries),
    backgroundResults: control.backgroundResults(),
  })
  return { timeline: await withDoubled(control, timeline), cut: requests.length > TIMELINE_REQUESTS_MAX }
}

async function withDoubled({ browse }: SandboxControl, timeline: Timeline): Promise<Timeline> {
  const doubled = await browse.doubled()
  const howOf = new Map(
    doubled.flatMap(({ requests, rule }) =>
      requests.slice(1).map((id) => [id, isOfRetry(rule) ? AGAIN[rule] : 'paid again']),
    ),
  )
  return {
    ...timeline,
    doubled: doubled.map(({ requests }) => requests),
    moments: timeline.moments.map((moment) =>
      moment.kind === 'request' && howOf.has(moment.id)
        ? { ...moment, again: howOf.get(moment.id)! }
        : moment,
    ),
  }
}

/** How a retry moved money again, by the rule that forbids it. */
const AGAIN: Readonly<Record<Repeat['rule'], string>> = {
  C1: 'retried without a key',
  C2: 'retried with a new key',
  C5: 'retried after its key was forgotten',
}
const isOfRetry = (rule: string | null): rule is Repeat['rule'] => rule !== null && rule in AGAIN

/**
 * Merges the events of several resources: by time, and at the same instant by their requests. Each list is in order already, so
 * an event without a request stays behind its predecessor.
 */
function inOrder(
  lists: readonly EventAboutResource[][],
  requests: readonly RequestExplained[],
): EventAboutResource[] {
  const ranks = new Map(requests.flatMap(({ events }, rank) => events.map(({ id }) => [id, rank] as const)))
  const ranked = lists.flatMap((events) => {
    let rank = -1
    return events.map((event) => {
      rank = ranks.get(event.id) ?? rank
      return { event, rank }
    })
  })
  return ranked
    .sort(
      (one, other) =>
        Date.parse(one.event.timestamp) - Date.parse(other.event.timestamp) || one.rank - other.rank,
    )
    .map(({ event }) => event)
}
