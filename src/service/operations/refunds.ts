/** §4 refunds. Both ways to create one, by path and by body (D25), run `startRefund` after the same check. */
import { CheckoutRefund } from '../../spec/contract/checkout.ts'
import { type Cents, moneyText } from '../../spec/contract/money.ts'
import { type Refund, RefundCreate } from '../../spec/contract/refund.ts'
import { authorizationCharge, checkoutCharge, requireRefundable, withRefund } from '../domain/refund.ts'
import { moved, newRow } from '../domain/rows.ts'
import { operation } from './operation.ts'
import { change, create, findRow } from './plain.ts'
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
  create(unit, 'refund', refund)
  unit.writeLedgerRow({ kind: 'refund', amount, ...target, refundId: refund.id })
  const timing = unit.services.refundTiming(refund)
  // A delay of 0 completes at once, not by the agenda: that would run at a random point between other
  // requests, so a test could not rely on it.
  if (timing !== 'unscheduled' && timing.afterMs === 0) finishRefund(unit, refund.id)
  else unit.schedule('refund.complete', refund.id, timing)
  return refund
}

/** Called by the agenda when a refund is due, and when a tester, a gate or a read completes it. */
export function finishRefund(unit: Unit, id: string): Refund {
  const completed = moved('refund', findRow(unit, 'refund', id), 'complete', unit.now)
  unit.store.agenda.remove(id, 'refund.complete')
  unit.storeMessage({
    channel: 'email',
    to: refundedParty(unit, completed),
    template: 'refund_completed',
    subject: 'Your refund is complete',
    body: `${moneyText(completed.amount, unit.services.contract.currency)} was refunded.`,
    relatedId: id,
  })
  change(unit, 'refund', completed, 'complete')
  return completed
}

function refundedParty(unit: Unit, { checkoutId, authorizationId }: Refund): string {
  const { externalId } = checkoutId
    ? findRow(unit, 'checkout', checkoutId)
    : findRow(unit, 'authorization', authorizationId!)
  return unit.store.customers.findByExternalId(externalId)?.email ?? externalId
}
