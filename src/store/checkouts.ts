import { Checkout } from '../contract/checkout.ts'
import type { Customer } from '../contract/customer.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

/** The page's address depends on where this simulator can be reached, so it is no column. */
export const CheckoutRow = Checkout.omit({ checkoutUrl: true })

export function checkoutStore(db: Statements) {
  const adopt = db.prepare<[string, string]>(
    'UPDATE checkouts SET customerId = ? WHERE externalId = ? AND customerId IS NULL',
  )
  const checkouts = table<Checkout>(db, 'checkouts', CheckoutRow, {
    fixed: ['orderId', 'externalId', 'amount', 'currency', 'successUrl', 'cancelUrl', 'createdAt'],
    filters: ['orderId', 'externalId', 'customerId', 'status'],
    searched: { beginnings: ['orderId', 'externalId'], amount: 'amount' },
  })
  return {
    ...checkouts,
    /** A checkout names its customer from the moment there is one. */
    adopt(customer: Customer): void {
      adopt.run(customer.id, customer.externalId)
      checkouts.changedOtherwise()
    },
  }
}
