import type { Database } from 'better-sqlite3'
import type { Refund } from '../contract/refund.ts'
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

export const refundStore = (db: Database) =>
  table<Refund>(db, 'refunds', COLUMNS, {
    changing: ['status', 'updatedAt', 'completedAt'],
    filters: ['status', 'checkoutId', 'authorizationId'],
  })
