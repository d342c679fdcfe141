import { Refund } from '../../spec/contract/refund.ts'
import type { Statements } from './statements.ts'
import { Table } from './table.ts'
import { TableQueries } from './table-queries.ts'

export const REFUNDS = new TableQueries<Refund>('refunds', Refund, {
  fixed: ['checkoutId', 'authorizationId', 'amount', 'currency', 'createdAt'],
  filters: ['checkoutId', 'authorizationId', 'status'],
  searched: { amount: 'amount' },
})

export class RefundTable extends Table<Refund> {
  constructor(db: Statements) {
    super(db, REFUNDS)
  }
}
