/** Data for pages that combine several results of the tester's object. */

import { ENDPOINTS, listOfKind, type OperationId, READING_IDS } from '../../spec/contract/endpoints.ts'
import type { ResourceName } from '../../spec/contract/event.ts'
import type { Page } from '../../spec/contract/pages.ts'
import { KINDS_OF_PAYMENT } from '../../spec/contract/resources/movements.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { ResourceRow } from '../../tester/control/resources.ts'
import type { FoundResource } from '../../tester/control/shapes.ts'
import { filtersOf, KINDS, type Kind } from './kinds.ts'
import { type EventAboutResource, type EventWithDeliveries, momentsOf } from './moments.ts'
import { doubledIn } from './order-sentences.tsx'

/** The rows on one page of a list, the events of each resource, and the requests in a timeline. */
const RELATED_MAX = 50
export const EVENTS_MAX = 50
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
    (kind) => !below.some((list) => list.kind === kind) && filtersOf(kind).some(({ name }) => name === by),
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

export const withDeliveries = (
  control: SandboxControl,
  events: readonly EventAboutResource[],
): EventWithDeliveries[] =>
  events.map((event) => ({ ...event, deliveries: control.deliveries({ eventId: event.id }) }))

// Timelines

export type TimelineData = ReturnType<typeof timelineOf>['timeline']

/** The timeline of a resource and of these, which belong to it. `cut`: whether it has more requests than are shown. */
export function timelineOf(
  control: SandboxControl,
  subject: string,
  ids: readonly string[],
  events: readonly EventWithDeliveries[],
) {
  const requests = control.browse.requestsAbout(ids, TIMELINE_REQUESTS_MAX + 1)
  const timeline = {
    /** The resource of the timeline. */
    subject,
    moments: momentsOf({
      requests: requests.slice(-TIMELINE_REQUESTS_MAX).map(({ id }) => control.request(id)),
      events,
      backgroundResults: control.backgroundResults(),
    }),
    again: doubledIn(control),
  }
  return { timeline, cut: requests.length > TIMELINE_REQUESTS_MAX }
}
