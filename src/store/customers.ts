import { Customer } from '../contract/customer.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

export function customerStore(db: Statements) {
  const customers = table<Customer>(db, 'customers', Customer, {
    filters: ['externalId'],
    searched: { beginnings: ['externalId'], parts: ['name', 'email', 'phone'] },
  })
  return {
    ...customers,
    findByExternalId: customers.finder<[string]>('WHERE externalId = ?'),
  }
}
