/** §1.5: no money moves. What would have moved is written here, once, in the transaction of its cause (D54). */
import { z } from 'zod'
import { type Cents, cents, Money } from '../contract/money.ts'
import { Currency } from '../contract/wire.ts'
import { tableColumns } from './columns.ts'
import { lookBack } from './look-back.ts'
import { LIMIT, type Statements } from './statements.ts'

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
  const columns = tableColumns(Movement)
  const insert = db.prepare<unknown[]>(`INSERT INTO ledger ${columns.insertion}`)
  const last = db.prepare<[], number | null>('SELECT max(seq) FROM ledger').pluck()
  const latest = db.prepare<[number, number], Movement & { seq: number }>(
    `SELECT ${columns.list}, seq FROM ledger WHERE seq < ? ORDER BY seq DESC ${LIMIT}`,
  )
  const sumsOf = db.prepare<[number, number], Sums>(`
    SELECT total(amount) FILTER (WHERE kind = 'charge') AS charged,
           total(amount) FILTER (WHERE kind = 'capture') AS captured,
           total(amount) FILTER (WHERE kind = 'refund') AS refunded,
           count(*) FILTER (WHERE kind = 'charge') AS charges,
           count(*) FILTER (WHERE kind = 'capture') AS captures,
           count(*) FILTER (WHERE kind = 'refund') AS refunds
    FROM ledger WHERE seq > ? AND seq <= ?`)
  let summed = { upTo: 0, sums: sumsOf.get(0, 0)! }
  return {
    insert: (movement: Movement): void => void insert.run(...columns.valuesOf(movement)),
    /** The latest before that place, in the order in which they happened. */
    list: (
      limit = Number.MAX_SAFE_INTEGER,
      before = Number.MAX_SAFE_INTEGER,
    ): (Movement & { seq: number })[] => latest.all(before, limit).reverse(),
    newest: lookBack(db, 'ledger', columns, { kind: 'kind = ?' }),
    /**
     * In steps. A movement is never changed or removed, so only those since the last time are read; they have to be committed,
     * as those that are taken back must not be among them.
     */
    *sums(): Generator<undefined, Sums> {
      const end = last.get() ?? 0
      while (summed.upTo < end) {
        const upTo = Math.min(summed.upTo + ROWS_OF_A_STEP, end)
        summed = { upTo, sums: added(summed.sums, sumsOf.get(summed.upTo, upTo)!) }
        yield
      }
      return summed.sums
    },
  }
}

/** They take 1 to 2 ms. */
const ROWS_OF_A_STEP = 20_000

const added = (one: Sums, other: Sums): Sums => ({
  charged: cents(one.charged + other.charged),
  captured: cents(one.captured + other.captured),
  refunded: cents(one.refunded + other.refunded),
  charges: one.charges + other.charges,
  captures: one.captures + other.captures,
  refunds: one.refunds + other.refunds,
})
