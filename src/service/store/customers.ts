import { Customer } from '../../spec/contract/customer.ts'
import type { Statements } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

const CUSTOMERS = new TableQueries<Customer>('customers', Customer, {
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
