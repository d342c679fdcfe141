/** The resource tables, derived from their definitions, and their special queries. */
import type { z } from 'zod'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import type { Customer } from '../../spec/contract/resources/customer.ts'
import type { ResourceField } from '../../spec/contract/resources/field.ts'
import { byResource, type Definitions, type ResourceName } from '../../spec/contract/resources/index.ts'
import type { PaymentMethod, PaymentMethodType } from '../../spec/contract/resources/payment-method.ts'
import { Application } from '../domain/application.ts'
import type { Statements } from './statements.ts'
import { defineTable, Table, type TableOptions } from './table.ts'

type AnyRow = { id: string }
type Row<Name extends ResourceName> = z.output<Definitions[Name]['Stored']>

export const TABLE_OF = byResource((definition) => {
  const { table, Stored, parent } = definition
  const fields = Object.entries<ResourceField>(definition.fields).filter(([name]) => name in Stored.shape)
  const named = (is: (field: ResourceField) => boolean) =>
    fields.flatMap(([name, field]) => (is(field) ? [name] : []))
  const searched = (how: string) => named(({ options }) => options.search === how)
  const filters = ['few', 'many'].flatMap((share) => named(({ options }) => options.filter === share))
  const options = {
    fixed: [...named(({ options }) => options.changes !== true), 'createdAt'],
    filters: [
      ...(parent ? [`${parent.name}Id`] : []),
      ...filters.filter((name) => name !== 'status'),
      ...filters.filter((name) => name === 'status'),
    ],
    searched: {
      beginnings: searched('beginning'),
      parts: searched('part'),
      amount: searched('amount')[0],
    },
  }
  return defineTable(table, Stored as z.ZodObject & z.ZodType<AnyRow>, options as TableOptions<AnyRow>)
}) as unknown as { readonly [Name in ResourceName]: ReturnType<typeof defineTable<Row<Name>>> }

const ADOPT = 'UPDATE checkouts SET customerId = ? WHERE externalId = ? AND customerId IS NULL'

export class CheckoutTable extends Table<Checkout> {
  constructor(db: Statements) {
    super(db, TABLE_OF.checkout)
  }

  /** Sets the customer of checkouts with this external ID when the customer is created. */
  adopt(customer: Customer): void {
    this.db.run(ADOPT, customer.id, customer.externalId)
  }
}

export class CustomerTable extends Table<Customer> {
  constructor(db: Statements) {
    super(db, TABLE_OF.customer)
  }

  findByExternalId(externalId: string): Customer | undefined {
    return this.row('WHERE externalId = ?', externalId)
  }
}

const NEWEST_ATTACHED = `WHERE customerId = ? AND type = ? AND status = 'attached' ORDER BY seq DESC LIMIT 1`

export class PaymentMethodTable extends Table<PaymentMethod> {
  constructor(db: Statements) {
    super(db, TABLE_OF.payment_method)
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
