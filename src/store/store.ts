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
import { Statements } from './statements.ts'
import { onDisk } from './storage-failure.ts'
import { transactions } from './transactions.ts'
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

export function openStore(place: DatabaseLocation, hooks: StoreHooks, known?: WorkCounts) {
  const db = openDatabase(place)
  const statements = new Statements(db)
  const isEmpty = place.file === undefined && place.from === undefined
  const counted = new CountedWork(statements, known ?? (isEmpty ? NO_WORK : undefined))
  const workChanged = () => counted.changed()
  const work = transactions(db, statements, {
    beforeCommit: () => hooks.beforeCommit(store),
    rolledBack: () => hooks.rolledBack(store),
  })
  const { transact, transactNow, read, flush, onRollback } = work

  /** The file has what the log has, but the disk may not have the file. */
  let isLogNeeded = false

  /** Without a wait for the disk. False where there is no log, or no room: then closing does what it can. */
  function bringLogIntoFile(): boolean {
    db.pragma('synchronous = OFF')
    try {
      const [{ log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [LogState]
      isLogNeeded = log > 0 && checkpointed === log
      return isLogNeeded
    } catch {
      return false
    } finally {
      db.pragma('synchronous = FULL')
    }
  }

  function serialize(): Buffer {
    flush()
    return inMemoryForm(db.serialize())
  }

  const store = {
    transact,
    transactNow,
    read,
    flush,
    onRollback,
    get version() {
      return work.version
    },
    checkouts: checkoutStore(statements),
    authorizations: authorizationStore(statements),
    refunds: refundStore(statements),
    applications: applicationStore(statements),
    customers: customerStore(statements),
    paymentMethods: paymentMethodStore(statements),
    events: eventStore(statements),
    answers: answerStore(statements),
    agenda: agendaStore(statements, (dueAt) => hooks.workAdded(dueAt), workChanged),
    ledger: ledgerStore(statements),
    outbox: outboxStore(statements),
    deliveries: deliveryStore(statements, workChanged),
    settings: settingStore(statements),
    behaviorState: behaviorStateStore(statements),

    /** How much work is done and left. */
    counts(): WorkCounts {
      flush()
      return counted.read()
    },
    /** Beyond so many pages SQLite refuses to write, as on a full disk; fewer than there are already mean no more. */
    limitPages(pages: number): void {
      db.pragma(`max_page_count = ${pages}`)
    },
    /** The database's bytes. */
    serialize,
    /** This database as it is when the copy is made. */
    source: {
      bytes: () => serialize(),
      parts: () => inParts(serialize()),
      writeTo(file) {
        flush()
        onDisk(() => db.prepare('VACUUM INTO ?').run(file))
      },
    } satisfies DatabaseSource,
    /** Brings the write-ahead log into the file, which is whole without it then. */
    checkpoint(): void {
      flush()
      onDisk(() => db.pragma('wal_checkpoint(TRUNCATE)'))
    },
    /**
     * What closing would wait for, one database after another: the write-ahead log comes into the file, and the file to the
     * disk. The log stays until the database is closed, and has everything should the machine fail before. It must not
     * be written to any more.
     */
    async readyToClose(): Promise<void> {
      flush()
      const { file, durability } = place
      if (file === undefined || durability === 'process') return
      await changeAndFlush(file, bringLogIntoFile)
      isLogNeeded = false
    },
    close(): void {
      flush()
      // SQLite removes the log, so a process whose disk could not be flushed leaves its databases open.
      if (!isLogNeeded) db.close()
    },
  }
  return store
}

export type Store = ReturnType<typeof openStore>
