/**
 * §1.5: no money moves. Each payment that production would have made is a row, written once, in its cause's transaction (D54).
 */
import { z } from 'zod'
import { type Cents, cents, Money } from '../../spec/contract/money.ts'
import {
  type CountName,
  isGivenBack,
  LEDGER_KIND_NAMES,
  LEDGER_KINDS,
  type LedgerKind,
  ofSums,
  type SumName,
} from '../../spec/contract/resources/ledger.ts'
import { forMovingIds, PAYMENT_KINDS } from '../../spec/contract/resources/movements.ts'
import { Currency } from '../../spec/contract/wire.ts'
import { lookBack } from './look-back.ts'
import { Columns, LIMIT, type Statements } from './statements.ts'

export const Movement = z.object({
  kind: z.enum(LEDGER_KIND_NAMES),
  amount: Money,
  currency: Currency,
  ...forMovingIds(() => z.string().nullable()),
  createdAt: z.int(),
})

export type Movement = z.output<typeof Movement>

export type Sums = Record<SumName, Cents> & Record<CountName, number>

const COLUMNS = new Columns<Movement>(Movement)
const LOOK_BACK = lookBack('ledger', COLUMNS, { kind: 'kind = ?' })

const INSERT = `INSERT INTO ledger ${COLUMNS.insertion}`
const LATEST = `SELECT ${COLUMNS.list}, seq FROM ledger WHERE seq < ? ORDER BY seq DESC ${LIMIT}`
const only = (kind: LedgerKind) => `FILTER (WHERE kind = '${kind}')`
const SUMMED = Object.entries(
  ofSums(
    (kind) => `total(amount) ${only(kind)}`,
    (kind) => `count(*) ${only(kind)}`,
  ),
).map(([name, sum]) => `${sum} AS ${name}`)
const SUMS = `SELECT ${SUMMED.join(', ')} FROM ledger WHERE seq > ? AND seq <= ?`

/** The payment of a movement. Spelled as in its index, because SQLite compares the text. */
export const PAYMENT = `coalesce(${PAYMENT_KINDS.map((kind) => `${kind}Id`).join(', ')})`
const GIVEN_BACK = LEDGER_KIND_NAMES.filter(isGivenBack).map((kind) => `'${kind}'`)
const LEFT = `SELECT total(iif(kind IN (${GIVEN_BACK}), -amount, amount)) FROM ledger WHERE ${PAYMENT} = ?`
const RETURNS = `SELECT kind, total(amount) AS amount FROM ledger
WHERE ${PAYMENT} = ? AND kind IN (${GIVEN_BACK}) GROUP BY kind ORDER BY min(seq)`
const RETURNED_TWICE = `SELECT ${PAYMENT} AS payment FROM (SELECT * FROM ledger ORDER BY seq DESC ${LIMIT})
WHERE kind IN (${GIVEN_BACK}) GROUP BY payment, amount HAVING count(DISTINCT kind) > 1`

const NOTHING: Sums = ofSums(
  () => cents(0),
  () => 0,
)

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

  /** How much of a payment's money is left to give back. A refund counts from its creation, although it is pending (D27). */
  leftOf(payment: string): Cents {
    return cents(this.#db.value(LEFT, payment)!)
  }

  /** How much of a payment's money was given back, by each kind of movement. */
  returnsOf(payment: string): Pick<Movement, 'kind' | 'amount'>[] {
    return this.#db.all(RETURNS, payment)
  }

  /** The payments that gave the same amount back by several kinds of the latest movements. */
  returnedTwice(limit: number): string[] {
    return this.#db.values(RETURNED_TWICE, limit)
  }

  /**
   * Sums of all movements. A movement never changes, so each call reads only the rows since the last one. Call it when all is
   * committed: a row that is rolled back later would stay in the sums.
   */
  sums(): Sums {
    const upTo = this.#db.value<number | null>('SELECT max(seq) FROM ledger') ?? 0
    if (this.#summed.upTo < upTo) {
      const sums = added(this.#summed.sums, this.#db.get<Sums>(SUMS, this.#summed.upTo, upTo)!)
      this.#summed = { upTo, sums }
    }
    return this.#summed.sums
  }
}

const added = (a: Sums, b: Sums): Sums =>
  ofSums(
    (kind) => cents(a[LEDGER_KINDS[kind].sum] + b[LEDGER_KINDS[kind].sum]),
    (kind) => a[LEDGER_KINDS[kind].count] + b[LEDGER_KINDS[kind].count],
  )
