/** The tables of the resources: which columns never change, by which a list is filtered and what a search looks at. */

import { Authorization } from '../../spec/contract/authorization.ts'
import { Checkout } from '../../spec/contract/checkout.ts'
import { Customer } from '../../spec/contract/customer.ts'
import { PaymentMethod, type PaymentMethodType } from '../../spec/contract/payment-method.ts'
import { Refund } from '../../spec/contract/refund.ts'
import { Application } from '../domain/application.ts'
import type { Statements } from './statements.ts'
import { defineTable, Table } from './table.ts'

export const CHECKOUTS = defineTable<Checkout>('checkouts', Checkout, {
  fixed: ['orderId', 'externalId', 'amount', 'currency', 'successUrl', 'cancelUrl', 'createdAt'],
  filters: ['orderId', 'externalId', 'customerId', 'status'],
  searched: { beginnings: ['orderId', 'externalId'], amount: 'amount' },
})
const ADOPT = 'UPDATE checkouts SET customerId = ? WHERE externalId = ? AND customerId IS NULL'

export class CheckoutTable extends Table<Checkout> {
  constructor(db: Statements) {
    super(db, CHECKOUTS)
  }

  /** Sets the customer of the external ID's checkouts when the customer is created. */
  adopt(customer: Customer): void {
    this.db.run(ADOPT, customer.id, customer.externalId)
  }
}

export const REFUNDS = defineTable<Refund>('refunds', Refund, {
  fixed: ['checkoutId', 'authorizationId', 'amount', 'currency', 'createdAt'],
  filters: ['checkoutId', 'authorizationId', 'status'],
  searched: { amount: 'amount' },
})

export const AUTHORIZATIONS = defineTable<Authorization>('authorizations', Authorization, {
  fixed: ['customerId', 'externalId', 'orderId', 'amount', 'currency', 'createdAt'],
  filters: ['orderId', 'customerId', 'status'],
  searched: { parts: ['orderId', 'externalId'], amount: 'amount' },
})

const CUSTOMERS = defineTable<Customer>('customers', Customer, {
  filters: ['externalId'],
  searched: { beginnings: ['externalId'], parts: ['name', 'email', 'phone'] },
})

export class CustomerTable extends Table<Customer> {
  constructor(db: Statements) {
    super(db, CUSTOMERS)
  }

  findByExternalId(externalId: string): Customer | undefined {
    return this.row('WHERE externalId = ?', externalId)
  }
}

export const PAYMENT_METHODS = defineTable<PaymentMethod>('payment_methods', PaymentMethod, {
  fixed: ['customerId', 'type', 'card', 'bankAccount', 'createdAt'],
  filters: ['customerId', 'status', 'type'],
  searched: { parts: ['card', 'bankAccount'] },
})
const NEWEST_ATTACHED = `WHERE customerId = ? AND type = ? AND status = 'attached' ORDER BY seq DESC LIMIT 1`

export class PaymentMethodTable extends Table<PaymentMethod> {
  constructor(db: Statements) {
    super(db, PAYMENT_METHODS)
  }

  newestAttached(customerId: string, type: PaymentMethodType): PaymentMethod | undefined {
    return this.row(NEWEST_ATTACHED, customerId, type)
  }
}

const APPLICATIONS = defineTable<Application>('applications', Application, {
  fixed: ['checkoutId', 'createdAt'],
})

export class ApplicationTable extends Table<Application> {
  constructor(db: Statements) {
    super(db, APPLICATIONS)
  }

  /** A checkout has one application at most. */
  findByCheckout(checkoutId: string): Application | undefined {
    return this.row('WHERE checkoutId = ?', checkoutId)
  }
}
