/** §1.5: no money moves. What would have moved is written here, once, in the transaction of its cause (D54). */

import type { Cents } from '../contract/money.ts'
import type { Statements } from './statements.ts'

export interface Movement {
  kind: 'charge' | 'capture' | 'refund'
  amount: Cents
  currency: 'USD'
  checkoutId: string | null
  authorizationId: string | null
  refundId: string | null
  createdAt: number
}

export interface Sums {
  charged: Cents
  captured: Cents
  refunded: Cents
  charges: number
  captures: number
  refunds: number
}

const COLUMNS = 'kind, amount, currency, checkoutId, authorizationId, refundId, createdAt'

export function ledgerStore(db: Statements) {
  const insert = db.prepare<[(string | number | null)[]]>(
    `INSERT INTO ledger (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const list = db.prepare<[], Movement>(`SELECT ${COLUMNS} FROM ledger ORDER BY seq`)
  const sums = db.prepare<[], Sums>(`
    SELECT total(amount) FILTER (WHERE kind = 'charge') AS charged,
           total(amount) FILTER (WHERE kind = 'capture') AS captured,
           total(amount) FILTER (WHERE kind = 'refund') AS refunded,
           count(*) FILTER (WHERE kind = 'charge') AS charges,
           count(*) FILTER (WHERE kind = 'capture') AS captures,
           count(*) FILTER (WHERE kind = 'refund') AS refunds
    FROM ledger`)
  return {
    insert({ kind, amount, currency, checkoutId, authorizationId, refundId, createdAt }: Movement): void {
      insert.run([kind, amount, currency, checkoutId, authorizationId, refundId, createdAt])
    },
    list: (): Movement[] => list.all(),
    sums: (): Sums => sums.get()!,
  }
}
