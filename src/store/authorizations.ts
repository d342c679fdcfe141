import type { Authorization } from '../contract/authorization.ts'
import type { Statements } from './statements.ts'
import { table } from './table.ts'

const COLUMNS = [
  'id',
  'customerId',
  'externalId',
  'orderId',
  'amount',
  'currency',
  'status',
  'paymentMethodId',
  'paymentMethodType',
  'amountCaptured',
  'amountRefunded',
  'createdAt',
  'updatedAt',
  'capturedAt',
  'voidedAt',
] as const satisfies (keyof Authorization)[]

export const authorizationStore = (db: Statements) =>
  table<Authorization>(db, 'authorizations', COLUMNS, {
    changing: ['status', 'amountCaptured', 'amountRefunded', 'updatedAt', 'capturedAt', 'voidedAt'],
    filters: ['status', 'orderId', 'customerId'],
  })
