/** Gathers from a sandbox what a page shows, through the tester's object and nothing else. */
import { requestNumber } from '../contract/ids.ts'
import type { SandboxControl } from '../control/control.ts'
import type { Inspector } from '../control/inspector.ts'
import type { FoundResource } from '../control/lookup.ts'
import type { Delivery, RequestExplained, RequestSummary } from '../control/shapes.ts'
import { buildTimeline, type TesterEvent } from './build-timeline.ts'
import { KINDS, kindOf } from './kinds.ts'
import type { Belonging, ResourceRow } from './resources.tsx'
import type { Timeline } from './timeline-model.ts'
import type { Subject } from './timeline-page.tsx'

/** More than anybody reads of one thing. */
const BELONGING_MAX = 50
const STORY_MAX = 150

/** A sandbox as the dashboard holds it. */
export interface Near {
  control: SandboxControl
  inspect: Inspector
}

interface ListAnswer {
  data: ResourceRow[]
  nextCursor: string | null
}

export function list(
  { inspect }: Pick<Near, 'inspect'>,
  operation: string,
  asked: { params?: Record<string, string>; query?: Record<string, string> } = {},
): ListAnswer {
  return JSON.parse(inspect.read(operation, asked)) as ListAnswer
}

// What points at a resource

const POINTING: {
  [Name in FoundResource['name']]?: { kind: string; operation: string; by: 'path' | string }[]
} = {
  checkout: [{ kind: 'refund', operation: 'checkouts.refunds', by: 'path' }],
  authorization: [{ kind: 'refund', operation: 'refunds.list', by: 'authorizationId' }],
  customer: [
    { kind: 'payment_method', operation: 'paymentMethods.list', by: 'path' },
    { kind: 'checkout', operation: 'checkouts.list', by: 'customerId' },
    { kind: 'authorization', operation: 'authorizations.list', by: 'customerId' },
  ],
}

export function belongings(near: Near, { name, resource }: FoundResource): Belonging[] {
  return (POINTING[name] ?? []).map(({ kind, operation, by }) => {
    const limit = String(BELONGING_MAX)
    const { data } =
      by === 'path'
        ? list(near, operation, { params: { id: resource.id }, query: { limit } })
        : list(near, operation, { query: { [by]: resource.id, limit } })
    return { kind: kindOf(kind as FoundResource['name']), rows: data }
  })
}

export const eventsAbout = ({ control }: Near, resourceId: string): TesterEvent[] =>
  control.events({ resourceId, limit: BELONGING_MAX }) as TesterEvent[]

export const deliveriesOf = ({ control }: Near, events: readonly { id: string }[]): Delivery[] =>
  events.flatMap(({ id }) => control.deliveries({ eventId: id }))

/** The request that led to an event, if one did. */
export const causeOf = ({ control }: Near, event: TesterEvent): string | undefined =>
  control
    .requests({ resource: event.data.id, limit: STORY_MAX })
    .find(({ id }) => control.request(id).events.some((led) => led.id === event.id))?.id

// Stories

export interface LinkedTimeline {
  story: Timeline
  cut: boolean
}

/** A resource with the refunds that were taken from it: their lives are part of its own. */
export function timelineOf(near: Near, id: string): LinkedTimeline {
  const { control, inspect } = near
  const found = inspect.resource(id)
  const refunds = belongings(near, found).flatMap(({ kind, rows }) => (kind.name === 'refund' ? rows : []))
  const ids = [id, ...refunds.map((refund) => refund.id)]
  const requests = mergeRequests(ids.flatMap((resource) => control.requests({ resource, limit: STORY_MAX })))
  const explained = requests.slice(-STORY_MAX).map((request) => control.request(request.id))
  const events = inOrder(
    ids.map((resource) => eventsAbout(near, resource)),
    explained,
  )
  const story = buildTimeline({
    subject: id,
    requests: explained,
    events,
    deliveries: deliveriesOf(near, events),
    backgroundResults: inspect.backgroundResults(),
  })
  return { story, cut: requests.length > STORY_MAX }
}

export function timelineOfKey(near: Near, key: string): LinkedTimeline {
  const { control, inspect } = near
  const requests = control.requests({ key, limit: STORY_MAX + 1 })
  const explained = requests.slice(-STORY_MAX).map(({ id }) => control.request(id))
  const events = explained.flatMap((request) =>
    request.events.map(({ id }) => JSON.parse(inspect.read('events.get', { params: { id } })) as TesterEvent),
  )
  const story = buildTimeline({
    subject: null,
    requests: explained,
    events,
    deliveries: deliveriesOf(near, events),
    backgroundResults: inspect.backgroundResults(),
  })
  return { story, cut: requests.length > STORY_MAX }
}

const numberOf = ({ id }: RequestSummary) => requestNumber(id)

function mergeRequests(requests: readonly RequestSummary[]): RequestSummary[] {
  const unique = new Map(requests.map((request) => [request.id, request]))
  return [...unique.values()].sort((one, other) => numberOf(one) - numberOf(other))
}

/**
 * Events of several resources in one order: by time, and at one instant by the requests that led to them. Each list is
 * in its own order already, so what no request led to stays behind what came before it there.
 */
function inOrder(lists: readonly TesterEvent[][], requests: readonly RequestExplained[]): TesterEvent[] {
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

// What a timeline can be drawn of

export function subjects(near: Near): Subject[] {
  return KINDS.filter(({ page }) => page === 'checkouts' || page === 'authorizations').flatMap(
    ({ list: operation }) =>
      list(near, operation, { query: { limit: '10' } }).data.map(({ id, status, orderId, externalId }) => ({
        id,
        state: typeof status === 'string' ? status : undefined,
        known: [orderId, externalId].filter(Boolean).join(' · '),
      })),
  )
}

const KEYS_LOOKED_AT = 1000
const KEYS_SHOWN = 15

export function usedKeys({ control }: Near): { key: string; uses: number }[] {
  const uses = new Map<string, number>()
  for (const { key } of control.requests({ limit: KEYS_LOOKED_AT })) {
    if (key !== null) uses.set(key, (uses.get(key) ?? 0) + 1)
  }
  return [...uses]
    .filter(([, count]) => count > 1)
    .slice(-KEYS_SHOWN)
    .map(([key, count]) => ({ key, uses: count }))
    .reverse()
}
