/** The tables of the resources: which columns never change, by which a list is filtered and what a search looks at. */

import { Authorization } from '../../spec/contract/authorization.ts'
import { Checkout } from '../../spec/contract/checkout.ts'
import { Customer } from '../../spec/contract/customer.ts'
import { PaymentMethod, type PaymentMethodType } from '../../spec/contract/payment-method.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { Application } from '../domain/application.ts'
import { query, type Statements } from './statements.ts'
import { Table } from './table.ts'
import { tableQueries } from './table-queries.ts'

export const CHECKOUTS = tableQueries<Checkout>('checkouts', Checkout, {
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

export const REFUNDS = tableQueries<Refund>('refunds', Refund, {
  fixed: ['checkoutId', 'authorizationId', 'amount', 'currency', 'createdAt'],
  filters: ['checkoutId', 'authorizationId', 'status'],
  searched: { amount: 'amount' },
})

export const AUTHORIZATIONS = tableQueries<Authorization>('authorizations', Authorization, {
  fixed: ['customerId', 'externalId', 'orderId', 'amount', 'currency', 'createdAt'],
  filters: ['orderId', 'customerId', 'status'],
  searched: { parts: ['orderId', 'externalId'], amount: 'amount' },
})

const CUSTOMERS = tableQueries<Customer>('customers', Customer, {
  filters: ['externalId'],
  searched: { beginnings: ['externalId'], parts: ['name', 'email', 'phone'] },
})
const BY_EXTERNAL_ID = CUSTOMERS.rows<[externalId: string]>('WHERE externalId = ?')

export class CustomerTable extends Table<Customer> {
  constructor(db: Statements) {
    super(db, CUSTOMERS)
  }

  findByExternalId(externalId: string): Customer | undefined {
    return this.row(BY_EXTERNAL_ID, externalId)
  }
}

export const PAYMENT_METHODS = tableQueries<PaymentMethod>('payment_methods', PaymentMethod, {
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

const APPLICATIONS = tableQueries<Application>('applications', Application, {
  fixed: ['checkoutId', 'createdAt'],
})
const OF_CHECKOUT = APPLICATIONS.rows<[checkoutId: string]>('WHERE checkoutId = ?')

export class ApplicationTable extends Table<Application> {
  constructor(db: Statements) {
    super(db, APPLICATIONS)
  }

  /** A checkout has one application at most. */
  findByCheckout(checkoutId: string): Application | undefined {
    return this.row(OF_CHECKOUT, checkoutId)
  }
}
