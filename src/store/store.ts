/** Everything a sandbox keeps: one database, and one face for each kind of row. */
import { agendaStore } from './agenda.ts'
import { answerStore } from './answers.ts'
import { applicationStore } from './applications.ts'
import { authorizationStore } from './authorizations.ts'
import { behaviorStateStore } from './behavior-state.ts'
import { checkoutStore } from './checkouts.ts'
import { customerStore } from './customers.ts'
import { type DatabaseLocation, inMemoryForm, openDatabase } from './database.ts'
import { deliveryStore } from './deliveries.ts'
import { eventStore } from './events.ts'
import { changeAndFlush } from './files.ts'
import { ledgerStore } from './ledger.ts'
import { outboxStore } from './outbox.ts'
import { paymentMethodStore } from './payment-methods.ts'
import { refundStore } from './refunds.ts'
import { settingStore } from './settings.ts'
import { type DatabaseSource, inParts } from './source.ts'
import type { Database } from './sqlite.ts'
import { Statements } from './statements.ts'
import { onDisk } from './storage-failure.ts'
import { Transactions } from './transactions.ts'
import { CountedWork, NO_WORK, type WorkCounts } from './work-counts.ts'

export interface StoreHooks {
  /** May write what has to agree with every commit, such as the generator's state. */
  beforeCommit(store: Store): void
  /** A commit failed: what was read from the database or written to it since the last one has to be read again. */
  rolledBack(store: Store): void
  workAdded(dueAt: number): void
}

/** In pages: what the write-ahead log has, and how much of that is in the file. */
interface LogState {
  log: number
  checkpointed: number
}

/**
 * The face for a table is made when it is first asked for: a sandbox that lives for one test uses few, and all of them
 * are 50 KB of objects.
 */
export class Store extends Transactions {
  #checkouts: ReturnType<typeof checkoutStore> | undefined
  #authorizations: ReturnType<typeof authorizationStore> | undefined
  #refunds: ReturnType<typeof refundStore> | undefined
  #applications: ReturnType<typeof applicationStore> | undefined
  #customers: ReturnType<typeof customerStore> | undefined
  #paymentMethods: ReturnType<typeof paymentMethodStore> | undefined
  #events: ReturnType<typeof eventStore> | undefined
  #answers: ReturnType<typeof answerStore> | undefined
  #agenda: ReturnType<typeof agendaStore> | undefined
  #ledger: ReturnType<typeof ledgerStore> | undefined
  #outbox: ReturnType<typeof outboxStore> | undefined
  #deliveries: ReturnType<typeof deliveryStore> | undefined
  #settings: ReturnType<typeof settingStore> | undefined
  #behaviorState: ReturnType<typeof behaviorStateStore> | undefined

  readonly #db: Database
  readonly #statements: Statements
  readonly #workAdded: (dueAt: number) => void
  readonly #workChanged: () => void
  readonly #place: DatabaseLocation
  readonly #counted: CountedWork
  /** The file has what the log has, but the disk may not have the file. */
  #isLogNeeded = false

  constructor(db: Database, place: DatabaseLocation, hooks: StoreHooks, known: WorkCounts | undefined) {
    const statements = new Statements(db)
    super(db, statements, {
      beforeCommit: () => hooks.beforeCommit(this),
      rolledBack: () => hooks.rolledBack(this),
    })
    this.#db = db
    this.#place = place
    const counted = new CountedWork(statements, known)
    this.#counted = counted
    this.#workChanged = () => counted.changed()
    this.#workAdded = (dueAt) => hooks.workAdded(dueAt)
    this.#statements = statements
  }

  get checkouts() {
    this.#checkouts ??= checkoutStore(this.#statements)
    return this.#checkouts
  }

  get authorizations() {
    this.#authorizations ??= authorizationStore(this.#statements)
    return this.#authorizations
  }

  get refunds() {
    this.#refunds ??= refundStore(this.#statements)
    return this.#refunds
  }

  get applications() {
    this.#applications ??= applicationStore(this.#statements)
    return this.#applications
  }

  get customers() {
    this.#customers ??= customerStore(this.#statements)
    return this.#customers
  }

  get paymentMethods() {
    this.#paymentMethods ??= paymentMethodStore(this.#statements)
    return this.#paymentMethods
  }

  get events() {
    this.#events ??= eventStore(this.#statements)
    return this.#events
  }

  get answers() {
    this.#answers ??= answerStore(this.#statements)
    return this.#answers
  }

  get agenda() {
    this.#agenda ??= agendaStore(this.#statements, this.#workAdded, this.#workChanged)
    return this.#agenda
  }

  get ledger() {
    this.#ledger ??= ledgerStore(this.#statements)
    return this.#ledger
  }

  get outbox() {
    this.#outbox ??= outboxStore(this.#statements)
    return this.#outbox
  }

  get deliveries() {
    this.#deliveries ??= deliveryStore(this.#statements, this.#workChanged)
    return this.#deliveries
  }

  get settings() {
    this.#settings ??= settingStore(this.#statements)
    return this.#settings
  }

  get behaviorState() {
    this.#behaviorState ??= behaviorStateStore(this.#statements)
    return this.#behaviorState
  }

  /** How much work is done and left. */
  counts(): WorkCounts {
    this.flush()
    return this.#counted.read()
  }

  /** Beyond so many pages SQLite refuses to write, as on a full disk; fewer than there are already mean no more. */
  limitPages(pages: number): void {
    this.#db.pragma(`max_page_count = ${pages}`)
  }

  /** The database's bytes. */
  serialize(): Buffer {
    this.flush()
    return inMemoryForm(this.#db.serialize())
  }

  /** This database as it is when the copy is made. */
  get source(): DatabaseSource {
    return {
      bytes: () => this.serialize(),
      parts: () => inParts(this.serialize()),
      writeTo: (file) => {
        this.flush()
        onDisk(() => this.#db.prepare('VACUUM INTO ?').run(file))
      },
    }
  }

  /** Brings the write-ahead log into the file, which is whole without it then. */
  checkpoint(): void {
    this.flush()
    onDisk(() => this.#db.pragma('wal_checkpoint(TRUNCATE)'))
  }

  /**
   * What closing would wait for, one database after another: the write-ahead log comes into the file, and the file to the
   * disk. The log stays until the database is closed, and has everything should the machine fail before. It must not
   * be written to any more.
   */
  async readyToClose(): Promise<void> {
    this.flush()
    const { file, durability } = this.#place
    if (file === undefined || durability === 'process') return
    await changeAndFlush(file, () => this.#bringLogIntoFile())
    this.#isLogNeeded = false
  }

  close(): void {
    this.flush()
    // SQLite removes the log, so a process whose disk could not be flushed leaves its databases open.
    if (!this.#isLogNeeded) this.#db.close()
  }

  /** Without a wait for the disk. False where there is no log, or no room: then closing does what it can. */
  #bringLogIntoFile(): boolean {
    this.#db.pragma('synchronous = OFF')
    try {
      const [{ log, checkpointed }] = this.#db.pragma('wal_checkpoint(PASSIVE)') as [LogState]
      this.#isLogNeeded = log > 0 && checkpointed === log
      return this.#isLogNeeded
    } catch {
      return false
    } finally {
      this.#db.pragma('synchronous = FULL')
    }
  }
}

export function openStore(place: DatabaseLocation, hooks: StoreHooks, known?: WorkCounts): Store {
  const isEmpty = place.file === undefined && place.from === undefined
  return new Store(openDatabase(place), place, hooks, known ?? (isEmpty ? NO_WORK : undefined))
}
