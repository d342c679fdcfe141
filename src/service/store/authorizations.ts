import { Authorization } from '../../spec/contract/authorization.ts'
import type { Statements } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

const AUTHORIZATIONS = new TableQueries<Authorization>('authorizations', Authorization, {
  fixed: ['customerId', 'externalId', 'orderId', 'amount', 'currency', 'createdAt'],
  filters: ['orderId', 'customerId', 'status'],
  searched: { parts: ['orderId', 'externalId'], amount: 'amount' },
})

export class AuthorizationTable extends Table<Authorization> {
  constructor(db: Statements) {
    super(db, AUTHORIZATIONS)
  }
}
