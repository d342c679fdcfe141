import { Refund } from '../contract/refund.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

export const refundStore = (db: Statements) =>
  table<Refund>(db, 'refunds', Refund, {
    fixed: ['checkoutId', 'authorizationId', 'amount', 'currency', 'createdAt'],
    filters: ['checkoutId', 'authorizationId', 'status'],
    searched: { amount: 'amount' },
  })
