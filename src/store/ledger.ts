/** §1.5: no money moves. What would have moved is written here, once, in the transaction of its cause (D54). */
import { z } from 'zod'
import { type Cents, Money } from '../contract/money.ts'
import { Currency } from '../contract/wire.ts'
import { Columns } from './columns.ts'
import { lookBack } from './look-back.ts'
import type { Statements } from './statements.ts'

export const Movement = z.object({
  kind: z.enum(['charge', 'capture', 'refund']),
  amount: Money,
  currency: Currency,
  checkoutId: z.string().nullable(),
  authorizationId: z.string().nullable(),
  refundId: z.string().nullable(),
  createdAt: z.int(),
})

export type Movement = z.output<typeof Movement>

export interface Sums {
  charged: Cents
  captured: Cents
  refunded: Cents
  charges: number
  captures: number
  refunds: number
}

export function ledgerStore(db: Statements) {
  const columns = new Columns(Movement)
  const insert = db.prepare<[unknown[]]>(`INSERT INTO ledger ${columns.insertion}`)
  const list = db.prepare<[], Movement>(`SELECT ${columns.list} FROM ledger ORDER BY seq`)
  const sums = db.prepare<[], Sums>(`
    SELECT total(amount) FILTER (WHERE kind = 'charge') AS charged,
           total(amount) FILTER (WHERE kind = 'capture') AS captured,
           total(amount) FILTER (WHERE kind = 'refund') AS refunded,
           count(*) FILTER (WHERE kind = 'charge') AS charges,
           count(*) FILTER (WHERE kind = 'capture') AS captures,
           count(*) FILTER (WHERE kind = 'refund') AS refunds
    FROM ledger INDEXED BY ledger_by_kind`)
  return {
    insert: (movement: Movement): void => void insert.run(columns.valuesOf(movement)),
    list: (): Movement[] => list.all(),
    newest: lookBack(db, 'ledger', columns, { kind: 'kind = ?' }),
    sums: (): Sums => sums.get()!,
  }
}
