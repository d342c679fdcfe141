import type { PaymentMethod, PaymentMethodType } from '../contract/payment-method.ts'
import type { Statements } from './statements.ts'
import { type ListQuery, table } from './table.ts'

const COLUMNS = [
  'id',
  'customerId',
  'type',
  'status',
  'card',
  'bankAccount',
  'createdAt',
  'updatedAt',
  'detachedAt',
] as const satisfies (keyof PaymentMethod)[]

/** The two nested objects are kept as JSON. */
type Row = Omit<PaymentMethod, 'card' | 'bankAccount'> & { card: string | null; bankAccount: string | null }

const toRow = (method: PaymentMethod): Row => ({
  ...method,
  card: method.card && JSON.stringify(method.card),
  bankAccount: method.bankAccount && JSON.stringify(method.bankAccount),
})

const fromRow = (row: Row): PaymentMethod => ({
  ...row,
  card: row.card && JSON.parse(row.card),
  bankAccount: row.bankAccount && JSON.parse(row.bankAccount),
})

export function paymentMethodStore(db: Statements) {
  const rows = table<Row>(db, 'payment_methods', COLUMNS, {
    changing: ['status', 'updatedAt', 'detachedAt'],
    filters: ['customerId', 'status', 'type'],
  })
  const newestAttached = db.prepare<[string, string], Row>(
    `SELECT ${COLUMNS.join(', ')} FROM payment_methods
     WHERE customerId = ? AND type = ? AND status = 'attached' ORDER BY seq DESC LIMIT 1`,
  )
  const found = (row: Row | undefined) => row && fromRow(row)
  return {
    insert: (method: PaymentMethod) => rows.insert(toRow(method)),
    update: (method: PaymentMethod) => rows.update(toRow(method)),
    find: (id: string): PaymentMethod | undefined => found(rows.find(id)),
    list(query: ListQuery) {
      const page = rows.list(query)
      return { ...page, data: page.data.map(fromRow) }
    },
    count: rows.count,
    countBy: rows.countBy,
    newestAttached: (customerId: string, type: PaymentMethodType): PaymentMethod | undefined =>
      found(newestAttached.get(customerId, type)),
  }
}
