import { PaymentMethod, type PaymentMethodType } from '../../spec/contract/payment-method.ts'
import type { Statements } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

export const PAYMENT_METHODS = new TableQueries<PaymentMethod>('payment_methods', PaymentMethod, {
  fixed: ['customerId', 'type', 'card', 'bankAccount', 'createdAt'],
  filters: ['customerId', 'status', 'type'],
  searched: { parts: ['card', 'bankAccount'] },
})
const NEWEST_ATTACHED = PAYMENT_METHODS.rows<[customerId: string, type: PaymentMethodType]>(
  `WHERE customerId = ? AND type = ? AND status = 'attached' ORDER BY seq DESC LIMIT 1`,
)

export class PaymentMethodTable extends Table<PaymentMethod> {
  constructor(db: Statements) {
    super(db, PAYMENT_METHODS)
  }

  newestAttached(customerId: string, type: PaymentMethodType): PaymentMethod | undefined {
    return this.row(NEWEST_ATTACHED, customerId, type)
  }
}
