import { amountTooLarge, cardsOnly, fullyRefunded, notInState } from '../../spec/contract/errors.ts'
import { type Cents, cents } from '../../spec/contract/money.ts'
import { authorization } from '../../spec/contract/resources/authorization.ts'
import { checkout } from '../../spec/contract/resources/checkout.ts'
import { DEFINITIONS } from '../../spec/contract/resources/index.ts'
import type { RowOf } from './rows.ts'

/** The moves that take the money of a payment, before which it cannot be refunded. */
const TAKEN_BY = { checkout: checkout.moves.confirm, authorization: authorization.moves.capture }
export type Refundable = keyof typeof TAKEN_BY

/**
 * The payment after a refund of it is created; throws unless this amount can be refunded. Checks in the order of D20: cards only
 * (§5), state, amount. Without a payment method the state is at fault (D26). The amount counts from now on, while the refund is
 * still pending (D27); completing the refund changes nothing here. The state stays as it is (D28).
 */
export function withRefund(kind: Refundable, payment: RowOf<Refundable>, amount: Cents, now: number) {
  const { collection, words } = DEFINITIONS[kind]
  const { to, ledger } = TAKEN_BY[kind]
  const { status, paymentMethodType, amountRefunded } = payment
  if (paymentMethodType !== null && paymentMethodType !== 'card') throw cardsOnly(collection)
  if (status !== to) throw notInState(words.one, status, to)
  const refundable = (Reflect.get(payment, ledger.amount) as Cents) - amountRefunded
  if (refundable === 0) throw fullyRefunded(words.one)
  if (amount > refundable) throw amountTooLarge('refundable')
  return { ...payment, amountRefunded: cents(amountRefunded + amount), updatedAt: now }
}
