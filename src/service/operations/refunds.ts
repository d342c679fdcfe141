/** §4 refunds. Both ways to create one, by path and by body (D25), run `startRefund` after the same check. */

import type { Cents } from '../../spec/contract/money.ts'
import { CheckoutRefund } from '../../spec/contract/resources/checkout.ts'
import { type Refund, RefundCreate } from '../../spec/contract/resources/refund.ts'
import { authorizationCharge, checkoutCharge, requireRefundable, withRefund } from '../domain/refund.ts'
import { newRow } from '../domain/rows.ts'
import { operation } from './operation.ts'
import { create, findRow } from './plain.ts'
import type { Unit } from './unit.ts'

export const postCheckoutRefund = operation({
  id: 'checkouts.refund',
  body: CheckoutRefund,
  run: (unit, { params, body }) => refundCheckout(unit, params.id, body.amount),
})

export const postRefund = operation({
  id: 'refunds.create',
  body: RefundCreate,
  run: (unit, { body }) =>
    body.checkoutId
      ? refundCheckout(unit, body.checkoutId, body.amount)
      : refundAuthorization(unit, body.authorizationId!, body.amount),
})

function refundCheckout(unit: Unit, id: string, amount: Cents): Refund {
  const checkout = findRow(unit, 'checkout', id)
  requireRefundable(checkoutCharge(checkout), amount)
  unit.store.checkouts.update(withRefund(checkout, amount, unit.now))
  return startRefund(unit, { checkoutId: id, authorizationId: null }, amount)
}

function refundAuthorization(unit: Unit, id: string, amount: Cents): Refund {
  const authorization = findRow(unit, 'authorization', id)
  requireRefundable(authorizationCharge(authorization), amount)
  unit.store.authorizations.update(withRefund(authorization, amount, unit.now))
  return startRefund(unit, { checkoutId: null, authorizationId: id }, amount)
}

function startRefund(
  unit: Unit,
  target: Pick<Refund, 'checkoutId' | 'authorizationId'>,
  amount: Cents,
): Refund {
  const refund = newRow('refund', { id: unit.id('refund'), ...target, amount }, unit.now)
  return create(unit, 'refund', refund)
}
