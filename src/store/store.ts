/** Everything a sandbox keeps: one database, and one face for each kind of row. */
import { rmSync } from 'node:fs'
import { agendaStore } from './agenda.ts'
import { answerStore } from './answers.ts'
import { applicationStore } from './applications.ts'
import { authorizationStore } from './authorizations.ts'
import { checkoutStore } from './checkouts.ts'
import { customerStore } from './customers.ts'
import { openDatabase, type Place } from './database.ts'
import { deliveryStore } from './deliveries.ts'
import { eventStore } from './events.ts'
import { ledgerStore } from './ledger.ts'
import { outboxStore } from './outbox.ts'
import { paymentMethodStore } from './payment-methods.ts'
import { refundStore } from './refunds.ts'
import { settingStore } from './settings.ts'
import { transactions } from './transactions.ts'

export type Store = ReturnType<typeof openStore>

export interface Watching {
  /** May write what has to agree with every commit, such as the generator's state. */
  beforeCommit(store: Store): void
  workAdded(dueAt: number): void
}

export function openStore(place: Place, { beforeCommit, workAdded }: Watching) {
  const db = openDatabase(place)
  const { transact, read, flush } = transactions(db, () => beforeCommit(store))

  const store = {
    transact,
    read,
    flush,
    checkouts: checkoutStore(db),
    authorizations: authorizationStore(db),
    refunds: refundStore(db),
    applications: applicationStore(db),
    customers: customerStore(db),
    paymentMethods: paymentMethodStore(db),
    events: eventStore(db),
    answers: answerStore(db),
    agenda: agendaStore(db, workAdded),
    ledger: ledgerStore(db),
    outbox: outboxStore(db),
    deliveries: deliveryStore(db),
    settings: settingStore(db),

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

/** A kept database says in its header that it has a write-ahead log; a copy in memory has none and must not say so. */
function inMemoryForm(bytes: Buffer): Buffer {
  bytes[18] = 1
  bytes[19] = 1
  return bytes
}

export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
