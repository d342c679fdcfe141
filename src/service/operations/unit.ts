/**
 * A unit of work is everything that runs inside one transaction: an operation, a due item of the agenda, or a request of a buyer
 * or a tester. It has one point in time, `now`, and its writes are committed together or not at all.
 */

import { type AddedField, type AddedRow, addedRows, addedValues } from '../../spec/contract/added.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import type { EventType } from '../../spec/contract/event.ts'
import type { IdKind } from '../../spec/contract/ids.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import { DEFINITIONS, type ResourceName } from '../../spec/contract/resources/index.ts'
import { type TimedMove, type TimedWork, timedMove } from '../../spec/contract/resources/timed.ts'
import { type Environment, qualifiedName } from '../../spec/environments/environment.ts'
import type { SandboxConfig } from '../../spec/options/sandbox.ts'
import { createIds, type Ids, type Random } from '../../spec/world/random.ts'
import type { RowOf } from '../domain/rows.ts'
import { type Bank, bankOf, type Decides } from '../environments/bank.ts'
import { type EnvironmentRules, needsApproval } from '../environments/rules.ts'
import { NEVER, type WorkKind } from '../store/agenda.ts'
import type { EventRow } from '../store/events.ts'
import type { MessageRow } from '../store/outbox.ts'
import type { Store } from '../store/store.ts'
import type { Table } from '../store/table.ts'

/**
 * When a timed move is made: after a time on the clock, or `unscheduled`: after a number of reads, at a gate, or when a tester
 * completes it.
 */
export type Timing = { afterMs: number } | 'unscheduled'

interface Parts {
  /** Get the store for each use, because the database may be replaced. */
  readonly database: { readonly store: Store }
  readonly config: SandboxConfig
  readonly contract: Contract
  readonly random: Random
  readonly rules: EnvironmentRules
  readonly address: SandboxAddress
  /** Armed behaviors decide before the rules and the options do. Unset for seed data. */
  readonly behaviors?: {
    readonly decides: Decides
    timing(move: TimedMove, row: { id: string }): Timing | undefined
  }
  /** Called with every event, in its transaction: writes its deliveries. */
  readonly webhooks?: { announce(unit: Unit, event: EventRow): void }
}

/** A resource of any kind. */
export interface Resource {
  name: ResourceName
  row: { id: string }
}

export const tableOf = <Name extends ResourceName>(store: Store, kind: Name): Table<RowOf<Name>> =>
  store.tables[kind] as Table<RowOf<Name>>

/** The table of a kind of payments. */
export const paymentsOf = (store: Store, kind: ResourceName) =>
  tableOf(store, kind as 'checkout' | 'authorization')

const isResource = (kind: IdKind | undefined): kind is ResourceName =>
  kind !== undefined && kind in DEFINITIONS

/** The parts of a sandbox that its units of work use. */
export class UnitServices {
  readonly parts: Parts
  readonly contract: Contract
  readonly rules: EnvironmentRules
  readonly address: SandboxAddress
  readonly ids: Ids<IdKind>
  /** Accepts or declines a buyer's credit application, card and bank account. */
  readonly bank: Bank

  constructor(parts: Parts) {
    const { contract, rules, address, random, behaviors } = parts
    this.parts = parts
    this.contract = contract
    this.rules = rules
    this.address = address
    this.ids = createIds(random, contract.idPrefixes, contract.profile.ids.length)
    this.bank = bankOf(rules, (question) => behaviors?.decides(question))
  }

  get store(): Store {
    return this.parts.database.store
  }

  get requireApproval(): boolean {
    return needsApproval(this.parts.config, this.rules)
  }

  /** A code that logs a buyer in, drawn for this one message. */
  newCode(): string {
    return this.rules.newCode(this.parts.random)
  }

  /** When a timed move of the resource is made. */
  timing(work: TimedWork, row: { id: string }): Timing {
    const { behaviors, config } = this.parts
    const move = timedMove(work)
    return behaviors?.timing(move, row) ?? { afterMs: config[move.option] }
  }

  /** Finds any resource by its id, whose prefix names the table. */
  find(id: string): Resource | null {
    const name = this.contract.ids.kindOf(id)
    if (!isResource(name)) return null
    const row = tableOf(this.store, name).find(id)
    return row ? { name, row } : null
  }

  /** The resource as responses show it. */
  shown({ name, row }: Resource): Resource['row'] {
    const shown = name === 'checkout' ? this.withUrl(row as Checkout) : row
    const added = this.contract.added[name]
    return added.length === 0 ? shown : { ...shown, ...addedValues(added, this.store.added.of(row.id)) }
  }

  withUrl(checkout: Checkout) {
    return { ...checkout, checkoutUrl: this.address.checkoutUrl(checkout.id) }
  }
}

/** The content of an event. Default: a new `id`, and the unit's time as `timestamp`. */
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
  #written: { resource: unknown; json: string } | undefined
  #added: { kind: ResourceName; rows: readonly AddedRow[] } | undefined

  constructor(services: UnitServices, now: number) {
    this.services = services
    this.store = services.store
    this.now = now
  }

  id(kind: IdKind): string {
    return this.services.ids(kind)
  }

  /** Called with the platform's input, before the resource of that kind is created. */
  add(kind: ResourceName, fields: readonly AddedField[], body: unknown): void {
    const rows = addedRows(fields, Object(body))
    this.#added = rows.length === 0 ? undefined : { kind, rows }
  }

  /** Stores the added fields of a new resource, if the platform created it. */
  storeAdded(kind: ResourceName, id: string): void {
    if (this.#added?.kind !== kind) return
    this.store.added.put(id, this.#added.rows)
    this.#added = undefined
  }

  /**
   * Writes an event with the resource's current state. `order`: the checkout or authorization that the event belongs to; default:
   * the order of the resource's earlier events, or the resource itself.
   */
  emit(type: EventType, resource: { id: string }, order?: string): void {
    const data = this.services.contract.writeSnapshot[type](resource)
    this.#written = { resource, json: data }
    this.tell({ type, resourceId: resource.id, data, order })
  }

  /** The resource's JSON if the latest event has it: a response shows the same. */
  written(resource: unknown): string | undefined {
    return this.#written?.resource === resource ? this.#written?.json : undefined
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
    this.services.parts.webhooks?.announce(this, event)
  }

  /** Adds an item to the agenda. */
  schedule(kind: WorkKind, subject: string, timing: Timing): void {
    this.store.agenda.insert(timing === 'unscheduled' ? NEVER : this.now + timing.afterMs, kind, subject)
  }

  /** Stores a message in the outbox that production would have sent. */
  storeMessage(message: Omit<MessageRow, 'id' | 'createdAt' | 'code'> & { code?: string }): void {
    this.store.outbox.insert({ id: this.id('message'), createdAt: this.now, code: null, ...message })
  }
}

/** The base address of every URL that a sandbox hands out. */
export class SandboxAddress {
  readonly #publicUrl: string | undefined
  readonly #listening: () => string | undefined
  /** The path of the buyer pages. */
  readonly #pages: string
  /** The origin of the latest request. */
  #origin: string | undefined

  constructor(
    sandbox: { name: string; environment: Environment },
    publicUrl: string | undefined,
    listening: () => string | undefined,
  ) {
    // An environment's pages are served at its own address, so the name without the environment is enough.
    const { name } = qualifiedName(sandbox.name, sandbox.environment)
    this.#pages = `${name === 'default' ? '' : `/sandboxes/${name}`}/checkout/`
    this.#publicUrl = publicUrl
    this.#listening = listening
  }

  askedAt(origin: string): void {
    this.#origin = origin
  }

  /**
   * The configured public URL, else the origin of the latest request, else the address where the simulator
   * listens.
   */
  url(): string | undefined {
    return this.#publicUrl ?? this.#origin ?? this.#listening()
  }

  checkoutUrl(id: string): string {
    return `${this.url() ?? ''}${this.#pages}${id}`
  }
}
