import type { Customer } from '../contract/customer.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

const COLUMNS = [
  'id',
  'externalId',
  'name',
  'email',
  'phone',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Customer)[]

export function customerStore(db: Statements) {
  const findByExternalId = db.prepare<[string], Customer>(
    `SELECT ${COLUMNS.join(', ')} FROM customers WHERE externalId = ?`,
  )
  return {
    ...table<Customer>(db, 'customers', COLUMNS, { filters: ['externalId'] }),
    findByExternalId: (externalId: string): Customer | undefined => findByExternalId.get(externalId),
  }
}
