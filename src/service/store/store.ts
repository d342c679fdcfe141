/** A sandbox's database, with one object for each table. */
import { byResource, type ResourceName } from '../../spec/contract/resources/index.ts'
import { AddedTable } from './added.ts'
import { AgendaTable, NEVER } from './agenda.ts'
import { AnswerTable } from './answers.ts'
import { BehaviorStateTable } from './behavior-state.ts'
import { type DatabaseLocation, inMemoryForm, openDatabase } from './database.ts'
import { type DeliveryRow, DeliveryTable } from './deliveries.ts'
import { EventTable } from './events.ts'
import { LedgerTable } from './ledger.ts'
import { OutboxTable } from './outbox.ts'
import { ApplicationTable, CheckoutTable, CustomerTable, PaymentMethodTable, TABLE_OF } from './resources.ts'
import { SettingTable } from './settings.ts'
import type { DatabaseSource } from './source.ts'
import type { Database } from './sqlite.ts'
import type { Statements } from './statements.ts'
import { onDisk } from './storage-failure.ts'
import { Table, type TableDefinition } from './table.ts'
import { Transactions } from './transactions.ts'

export interface StoreHooks {
  /** Called before each commit; writes values that must agree with it, such as the clock's state. */
  beforeCommit(store: Store): void
  /** Called after a failed commit: values in memory that were read from the database since the last commit must be read again. */
  rolledBack(store: Store): void
  workAdded(dueAt: number): void
}

export class Store extends Transactions {
  readonly checkouts = new CheckoutTable(this.statements)
  readonly customers = new CustomerTable(this.statements)
  readonly paymentMethods = new PaymentMethodTable(this.statements)
  readonly authorizations = new Table(this.statements, TABLE_OF.authorization)
  readonly refunds = new Table(this.statements, TABLE_OF.refund)
  /** By kind of resource. */
  readonly tables: Readonly<Record<ResourceName, unknown>> = byResource(
    ({ name, collection }) =>
      (this as Readonly<Record<string, unknown>>)[collection] ??
      new Table(this.statements, TABLE_OF[name] as TableDefinition<{ id: string }>),
  )
  readonly added = new AddedTable(this.statements)
  readonly applications = new ApplicationTable(this.statements)
  readonly events = new EventTable(this.statements)
  readonly answers = new AnswerTable(this.statements)
  readonly ledger = new LedgerTable(this.statements)
  readonly outbox = new OutboxTable(this.statements)
  readonly settings = new SettingTable(this.statements)
  readonly behaviorState = new BehaviorStateTable(this.statements)
  readonly deliveries = new DeliveryTable(this.statements)
  readonly agenda: AgendaTable

  readonly #location: DatabaseLocation

  constructor(db: Database, location: DatabaseLocation, hooks: Partial<StoreHooks>) {
    super(db, {
      beforeCommit: () => hooks.beforeCommit?.(this),
      rolledBack: () => hooks.rolledBack?.(this),
    })
    this.#location = location
    this.agenda = new AgendaTable(this.statements, (dueAt) => hooks.workAdded?.(dueAt))
  }

  get isInFile(): boolean {
    return this.#location.file !== undefined
  }

  /** How many items and deliveries are waiting, and how many deliveries are done. */
  committedCounts(): WorkCounts {
    this.flush()
    return countWork(this.statements)
  }

  /**
   * SQLite refuses to write beyond this many pages, as on a full disk; a smaller number than there are now allows no new page.
   */
  limitPages(pages: number): void {
    this.db.pragma(`max_page_count = ${pages}`)
  }

  /** The whole database as bytes. */
  serialize(): Buffer {
    this.flush()
    return inMemoryForm(this.db.serialize())
  }

  /** This database as a source; read when the copy is made. */
  get source(): DatabaseSource {
    return {
      bytes: () => this.serialize(),
      writeTo: (file) => {
        this.flush()
        onDisk(() => this.db.prepare('VACUUM INTO ?').run(file))
      },
    }
  }

  /** Moves the write-ahead log into the file, which is then complete without the log. */
  checkpoint(): void {
    this.flush()
    onDisk(() => this.db.pragma('wal_checkpoint(TRUNCATE)'))
  }

  close(): void {
    this.flush()
    this.db.close()
  }
}

export const openStore = (location: DatabaseLocation, hooks: Partial<StoreHooks> = {}): Store =>
  new Store(openDatabase(location), location, hooks)

/** How many items of a sandbox's work are waiting and done, in one query, because metrics ask every sandbox. */
export interface WorkCounts {
  /** When the next work is due; null if there is none. */
  dueAt: number | null
  agendaItems: number
  deliveries: Record<DeliveryRow['status'], number>
}

const DELIVERIES = (status: DeliveryRow['status']) =>
  `(SELECT count(*) FROM deliveries WHERE status = '${status}')`
const FIRST = (kinds: string) => `(SELECT dueAt FROM agenda WHERE ${kinds} ORDER BY dueAt, seq LIMIT 1)`

export const NO_WORK: WorkCounts = {
  dueAt: null,
  agendaItems: 0,
  deliveries: { pending: 0, delivered: 0, failed: 0 },
}

const COUNTS = `SELECT ${FIRST(`kind = 'webhook.deliver'`)}, ${FIRST(`kind <> 'webhook.deliver'`)}, (SELECT count(*) FROM agenda),
     ${DELIVERIES('pending')}, ${DELIVERIES('delivered')}, ${DELIVERIES('failed')}`

export function countWork(db: Statements): WorkCounts {
  const [delivery, otherWork, agendaItems, pending, delivered, failed] = db.lists<number[]>(COUNTS)[0]!
  const dueAt = Math.min(delivery ?? NEVER, otherWork ?? NEVER)
  return {
    // The due time of a refund that waits for reads or for a gate, which no clock reaches.
    dueAt: dueAt === NEVER ? null : dueAt,
    agendaItems: agendaItems!,
    deliveries: { pending: pending!, delivered: delivered!, failed: failed! },
  }
}
