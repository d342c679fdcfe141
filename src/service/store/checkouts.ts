import { Checkout } from '../../spec/contract/checkout.ts'
import type { Customer } from '../../spec/contract/customer.ts'
import { query, type Statements } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

export const CHECKOUTS = new TableQueries<Checkout>('checkouts', Checkout, {
  fixed: ['orderId', 'externalId', 'amount', 'currency', 'successUrl', 'cancelUrl', 'createdAt'],
  filters: ['orderId', 'externalId', 'customerId', 'status'],
  searched: { beginnings: ['orderId', 'externalId'], amount: 'amount' },
})
const ADOPT = query<[customerId: string, externalId: string]>(
  'UPDATE checkouts SET customerId = ? WHERE externalId = ? AND customerId IS NULL',
)

export class CheckoutTable extends Table<Checkout> {
  constructor(db: Statements) {
    super(db, CHECKOUTS)
  }

  /** Sets the customer of the external ID's checkouts when the customer is created. */
  adopt(customer: Customer): void {
    this.db.run(ADOPT, customer.id, customer.externalId)
  }
}
