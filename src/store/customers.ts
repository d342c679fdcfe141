import type { Customer } from '../contract/customer.ts'
import type { Database } from './sqlite.ts'
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

export function customerStore(db: Database) {
  const findByExternalId = db.prepare<[string], Customer>(
    `SELECT ${COLUMNS.join(', ')} FROM customers WHERE externalId = ?`,
  )
  return {
    ...table<Customer>(db, 'customers', COLUMNS, { filters: ['externalId'] }),
    findByExternalId: (externalId: string): Customer | undefined => findByExternalId.get(externalId),
  }
}
