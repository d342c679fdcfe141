/** §4 refunds. Both ways to create one, by path and by body (D25), run `startRefund`. */

import { type Cents, cents } from '../../spec/contract/money.ts'
import { CheckoutRefund } from '../../spec/contract/resources/checkout.ts'
import { type Refund, RefundCreate } from '../../spec/contract/resources/refund.ts'
import { type Refundable, requireRefundable } from '../domain/refund.ts'
import { operation } from './operation.ts'
import { create, findRow } from './plain.ts'
import { tableOf, type Unit } from './unit.ts'

export const postCheckoutRefund = operation({
  id: 'checkouts.refund',
  body: CheckoutRefund,
  run: (unit, { params, body }) => startRefund(unit, 'checkout', params.id, body.amount),
})

export const postRefund = operation({
  id: 'refunds.create',
  body: RefundCreate,
  run: (unit, { body: { checkoutId, authorizationId, amount } }) =>
    checkoutId
      ? startRefund(unit, 'checkout', checkoutId, amount)
      : startRefund(unit, 'authorization', authorizationId!, amount),
})

function startRefund(unit: Unit, kind: Refundable, id: string, amount: Cents): Refund {
  const payment = findRow<Refundable>(unit, kind, id)
  requireRefundable(kind, payment)
  const refund = create(unit, 'refund', { [`${kind}Id`]: id, amount })
  // The amount counts while the refund is pending (D27), and the state of the payment stays as it is (D28).
  const amountRefunded = cents(payment.amountRefunded + amount)
  tableOf<Refundable>(unit.store, kind).update({ ...payment, amountRefunded, updatedAt: unit.now })
  return refund
}
