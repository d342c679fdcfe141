/** Everything a sandbox keeps: one database, and one face for each kind of row. */
import { rmSync } from 'node:fs'
import { agendaStore } from './agenda.ts'
import { answerStore } from './answers.ts'
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

/** `beforeCommit` may write what has to agree with every commit, such as the generator's state. */
export function openStore(place: Place, beforeCommit: (store: Store) => void = () => {}) {
  const db = openDatabase(place)
  const { transact, read, flush } = transactions(db, () => beforeCommit(store))

  const store = {
    transact,
    read,
    flush,
    checkouts: checkoutStore(db),
    authorizations: authorizationStore(db),
    refunds: refundStore(db),
    customers: customerStore(db),
    paymentMethods: paymentMethodStore(db),
    events: eventStore(db),
    answers: answerStore(db),
    agenda: agendaStore(db),
    ledger: ledgerStore(db),
    outbox: outboxStore(db),
    deliveries: deliveryStore(db),
    settings: settingStore(db),

    /** A snapshot: the database's bytes. */
    serialize(): Buffer {
      flush()
      return db.serialize()
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

export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
