/**
 * The audit, and the data of the dashboard's pages for sandboxes of any size: a part of each list with its count, due work in
 * groups, and a search. Each of these reads a bounded number of rows.
 */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { parseInput } from '../../service/door/request.ts'
import { queryOfTable } from '../../service/operations/plain.ts'
import { operationsUnder } from '../../service/operations/table.ts'
import { tableOf } from '../../service/operations/unit.ts'
import type { Standing } from '../../service/store/deliveries.ts'
import type { EventRow } from '../../service/store/events.ts'
import type { LookBack } from '../../service/store/look-back.ts'
import type { Store } from '../../service/store/store.ts'
import type { ListQuery } from '../../service/store/table.ts'
import { listOfKind } from '../../spec/contract/endpoints.ts'
import { found } from '../../spec/contract/errors.ts'
import type { ResourceName } from '../../spec/contract/event.ts'
import { moneyText } from '../../spec/contract/money.ts'
import type { Page } from '../../spec/contract/pages.ts'
import { DEFINITIONS, RESOURCE_NAMES } from '../../spec/contract/resources/index.ts'
import { TIMED_WORK, type TimedWork, timedMove } from '../../spec/contract/resources/timed.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import type { RecordedEvent } from '../recorder/session.ts'
import { platformAudit } from './audit.ts'
import { dueWork } from './due.ts'
import { deliveryOf, eventOf, latest, messageOf, movementOf, placeOfCursor, sums } from './history.ts'
import { EventFilter } from './inputs.ts'
import { nameOf, openedOrderOf, orders } from './orders.ts'
import { readParameters } from './read-input.ts'
import type { RequestFilter } from './request-filter.ts'
import { countRequests, requestsAbout } from './requests.ts'
import { type ResourceRow, shownResource } from './resources.ts'
import { find } from './search.ts'
import type { Delivery, DueWork, FoundResource } from './shapes.ts'
import { orderOf, rowsOfPayment } from './stories.ts'

/** Newest first. */
export interface Part<Row> extends Page<Row> {
  count: Count
}

/** `isAll`: false if there may be more, further back. */
export interface Count {
  count: number
  isAll: boolean
}

interface PartQuery<Filter extends string> {
  where?: { readonly [Name in Filter]?: string | undefined }
  cursor?: string | undefined
  limit: number
}

/** Work of the same kind on the same thing; `first` is due first. */
export interface DueGroup {
  /** In words, such as `webhook refund.completed` or `refund of $25.00 completes`. */
  what: string
  count: number
  /** The resource that it is about, or the held request. */
  resourceId: string
  /** Null for work that waits for a tester. */
  at: string | null
}

/** An event in the default words under every profile, with its deliveries, oldest first. */
export interface ShownEvent extends RecordedEvent {
  deliveries: readonly Delivery[]
}

/** The highest count; more is written as `10,000+`. */
const COUNTED_MOST = 10_000
/** How many due items are read to form the groups. */
const DUE_LOOKED_AT = 500
/** The rows around a resource: events, messages and refunds are limited for each resource. */
export const REQUESTS_AROUND_MAX = 150
const EVENTS_MAX = 50
const MESSAGES_MAX = 20
const NAMING_MAX = 50
/** The highest count of failing events, because every page counts them. */
const TROUBLED_MOST = 1_000

export type Browse = ReturnType<typeof browse>

export function browse(internals: Sandbox) {
  const audit = platformAudit(internals)
  const { journal, behaviors } = internals
  const database = () => internals.committedStore()
  const shownEvent = (row: EventRow): ShownEvent => {
    const event = eventOf(row)
    const own = translationOf(internals.contract)?.event(event)
    return {
      ...((own ? { ...own, timestamp: formatInstant(row.createdAt) } : event) as RecordedEvent),
      deliveries: database()
        .deliveries.ofEvent(row.id)
        .map((delivery) => deliveryOf(internals, delivery)),
    }
  }
  return {
    audit,
    /** A text that changes whenever a page may have something new to show. */
    get state() {
      const { clock } = internals
      const { arrived, forgotten, inFlight } = journal
      const time = clock.frozen ? clock.now() : 'runs'
      return [database().version, arrived, forgotten, inFlight.length, time].join('.')
    },
    countRequests: (filter: RequestFilter) => countRequests(journal, filter),
    /** How many rows the list of a kind under /v1 has with these filters. */
    countListed: (kind: ResourceName, parameters: Readonly<Record<string, string>>) =>
      countListed(internals, kind, parameters),
    events: (query: PartQuery<'type' | 'delivery'>) => part(database().events.lookBack, query, shownEvent),
    /** The events as sent, in the profile's words, each with its id. */
    sentEvents: (filter: EventFilter) => latest(database().events, readParameters(EventFilter, filter)),
    /** With the request behind it; null for later work, a buyer's or a tester's act. */
    event(id: string) {
      const row = found(database().events.find(id), 'Event')
      const request = [...journal.newestFirst()].find(({ events }) => events.some((made) => made.id === id))
      return { ...shownEvent(row), request: request?.id ?? null }
    },
    /** Orders, newest first, each with the worst that happened to it. */
    orders: (query: { cursor?: string | undefined; limit: number }) =>
      orders(internals, query, audit.doubled()),
    order: (id: string) => openedOrderOf(internals, id, audit.doubled()),
    /** The platform's name for the order that an id belongs to. */
    orderName(id: string): string | undefined {
      const store = database()
      const name = orderOf(internals, store, id)
      const nameless = name === undefined ? undefined : store.authorizations.find(name)
      if (nameless) return nameOf(nameless)
      return name === id ? undefined : name
    },
    /** How many events are being retried, and how many were given up. */
    troubled: () => troubled(database()),
    /** What happened to a resource and to those that name it, such as its refunds: the latest of each. */
    around(id: string) {
      const store = database()
      const { events, outbox } = store
      const kind = internals.contract.ids.kindOf(id) as ResourceName
      const naming = rowsOfPayment(store, kind, id, NAMING_MAX).toReversed()
      const ids = [id, ...naming.map(({ row }) => row.id)]
      const requests = requestsAbout(journal, ids, REQUESTS_AROUND_MAX + 1)
      return {
        /** In the order of arrival. `cut`: whether there are more. */
        requests: requests
          .slice(-REQUESTS_AROUND_MAX)
          .map((request) => ({ ...request, events: journal.find(request.id)!.events })),
        cut: requests.length > REQUESTS_AROUND_MAX,
        backgroundResults: behaviors.backgroundResults
          .list()
          .map(({ behavior, fired, subject }) => ({ behavior, fired, subject })),
        /** Oldest first. */
        events: ids
          .flatMap((resourceId) => events.newest({ resourceId, limit: EVENTS_MAX }))
          .map((row) => ({ row, seq: events.seqOf(row.id)! }))
          .sort((a, b) => a.seq - b.seq)
          .map(({ row }) => shownEvent(row)),
        /** Newest first. */
        messages: ids
          .flatMap((relatedId) => outbox.lookBack.look({ where: { relatedId }, limit: MESSAGES_MAX }).data)
          .sort((a, b) => b.createdAt - a.createdAt)
          .map((row) => messageOf(internals, row)),
      }
    },
    /** The newest resources that name this one, by kind; its children first. */
    naming({ name, resource: { id } }: FoundResource) {
      const field = `${name}Id`
      const isChild = (kind: ResourceName) => Number(DEFINITIONS[kind].parent?.name === name)
      return RESOURCE_NAMES.filter((kind) => field in DEFINITIONS[kind].fields)
        .toSorted((a, b) => isChild(b) - isChild(a))
        .map((kind) => ({
          kind,
          rows: tableOf(database(), kind)
            .newest({ [field]: id, limit: NAMING_MAX })
            .map((row): ResourceRow => shownResource(internals, { name: kind, row })),
        }))
    },
    messages: (query: PartQuery<'template' | 'relatedId'>) =>
      part(database().outbox.lookBack, query, (row) => messageOf(internals, row)),
    message(id: string) {
      const row = database().outbox.find(id)
      return row && messageOf(internals, row)
    },
    eventOfDelivery: (id: string) => database().deliveries.find(id)?.eventId,
    movements: (query: PartQuery<'kind'>) => part(database().ledger.lookBack, query, movementOf),
    sums: () => sums(internals),
    /** What is due next, and how much is due in total. */
    due: (groups: number) => dueGroups(internals, groups),
    find: (text: string) => find(internals, text),
  }
}

function troubled({ deliveries }: Store) {
  const count = (standing: Standing): Count => {
    const found = deliveries.countStanding(standing, TROUBLED_MOST)
    return { count: found, isAll: found < TROUBLED_MOST }
  }
  return { failing: count('failing'), givenUp: count('failed') }
}

function part<Row, Filter extends string, Shown>(
  list: LookBack<Row, Filter>,
  { where, cursor, limit }: PartQuery<Filter>,
  shown: (row: Row & { seq: number }) => Shown,
): Part<Shown> {
  const page = list.look({ where, cursor: placeOfCursor(cursor), limit })
  return { ...page, data: page.data.map(shown), count: list.count(where) }
}

function countListed(
  internals: Sandbox,
  kind: ResourceName,
  parameters: Readonly<Record<string, string>>,
): Count {
  const { contract } = internals
  const operation = operationsUnder(contract.inOwnWords).find(({ id }) => id === listOfKind(kind))!
  const { query } = parseInput(operation, {}, {}, new URLSearchParams(parameters).toString())
  const table = tableOf(internals.committedStore(), kind)
  const asked = queryOfTable(contract.addedFilters(kind), query as ListQuery)
  const count = table.countUpTo(COUNTED_MOST + 1, asked)
  return { count: Math.min(count, COUNTED_MOST), isAll: count <= COUNTED_MOST }
}

function dueGroups(internals: Sandbox, most: number): { groups: DueGroup[]; inAll: number } {
  const store = internals.committedStore()
  const groups = new Map<string, DueGroup>()
  const { due, inAll } = dueWork(internals, most === 1 ? 1 : DUE_LOOKED_AT)
  for (const { at, kind, subject } of due) {
    const { what, resourceId } = WORK[kind](store, subject, internals.contract.currency)
    const group = groups.get(what)
    if (group) group.count += 1
    else {
      if (groups.size === most) continue
      groups.set(what, { what, count: 1, resourceId, at })
    }
  }
  return { groups: [...groups.values()], inAll }
}

type AboutWork = (store: Store, id: string, currency: string) => { what: string; resourceId: string }

/** Such as `refund of $25.00 completes`. */
function aboutMove(work: TimedWork): AboutWork {
  const { kind, move } = timedMove(work)
  return (store, id, currency) => {
    const row = tableOf<ResourceName>(store, kind).find(id)
    const amount = row && 'amount' in row ? ` of ${moneyText(row.amount, currency)}` : ''
    return { what: `${DEFINITIONS[kind].words.one.toLowerCase()}${amount} ${move}s`, resourceId: id }
  }
}

/** Each kind of work in words, with its resource. */
const WORK: Readonly<Record<DueWork['kind'], AboutWork>> = {
  'webhook.deliver'(store, id) {
    const event = store.events.find(store.deliveries.find(id)?.eventId ?? '')
    return { what: `webhook ${event?.type ?? ''}`, resourceId: event?.resourceId ?? id }
  },
  ...(Object.fromEntries(TIMED_WORK.map((work) => [work, aboutMove(work)])) as Record<TimedWork, AboutWork>),
  'request.continue': (_, id) => ({ what: 'held request goes on', resourceId: id }),
}
