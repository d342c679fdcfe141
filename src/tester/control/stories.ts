/** Collects the facts about an order, a checkout or a key for its story. */

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { isLeftOpen } from '../../service/domain/states.ts'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import { tableOf } from '../../service/operations/unit.ts'
import type { Store } from '../../service/store/store.ts'
import { beginsPayment, writes } from '../../spec/contract/endpoints.ts'
import type { ResourceName } from '../../spec/contract/event.ts'
import type { Cents } from '../../spec/contract/money.ts'
import { DEFINITIONS } from '../../spec/contract/resources/index.ts'
import { isGivenBack } from '../../spec/contract/resources/ledger.ts'
import {
  KINDS_OF_PAYMENT,
  MONEY_CAUSES,
  PAYMENT_KINDS,
  paymentOf,
} from '../../spec/contract/resources/movements.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { Finding, Judgment } from '../audit/judge.ts'
import { unknownOutcome } from '../audit/picture.ts'
import { causeOf, insert } from '../story/changes.ts'
import type { LastWebhook, MoneyMove, OrderFacts } from '../story/order-facts.ts'
import { type Story, tellStory } from '../story/story.ts'
import { inWords } from './explain.ts'
import { jsonFields, ownBodyOf } from './requests.ts'

/** The newest rows that name this checkout or authorization, oldest first within each kind. */
export const rowsOfPayment = (store: Store, payment: ResourceName, id: string, limit: number) =>
  KINDS_OF_PAYMENT.filter((kind) => `${payment}Id` in DEFINITIONS[kind].fields).flatMap((kind) =>
    tableOf(store, kind)
      .newest({ [`${payment}Id`]: id, limit })
      .reverse()
      .map((row) => ({ kind, row })),
  )

/** The audit's findings in the sandbox; a story uses the findings about its order. */
export type JudgedRequests = Pick<Judgment, 'repeats' | 'known'> & { findings: readonly Finding[] }

/**
 * The story of an order. `about` is its name, or a key or the id of a resource, event, delivery or request that belongs to it. A
 * request without an order has its own story. Undefined if nothing is known.
 */
export function storyOf(internals: Sandbox, judged: JudgedRequests, about: string): Story | undefined {
  const { journal } = internals
  const store = internals.committedStore()
  const told = (name: string, material: Material) => ({
    ...tellStory(factsOf(internals, judged, name, material)),
    happened: happenedIn(store, material),
  })
  const name = orderOf(internals, store, about)
  if (name !== undefined) {
    const material = materialsOf(internals, store, [name]).get(name)!
    if (material.entries.length > 0 || material.resources.length > 0) return told(name, material)
  }
  const isUnderKey = ({ key, stateNumber }: JournalEntry) =>
    key === about && stateNumber === journal.stateNumber
  const entry = journal.find(about) ?? [...journal.newestFirst()].find(isUnderKey)
  if (!entry) return undefined
  const order = orderOfRequest(internals, store, entry)
  if (order !== undefined && order !== about) return storyOf(internals, judged, order)
  return told(about, { resources: [], events: [], entries: [entry] })
}

/** The stories of these orders, in the same order: the journal is read once for all. */
export const storiesOf = (internals: Sandbox, judged: JudgedRequests, names: readonly string[]) =>
  [...materialsOf(internals, internals.committedStore(), names)].map(([name, material]) =>
    tellStory(factsOf(internals, judged, name, material)),
  )

/**
 * The name of the order that an id belongs to; for an authorization without an order, its own id. A text that is not an id is
 * taken for a name.
 */
export function orderOf(internals: Sandbox, store: Store, id: string | undefined): string | undefined {
  if (id === undefined) return undefined
  const { contract, journal } = internals
  const kind = contract.ids.kindOf(id)
  if (kind === 'checkout') return store.checkouts.find(id)?.orderId
  if (kind === 'authorization') {
    const authorization = store.authorizations.find(id)
    return authorization && (authorization.orderId || id)
  }
  const ofPayment = KINDS_OF_PAYMENT.find((name) => name === kind)
  if (ofPayment) {
    const row = tableOf(store, ofPayment).find(id)
    return row && orderOf(internals, store, paymentOf(row))
  }
  if (kind === 'event') return orderOf(internals, store, store.events.find(id)?.belongsTo)
  if (kind === 'message') return orderOf(internals, store, store.outbox.find(id)?.relatedId)
  if (kind === 'delivery') return orderOf(internals, store, store.deliveries.find(id)?.eventId)
  if (kind === 'request') {
    const entry = journal.find(id)
    return entry && orderOfRequest(internals, store, entry)
  }
  return kind === undefined ? id : undefined
}

function orderOfRequest(internals: Sandbox, store: Store, entry: JournalEntry): string | undefined {
  for (const id of namedBy(entry)) {
    const name = internals.contract.ids.kindOf(id) === undefined ? undefined : orderOf(internals, store, id)
    if (name !== undefined) return name
  }
  return orderInBody(entry)
}

/** A request's resources: the one it names, and those it created or changed. */
const namedBy = ({ subject, events }: JournalEntry): string[] => [
  ...(subject === null ? [] : [subject]),
  ...events.map(({ resourceId }) => resourceId),
]

/** The order that the body of a creating request names, even if nothing was created. */
function orderInBody(entry: JournalEntry): string | undefined {
  const { asked, readBody } = entry
  if (!writes(asked.method) || !(readBody || asked.body.includes('"orderId"'))) return undefined
  const { orderId } = jsonFields(ownBodyOf(entry))
  return typeof orderId === 'string' ? orderId : undefined
}

interface Material {
  resources: readonly string[]
  /** Their latest events, with each delivery and its attempts. */
  events: readonly ReturnType<typeof deliveredEvents>[number][]
  /** In order of arrival. */
  entries: JournalEntry[]
}

/** The maximum number of resources in a story. */
const RESOURCES_MOST = 50

function materialsOf({ journal }: Sandbox, store: Store, names: readonly string[]): Map<string, Material> {
  const materials = new Map<string, Material>()
  const nameOfResource = new Map<string, string>()
  for (const name of names) {
    const resources = resourcesOf(store, name)
    const events = resources.flatMap((id) => deliveredEvents(store, id))
    materials.set(name, { resources, events, entries: [] })
    for (const id of resources) nameOfResource.set(id, name)
  }
  for (const entry of journal.newestFirst()) {
    if (entry.stateNumber !== journal.stateNumber) break
    const named = namedBy(entry).find((id) => nameOfResource.has(id))
    const name = named === undefined ? orderInBody(entry) : nameOfResource.get(named)
    materials.get(name ?? '')?.entries.push(entry)
  }
  for (const { entries } of materials.values()) entries.reverse()
  return materials
}

/** The ids of an order: its checkouts and authorizations, and the resources that name these, such as refunds. */
export function resourcesOf(store: Store, orderId: string): string[] {
  const limit = RESOURCES_MOST
  const payments = PAYMENT_KINDS.flatMap((kind) =>
    tableOf(store, kind)
      .newest({ orderId, limit })
      .reverse()
      .map(({ id }) => ({ kind, id })),
  )
  // An authorization may have no name; its id is used then.
  if (payments.length === 0 && store.authorizations.find(orderId))
    payments.push({ kind: 'authorization', id: orderId })
  const named = payments.flatMap(({ kind, id }) => rowsOfPayment(store, kind, id, limit))
  return [...payments.map(({ id }) => id), ...named.map(({ row }) => row.id)]
}

function factsOf(
  internals: Sandbox,
  { findings, repeats, known }: JudgedRequests,
  name: string,
  { resources, events, entries }: Material,
): OrderFacts {
  const { behaviors, contract } = internals
  const store = internals.committedStore()
  const found = <Row>(table: { find(id: string): Row | undefined }) =>
    resources.flatMap((id) => table.find(id) ?? [])
  const asking = (type: string, id: string) =>
    entries.find(({ events }) => events.some((event) => event.type === type && event.resourceId === id))
  const moveOf = (
    kind: MoneyMove['kind'],
    type: string,
    { id, amount, at }: Pick<MoneyMove, 'id' | 'amount'> & { at: number },
  ) => {
    const entry = asking(type, id)
    return {
      kind,
      id,
      amount,
      at,
      number: entry?.number ?? 0,
      request: entry?.id ?? null,
      unknown: entry ? unknownOutcome(entry) : null,
      sentAt: entry?.at ?? at,
      known: entry && known.get(entry.id),
    }
  }
  const deliveries = events.flatMap((event) => event.deliveries)
  const moves = MONEY_CAUSES.flatMap(({ name, kind, amount, event, time }) =>
    found<{ id: string }>(tableOf(store, name)).flatMap((row) => {
      const { [time]: at, [amount]: moved } = row as Readonly<Record<string, unknown>>
      if (at === null) return []
      const move = moveOf(kind, event, { id: row.id, amount: moved as Cents, at: at as number })
      return isGivenBack(kind) ? { ...move, of: paymentOf(row) } : move
    }),
  )
  // With a frozen clock, all have the same time.
  moves.sort((one, other) => one.at - other.at || one.number - other.number)
  return {
    name,
    currency: contract.currency,
    moves,
    open: PAYMENT_KINDS.flatMap((kind) =>
      found<{ id: string; status?: string }>(tableOf(store, kind)).flatMap(({ id, status = '' }) =>
        isLeftOpen(kind, status) ? { id, kind, status } : [],
      ),
    ),
    made: new Map(
      entries.flatMap(({ id, events, operation }) =>
        operation && beginsPayment(operation) && events[0] ? [[id, events[0].resourceId]] : [],
      ),
    ),
    resources,
    ids: new Set([...resources, ...[...entries, ...deliveries].map(({ id }) => id)]),
    webhooks: events.flatMap((event) =>
      (behaviors.deliveryFaults.signatureFaultOf(event.id) ?? null) === null ? lastWebhook(event) : [],
    ),
    repeats,
    findings,
  }
}

const EVENTS_MOST = 50

const deliveredEvents = ({ events, deliveries }: Store, resourceId: string) =>
  events
    .newest({ resourceId, limit: EVENTS_MOST })
    .reverse()
    .map(({ id, type, createdAt }) => ({
      id,
      type,
      resourceId,
      at: createdAt,
      deliveries: deliveries
        .ofEvent(id)
        .map(({ id, status, attempts }) => ({ id, status, attempts, made: deliveries.attemptsOf(id) })),
    }))

/** The last delivery counts: a manual one replaces the previous one. */
function lastWebhook({ type: eventType, deliveries }: Material['events'][number]): LastWebhook[] {
  const last = deliveries.at(-1)
  if (!last) return []
  const { id: delivery, status, attempts, made } = last
  const attempt = made.at(-1)
  const lastAttempt = attempt ? { status: attempt.status, error: attempt.error } : null
  return [{ delivery, eventType, status, attempts, lastAttempt }]
}

function happenedIn(store: Store, { events, entries }: Material): Story['happened'] {
  const moments = entries.map((entry) => ({
    at: entry.at,
    id: entry.id,
    changes: entry.events.map(({ id }) => ({ eventId: id })),
    text: `${entry.asked.method} ${entry.asked.target} → ${entry.status ?? '…'}  ${inWords(entry)}`,
  }))
  const caused = new Set(entries.flatMap((entry) => entry.events.map(({ id }) => id)))
  const seqs = new Map(events.map(({ id }) => [id, store.events.seqOf(id)!]))
  const earlier = new Set<string>()
  for (const { id, type, resourceId, at } of events.toSorted((a, b) => seqs.get(a.id)! - seqs.get(b.id)!)) {
    const text = `${causeOf([type])} → ${type} (${resourceId})`
    const change = { at, id, text, changes: [{ eventId: id }] }
    if (!caused.has(id)) insert(moments, change, (eventId) => earlier.has(eventId))
    earlier.add(id)
  }
  const webhooks = events.flatMap(({ type, deliveries }) =>
    deliveries.flatMap(({ id, made }) =>
      made.map(({ at, status, error }) => ({ at, id, text: `webhook ${type} → ${status ?? error}` })),
    ),
  )
  return [...moments, ...webhooks]
    .sort((one, other) => one.at - other.at)
    .map(({ at, id, text }) => ({ at: formatInstant(at), id, text }))
}
