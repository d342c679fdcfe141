/**
 * A unit of work is what runs inside one transaction: an operation, an item of the agenda that is due, or a request of a
 * buyer or a tester. It has one point in time, `now`, and everything it writes is committed together or not at all.
 */
import type { Contract } from '../../spec/contract/contract.ts'
import { type EventType, resourceName } from '../../spec/contract/event.ts'
import type { IdKind } from '../../spec/contract/ids.ts'
import type { Refund } from '../../spec/contract/refund.ts'
import type { Ids } from '../../spec/world/random.ts'
import type { Bank } from '../environments/bank.ts'
import type { EnvironmentRules } from '../environments/rules.ts'
import type { WorkKind } from '../store/agenda.ts'
import type { EventRow } from '../store/events.ts'
import type { Movement } from '../store/ledger.ts'
import type { MessageRow } from '../store/outbox.ts'
import type { Store } from '../store/store.ts'

/**
 * When a refund completes: after a time on the clock, or `unscheduled`: after a number of reads, at a gate, or when a
 * tester completes it.
 */
export type Timing = { afterMs: number } | 'unscheduled'

/** The parts of a sandbox that a unit of work uses. */
export interface UnitServices {
  readonly contract: Contract
  readonly store: Store
  readonly ids: Ids<IdKind>
  readonly rules: EnvironmentRules
  /** Accepts or declines a buyer's credit application, card and bank account. */
  readonly bank: Bank
  readonly requireApproval: boolean
  /** A code that logs a buyer in, drawn for this one message. */
  newCode(): string
  /** When a pending refund completes. */
  refundTiming(refund: Refund): Timing
  /** The address of a checkout's hosted page. */
  checkoutUrl(checkoutId: string): string
  /** Called with every event, in its transaction: writes the deliveries of the event. */
  announce(unit: Unit, event: EventRow): void
}

/**
 * Due time of work that does not wait for the clock. It has a row all the same, with a time that no clock
 * reaches.
 */
export const NEVER = Number.MAX_SAFE_INTEGER

/** The content of an event. Without `id` it gets a new one; without `timestamp` the unit's time. */
interface ToldEvent {
  type: EventType
  resourceId: string
  data: string
  order?: string | undefined
  id?: string | undefined
  timestamp?: number | undefined
}

export class Unit {
  readonly services: UnitServices
  readonly store: Store
  readonly now: number
  /** The events of this unit, in order. */
  readonly events: EventRow[] = []
  #lastSnapshot: { resource: unknown; text: string } | undefined

  constructor(services: UnitServices, now: number) {
    this.services = services
    this.store = services.store
    this.now = now
  }

  id(kind: IdKind): string {
    return this.services.ids(kind)
  }

  /**
   * Writes an event with the resource as it is now. `order` is the checkout or authorization that the event
   * belongs to; left out, it is that of the resource's earlier events, or the resource itself.
   */
  emit(type: EventType, resource: { id: string }, order?: string): void {
    const data = this.services.contract.writeSnapshot[resourceName(type)](resource)
    this.#lastSnapshot = { resource, text: data }
    this.tell({ type, resourceId: resource.id, data, order })
  }

  /** Writes an event with this JSON as its data. */
  tell({ type, resourceId, data, order, ...given }: ToldEvent): void {
    const { id = this.id('event'), timestamp = this.now } = given
    const event: EventRow = {
      id,
      type,
      resourceId,
      belongsTo: order ?? this.store.events.orderOf(resourceId) ?? resourceId,
      createdAt: this.now,
      body: this.services.contract.writeEnvelope({ id, type, timestamp, data }),
    }
    this.store.events.insert(event)
    this.events.push(event)
    this.services.announce(this, event)
  }

  /**
   * The resource's JSON in the latest event. An answer with the same resource reuses it instead of writing it
   * again.
   */
  textOf(resource: unknown): string | undefined {
    return this.#lastSnapshot?.resource === resource ? this.#lastSnapshot?.text : undefined
  }

  /** Adds an item to the agenda. */
  schedule(kind: WorkKind, subject: string, timing: Timing): void {
    this.store.agenda.insert(timing === 'unscheduled' ? NEVER : this.now + timing.afterMs, kind, subject)
  }

  /** Records a payment that production would have made. */
  writeLedgerRow(movement: Pick<Movement, 'kind' | 'amount'> & Partial<Movement>): void {
    this.store.ledger.insert({
      currency: 'USD',
      checkoutId: null,
      authorizationId: null,
      refundId: null,
      createdAt: this.now,
      ...movement,
    })
  }

  /** Stores in the outbox a message that production would have sent. */
  storeMessage(message: Omit<MessageRow, 'id' | 'createdAt' | 'code'> & { code?: string }): void {
    this.store.outbox.insert({ id: this.id('message'), createdAt: this.now, code: null, ...message })
  }
}
