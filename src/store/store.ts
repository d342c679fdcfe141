/** Everything a sandbox keeps: one database, and one face for each kind of row. */

import { rmSync } from 'node:fs'
import { agendaStore } from './agenda.ts'
import { answerStore } from './answers.ts'
import { applicationStore } from './applications.ts'
import { authorizationStore } from './authorizations.ts'
import { checkoutStore } from './checkouts.ts'
import { customerStore } from './customers.ts'
import {
  type DatabaseLocation,
  inMemoryForm,
  isOurs,
  NewerDatabase,
  openDatabase,
  versionOf,
} from './database.ts'
import { deliveryStore } from './deliveries.ts'
import { eventStore } from './events.ts'
import { ledgerStore } from './ledger.ts'
import { outboxStore } from './outbox.ts'
import { paymentMethodStore } from './payment-methods.ts'
import { refundStore } from './refunds.ts'
import { settingStore } from './settings.ts'
import { Database } from './sqlite.ts'
import { Statements } from './statements.ts'
import { transactions } from './transactions.ts'

export type Store = ReturnType<typeof openStore>

export interface StoreHooks {
  /** May write what has to agree with every commit, such as the generator's state. */
  beforeCommit(store: Store): void
  /** A commit failed: what was read from the database or written to it since the last one has to be read again. */
  rolledBack(store: Store): void
  workAdded(dueAt: number): void
}

export function openStore(place: DatabaseLocation, { beforeCommit, rolledBack, workAdded }: StoreHooks) {
  const db = openDatabase(place)
  const statements = new Statements(db)
  const work = transactions(db, statements, {
    beforeCommit: () => beforeCommit(store),
    rolledBack: () => rolledBack(store),
  })
  const { transact, transactNow, read, flush, onRollback } = work

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
    agenda: agendaStore(statements, workAdded),
    ledger: ledgerStore(statements),
    outbox: outboxStore(statements),
    deliveries: deliveryStore(statements),
    settings: settingStore(statements),

    /** Beyond so many pages SQLite refuses to write, as on a full disk; fewer than there are already mean no more. */
    limitPages(pages: number): void {
      db.pragma(`max_page_count = ${pages}`)
    },
    /** A snapshot: the database's bytes. */
    serialize(): Buffer {
      flush()
      return inMemoryForm(db.serialize())
    },
    close(): void {
      flush()
      db.close()
    },
    /** Closes and forgets; a kept database's files go too. */
    destroy(): void {
      store.close()
      if (place.file !== undefined) removeDatabase(place.file)
    },
  }
  return store
}

/** Why bytes from elsewhere cannot be a sandbox's database, in words; undefined for bytes that can. */
export function whyNoSnapshot(bytes: Buffer): string | undefined {
  let db: Database | undefined
  try {
    db = new Database(bytes)
    if (versionOf(db) === 0) return NO_SNAPSHOT
    const damage = db.pragma('quick_check', { simple: true })
    if (damage !== 'ok') return `it is damaged: ${damage}`
    return isOurs(bytes) ? undefined : NO_SNAPSHOT
  } catch (cause) {
    return cause instanceof NewerDatabase ? cause.message : NO_SNAPSHOT
  } finally {
    db?.close()
  }
}

const NO_SNAPSHOT = 'it is not the database of a sandbox'

export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
