/** A sandbox's database, with one object for each table. */
import { byResource, type ResourceName } from '../../spec/contract/resources/index.ts'
import { AddedTable } from './added.ts'
import { AgendaTable, NEVER } from './agenda.ts'
import { AnswerTable } from './answers.ts'
import { BehaviorStateTable } from './behavior-state.ts'
import { type DatabaseLocation, inMemoryForm, openDatabase } from './database.ts'
import { DeliveryTable } from './deliveries.ts'
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

  /** When the next work is due, see {@link nextDueIn}. */
  committedDueAt(): number | null {
    this.flush()
    return nextDueIn(this.statements)
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

const FIRST = (kinds: string) => `(SELECT dueAt FROM agenda WHERE ${kinds} ORDER BY dueAt, seq LIMIT 1)`

const NEXT_DUE = `SELECT ${FIRST(`kind = 'webhook.deliver'`)}, ${FIRST(`kind <> 'webhook.deliver'`)}`

/** Null if there is none, or only a refund that waits for reads or for a gate, whose time no clock reaches. */
export function nextDueIn(db: Statements): number | null {
  const [delivery, otherWork] = db.lists<(number | null)[]>(NEXT_DUE)[0]!
  const dueAt = Math.min(delivery ?? NEVER, otherWork ?? NEVER)
  return dueAt === NEVER ? null : dueAt
}
