import type { Checkout } from '../contract/checkout.ts'
import type { Customer } from '../contract/customer.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

const COLUMNS = [
  'id',
  'orderId',
  'externalId',
  'amount',
  'currency',
  'status',
  'successUrl',
  'cancelUrl',
  'customerId',
  'paymentMethodId',
  'paymentMethodType',
  'amountRefunded',
  'createdAt',
  'updatedAt',
  'approvedAt',
  'confirmedAt',
  'canceledAt',
] as const satisfies (keyof Checkout)[]

export function checkoutStore(db: Statements) {
  const adopt = db.prepare<[string, string]>(
    'UPDATE checkouts SET customerId = ? WHERE externalId = ? AND customerId IS NULL',
  )
  return {
    ...table<Checkout>(db, 'checkouts', COLUMNS, {
      changing: [
        'status',
        'customerId',
        'paymentMethodId',
        'paymentMethodType',
        'amountRefunded',
        'updatedAt',
        'approvedAt',
        'confirmedAt',
        'canceledAt',
      ],
      filters: ['status', 'orderId', 'externalId', 'customerId'],
    }),
    /** A checkout names its customer from the moment there is one. */
    adopt(customer: Customer): void {
      adopt.run(customer.id, customer.externalId)
    },
  }
}
