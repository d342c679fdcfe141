import type { Refund } from '../contract/refund.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

const COLUMNS = [
  'id',
  'checkoutId',
  'authorizationId',
  'amount',
  'currency',
  'status',
  'createdAt',
  'updatedAt',
  'completedAt',
] as const satisfies (keyof Refund)[]

export const refundStore = (db: Statements) =>
  table<Refund>(db, 'refunds', COLUMNS, {
    changing: ['status', 'updatedAt', 'completedAt'],
    filters: ['status', 'checkoutId', 'authorizationId'],
  })
