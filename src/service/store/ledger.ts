/**
 * §1.5: no money moves. Each payment that production would have made is a row, written once, in the
 * transaction of its cause (D54).
 */
import { z } from 'zod'
import { type Cents, cents, Money } from '../../spec/contract/money.ts'
import { Currency } from '../../spec/contract/wire.ts'
import { lookBack } from './look-back.ts'
import { Columns, LIMIT, type Statements } from './statements.ts'

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

/** Rows summed in one step: 1 to 2 ms. */
const ROWS_OF_A_STEP = 20_000

const COLUMNS = new Columns<Movement>(Movement)
const LOOK_BACK = lookBack('ledger', COLUMNS, { kind: 'kind = ?' })

const INSERT = `INSERT INTO ledger ${COLUMNS.insertion}`
const LATEST = `SELECT ${COLUMNS.list}, seq FROM ledger WHERE seq < ? ORDER BY seq DESC ${LIMIT}`
const SUMS = `
  SELECT total(amount) FILTER (WHERE kind = 'charge') AS charged,
         total(amount) FILTER (WHERE kind = 'capture') AS captured,
         total(amount) FILTER (WHERE kind = 'refund') AS refunded,
         count(*) FILTER (WHERE kind = 'charge') AS charges,
         count(*) FILTER (WHERE kind = 'capture') AS captures,
         count(*) FILTER (WHERE kind = 'refund') AS refunds
  FROM ledger WHERE seq > ? AND seq <= ?`

const NOTHING: Sums = {
  charged: cents(0),
  captured: cents(0),
  refunded: cents(0),
  charges: 0,
  captures: 0,
  refunds: 0,
}

export class LedgerTable {
  readonly lookBack: ReturnType<typeof LOOK_BACK>
  readonly #db: Statements
  #summed = { upTo: 0, sums: NOTHING }

  constructor(db: Statements) {
    this.#db = db
    this.lookBack = LOOK_BACK(db)
  }

  insert(movement: Movement): void {
    this.#db.run(INSERT, ...COLUMNS.valuesOf(movement))
  }

  /** The latest movements before that place, oldest first. */
  list(limit = Number.MAX_SAFE_INTEGER, before = Number.MAX_SAFE_INTEGER): (Movement & { seq: number })[] {
    return this.#db.all<Movement & { seq: number }>(LATEST, before, limit).reverse()
  }

  /**
   * Sums of all movements, in steps. A movement never changes, so each call reads only the rows since the
   * last one. Call it when all is committed: a row that is rolled back later would stay in the sums.
   */
  *sums(): Generator<undefined, Sums> {
    const end = this.#db.value<number | null>('SELECT max(seq) FROM ledger') ?? 0
    while (this.#summed.upTo < end) {
      const upTo = Math.min(this.#summed.upTo + ROWS_OF_A_STEP, end)
      const sums = added(this.#summed.sums, this.#db.get<Sums>(SUMS, this.#summed.upTo, upTo)!)
      this.#summed = { upTo, sums }
      yield
    }
    return this.#summed.sums
  }
}

const added = (one: Sums, other: Sums): Sums => ({
  charged: cents(one.charged + other.charged),
  captured: cents(one.captured + other.captured),
  refunded: cents(one.refunded + other.refunded),
  charges: one.charges + other.charges,
  captures: one.captures + other.captures,
  refunds: one.refunds + other.refunds,
})
