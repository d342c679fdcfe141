/**
 * One unit of work: what an operation, a due item, a buyer or a tester works with inside one transaction. It sees one
 * instant, and everything it writes is committed together or not at all.
 */
import { EventEnvelope, type EventType, RESOURCES, type ResourceName } from '../contract/event.ts'
import { formatMoney } from '../contract/money.ts'
import type { Refund } from '../contract/refund.ts'
import { writer } from '../contract/wire.ts'
import type { Bank } from '../staging/bank.ts'
import type { StagingValues } from '../staging/rules.ts'
import type { WorkKind } from '../store/agenda.ts'
import type { EventRow } from '../store/events.ts'
import type { Movement } from '../store/ledger.ts'
import type { MessageRow } from '../store/outbox.ts'
import type { Store } from '../store/store.ts'
import type { IdPrefix, Ids } from '../world/ids.ts'

/** When a resource moves on: after a while, or when somebody says so. */
export type Timing = { afterMs: number } | 'when told'

/** What a unit of work draws on: a sandbox, seen from inside. */
export interface UnitServices {
  readonly store: Store
  readonly ids: Ids
  readonly staging: StagingValues
  /** Whom the buyer's credit, card and account are put to. */
  readonly bank: Bank
  readonly requireApproval: boolean
  /** When a pending refund completes. */
  refundTiming(refund: Refund): Timing
  /** Where a buyer finds a checkout's page. */
  checkoutUrl(checkoutId: string): string
  /** Told of every event, in its transaction. */
  announce(unit: Unit, event: EventRow): void
}

/** Work that only starts when somebody says so still has its row, at an instant that no clock reaches. */
export const NEVER = Number.MAX_SAFE_INTEGER

const writeSnapshot = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, schema]) => [name, writer(schema)]),
) as Record<ResourceName, (resource: unknown) => string>

const writeEnvelope = writer(EventEnvelope)

export class Unit {
  readonly services: UnitServices
  readonly store: Store
  readonly now: number
  /** The events of this unit, in order. */
  readonly events: EventRow[] = []
  #told: { resource: unknown; text: string } | undefined

  constructor(services: UnitServices, now: number) {
    this.services = services
    this.store = services.store
    this.now = now
  }

  id(prefix: IdPrefix): string {
    return this.services.ids(prefix)
  }

  /** Writes an event: the resource as it is now, under the name of what happened to it. */
  emit(type: EventType, resource: { id: string }): void {
    const name = type.slice(0, type.lastIndexOf('.')) as ResourceName
    const id = this.id('evt')
    const data = writeSnapshot[name](resource)
    this.#told = { resource, text: data }
    const event: EventRow = {
      id,
      type,
      resourceId: resource.id,
      createdAt: this.now,
      body: writeEnvelope({ id, type, timestamp: this.now, data }),
    }
    this.store.events.insert(event)
    this.events.push(event)
    this.services.announce(this, event)
  }

  /** The text of a resource that has just been told of: an answer and its event's snapshot are the same bytes. */
  textOf(resource: unknown): string | undefined {
    return this.#told?.resource === resource ? this.#told?.text : undefined
  }

  /** Leaves work for later. */
  later(kind: WorkKind, subject: string, timing: Timing): void {
    this.store.agenda.insert(timing === 'when told' ? NEVER : this.now + timing.afterMs, kind, subject)
  }

  /** Writes down money that production would have moved. */
  move(movement: Pick<Movement, 'kind' | 'amount'> & Partial<Movement>): void {
    this.store.ledger.insert({
      currency: 'USD',
      checkoutId: null,
      authorizationId: null,
      refundId: null,
      createdAt: this.now,
      ...movement,
    })
  }

  /** Captures a message that production would have sent. */
  send(message: Omit<MessageRow, 'id' | 'createdAt'>): void {
    this.store.outbox.insert({ id: this.id('msg'), createdAt: this.now, ...message })
  }
}

/** An amount as a message to a person writes it. */
export const dollarText = (amount: Movement['amount']): string => `USD ${formatMoney(amount)}`
