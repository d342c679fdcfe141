import { Authorization } from '../contract/authorization.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

export const authorizationStore = (db: Statements) =>
  table<Authorization>(db, 'authorizations', Authorization, {
    fixed: ['customerId', 'externalId', 'orderId', 'amount', 'currency', 'createdAt'],
    filters: ['orderId', 'customerId', 'status'],
    searched: { parts: ['orderId', 'externalId'], amount: 'amount' },
  })
