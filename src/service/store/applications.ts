import { Application } from '../domain/application.ts'
import type { Statements } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

const APPLICATIONS = new TableQueries<Application>('applications', Application, {
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
