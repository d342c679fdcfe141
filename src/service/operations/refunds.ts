/** §4 refunds. Both ways to create one, by path and by body (D25), run `startRefund`. */

import type { Cents } from '../../spec/contract/money.ts'
import { CheckoutRefund } from '../../spec/contract/resources/checkout.ts'
import { type Refund, RefundCreate } from '../../spec/contract/resources/refund.ts'
import { type Refundable, withRefund } from '../domain/refund.ts'
import { newRow } from '../domain/rows.ts'
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
  tableOf<Refundable>(unit.store, kind).update(withRefund(kind, payment, amount, unit.now))
  const refund = newRow('refund', { id: unit.id('refund'), [`${kind}Id`]: id, amount }, unit.now)
  return create(unit, 'refund', refund)
}
