/** Money, messages, events and deliveries of a sandbox, each list in chronological order. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Unit } from '../../service/operations/unit.ts'
import type { DeliveryRow } from '../../service/store/deliveries.ts'
import type { EventRow } from '../../service/store/events.ts'
import type { Movement } from '../../service/store/ledger.ts'
import type { MessageRow } from '../../service/store/outbox.ts'
import type { ListQuery, Table } from '../../service/store/table.ts'
import {
  eventExists,
  invalidField,
  invalidParameter,
  notFound,
  nowhereToDeliver,
} from '../../spec/contract/errors.ts'
import {
  type Event,
  matchesEvent,
  RESOURCES,
  type ResourceName,
  resourceName,
} from '../../spec/contract/event.ts'
import { hasAtMostTwoDecimals, Money } from '../../spec/contract/money.ts'
import { CURSOR_RULE, Cursor } from '../../spec/contract/pages.ts'
import { instant } from '../../spec/options/values.ts'
import { DeliveryFilter, EventFilter, HistoryWindow, NewEvent } from './inputs.ts'
import { readParameters, requireShape } from './read-input.ts'
import { runUnit } from './run-unit.ts'
import { Delivery, Ledger, Message } from './shapes.ts'

/** The latest movements, and the sums of all. */
export const ledger = (internals: Sandbox, given: HistoryWindow): Ledger => ({
  sums: sums(internals),
  movements: movements(internals, given),
})

export const sums = (internals: Sandbox): Ledger['sums'] =>
  z.encode(Ledger.shape.sums, internals.committedStore().ledger.sums())

/** Movements have no ids, so their numbers are the cursors. */
export function movements(internals: Sandbox, given: HistoryWindow): Ledger['movements'] {
  const { limit, cursor } = readParameters(HistoryWindow, given)
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw wrongCursor()
  const before = cursor === undefined ? undefined : Number(cursor)
  return internals.committedStore().ledger.list(limit, before).map(movementOf)
}

export const movementOf = ({ seq, ...row }: Movement & { seq: number }): Ledger['movements'][number] =>
  z.encode(Ledger.shape.movements.element, { ...row, number: seq })

export const outbox = (internals: Sandbox, given: HistoryWindow): Message[] =>
  latest(internals.committedStore().outbox, readParameters(HistoryWindow, given)).map((row) =>
    messageOf(internals, row),
  )

export const messageOf = ({ services }: Sandbox, message: MessageRow): Message =>
  z.encode(Message, {
    ...message,
    status: 'captured' as const,
    wouldBeSent: services.rules.sendsMessages,
  })

export const events = (internals: Sandbox, given: EventFilter): Event[] =>
  latest(internals.committedStore().events, readParameters(EventFilter, given)).map(eventOf)

export const eventOf = ({ body }: EventRow): Event => JSON.parse(body)

/** Creates an event of this type, with the current resource, overridden by `data`. */
export function emit(internals: Sandbox, given: NewEvent): Event {
  const at = given?.timestamp
  const shape = at instanceof Date ? { ...given, timestamp: at.getTime() } : given
  requireShape(NewEvent, shape)
  // `data` has the profile's field names.
  const kind = resourceName(given.type)
  const names: Readonly<Record<string, string>> = internals.contract.profile.fields[kind]
  const idName = names.id!
  const { type, data, id, resourceId = data?.[idName] } = shape
  if (typeof resourceId !== 'string')
    throw invalidField('resourceId', 'must say which resource it is about, or data must have its id')
  const timestamp = shape.timestamp === undefined ? undefined : instant(shape.timestamp, 'timestamp')
  const event = runUnit(internals, (unit) => {
    const resource = unit.services.find(resourceId)
    if (!resource && data === undefined) throw notFound('Resource')
    if (resource && !matchesEvent(`${resource.name}.*`, type))
      throw invalidField('type', `must be one of a ${resource.name}, as ${resourceId} is`)
    if (id !== undefined && unit.store.events.find(id)) throw eventExists(id)
    const { writeSnapshot } = unit.services.contract
    const now = resource && writeSnapshot[type](unit.services.shown(resource))
    const written = data
      ? withDecimals({ ...JSON.parse(now ?? '{}'), [idName]: resourceId, ...data }, amountsOf(kind, names))
      : now!
    unit.tell({ type, resourceId, data: written, id, timestamp })
    return unit.events[0]!
  })
  return eventOf(event)
}

/** The amount fields of a resource, by the profile's names. */
const amountsOf = (kind: ResourceName, names: Readonly<Record<string, string>>): string[] =>
  Object.entries(RESOURCES[kind].shape).flatMap(([name, schema]) =>
    schema === Money ? (names[name] ?? name) : [],
  )

/** JSON with two decimals in its amounts (D10), whether from the service or from a tester. */
function withDecimals(data: Record<string, unknown>, amounts: readonly string[]): string {
  const parts = Object.entries(data).flatMap(([name, value]) => {
    const isAmount = amounts.includes(name) && typeof value === 'number' && hasAtMostTwoDecimals(value)
    const written = isAmount ? value.toFixed(2) : JSON.stringify(value)
    return written === undefined ? [] : [`${JSON.stringify(name)}:${written}`]
  })
  return `{${parts.join(',')}}`
}

export const deliveries = (internals: Sandbox, given: DeliveryFilter): Delivery[] =>
  latest(internals.committedStore().deliveries, readParameters(DeliveryFilter, given)).map((row) =>
    deliveryOf(internals, row),
  )

/** One more delivery of the same event: the same `webhook-id`, signed again. */
export function redeliver(internals: Sandbox, id: string): Delivery {
  const delivery = runUnit(internals, (unit) => {
    const earlier = unit.store.deliveries.find(id)
    if (!earlier) throw notFound('Delivery')
    requireEndpoint(internals)
    return deliverAgain(internals, unit, earlier)
  })
  return deliveryOf(internals, delivery)
}

const deliverAgain = ({ webhooks }: Sandbox, unit: Unit, { eventId }: DeliveryRow): DeliveryRow =>
  webhooks.enqueue(unit, unit.store.events.find(eventId)!, { afterMs: 0, isByHand: true })

function requireEndpoint({ webhooks: { whyNowhere } }: Sandbox): void {
  if (whyNowhere !== undefined) throw nowhereToDeliver(whyNowhere)
}

const RESENT_MOST = 10_000

/**
 * Delivers failed events again, oldest first. An event that was given up gets a new delivery. For an event still being retried,
 * the next attempt is made now: a second delivery would make it arrive twice.
 */
export function redeliverFailed(internals: Sandbox): Delivery[] {
  const begun = runUnit(internals, (unit) => {
    const { deliveries, agenda } = unit.store
    const [failed, failing] = [
      deliveries.standing('failed', RESENT_MOST),
      deliveries.standing('failing', RESENT_MOST),
    ]
    if (failed.length + failing.length > 0) requireEndpoint(internals)
    const given = failed.map((id) => deliverAgain(internals, unit, deliveries.find(id)!))
    const hastened = failing.filter((id) => {
      const next = agenda.find(id, 'webhook.deliver')
      return next && next.dueAt > unit.now
    })
    for (const id of hastened) {
      agenda.remove(id, 'webhook.deliver')
      unit.schedule('webhook.deliver', id, { afterMs: 0 })
    }
    return [...given, ...hastened.map((id) => deliveries.find(id)!)]
  })
  return begun.map((delivery) => deliveryOf(internals, delivery))
}

export function deliveryOf(internals: Sandbox, row: DeliveryRow): Delivery {
  const store = internals.committedStore()
  const event = store.events.find(row.eventId)!
  return z.encode(Delivery, {
    ...row,
    eventType: event.type,
    resourceId: event.resourceId,
    isByHand: row.byHand === 1,
    attempts: store.deliveries.attemptsOf(row.id),
    nextAttemptAt: store.agenda.find(row.id, 'webhook.deliver')?.dueAt ?? null,
  })
}

/** The store lists newest first, which finds the latest rows; the result is in chronological order. */
export function latest<Row extends { id: string }>(
  table: Pick<Table<Row>, 'newest' | 'seqOf'>,
  {
    limit = Number.MAX_SAFE_INTEGER,
    cursor,
    ...filter
  }: { limit?: number | undefined; cursor?: string | undefined } & Omit<ListQuery, 'limit' | 'cursor'>,
): Row[] {
  const place = cursor === undefined ? undefined : table.seqOf(cursor)
  if (cursor !== undefined && place === undefined) throw wrongCursor()
  return table.newest({ ...filter, limit, cursor: place } as ListQuery).reverse()
}

/** The row number in a page's cursor. */
export function placeOfCursor(cursor: string | undefined): number | undefined {
  const place = Cursor.optional().safeParse(cursor)
  if (!place.success) throw wrongCursor()
  return place.data
}

const wrongCursor = () => invalidParameter('cursor', CURSOR_RULE)
