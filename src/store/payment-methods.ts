import { PaymentMethod, type PaymentMethodType } from '../contract/payment-method.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

export function paymentMethodStore(db: Statements) {
  const methods = table<PaymentMethod>(db, 'payment_methods', PaymentMethod, {
    fixed: ['customerId', 'type', 'card', 'bankAccount', 'createdAt'],
    filters: ['customerId', 'status', 'type'],
    searched: { parts: ['card', 'bankAccount'] },
  })
  return {
    ...methods,
    newestAttached: methods.finder<[customerId: string, type: PaymentMethodType]>(
      `WHERE customerId = ? AND type = ? AND status = 'attached' ORDER BY seq DESC LIMIT 1`,
    ),
  }
}
