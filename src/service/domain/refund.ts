import { cardsOnly, notInState } from '../../spec/contract/errors.ts'
import { authorization } from '../../spec/contract/resources/authorization.ts'
import { checkout } from '../../spec/contract/resources/checkout.ts'
import { DEFINITIONS } from '../../spec/contract/resources/index.ts'
import type { RowOf } from './rows.ts'

/** The moves that take the money of a payment, before which it cannot be refunded. */
const TAKEN_BY = { checkout: checkout.moves.confirm, authorization: authorization.moves.capture }
export type Refundable = keyof typeof TAKEN_BY

/** In the order of D20: cards only (§5), then the state, which is at fault without a payment method (D26). */
export function requireRefundable(kind: Refundable, { status, paymentMethodType }: RowOf<Refundable>): void {
  const { collection, words } = DEFINITIONS[kind]
  const { to } = TAKEN_BY[kind]
  if (paymentMethodType !== null && paymentMethodType !== 'card') throw cardsOnly(collection)
  if (status !== to) throw notInState(words.one, status, to)
}
