import { Application } from '../domain/application.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

/** A checkout has one application at most. */
export function applicationStore(db: Statements) {
  const applications = table<Application>(db, 'applications', Application, {
    fixed: ['checkoutId', 'createdAt'],
  })
  return { ...applications, findByCheckout: applications.finder<[string]>('WHERE checkoutId = ?') }
}
