/** §4 refunds. Both ways to create one, by path and by body (D25), run `startRefund` after the same check. */
import { CheckoutRefund } from '../../spec/contract/checkout.ts'
import { found } from '../../spec/contract/errors.ts'
import { type Cents, moneyText } from '../../spec/contract/money.ts'
import { pageQuery } from '../../spec/contract/pages.ts'
import { paymentOf, Refund, RefundCreate, RefundPage, RefundQuery } from '../../spec/contract/refund.ts'
import {
  authorizationCharge,
  checkoutCharge,
  completeRefund,
  createRefund,
  requireRefundable,
  withRefund,
} from '../domain/refund.ts'
import { findAuthorization } from './authorizations.ts'
import { findCheckout } from './checkouts.ts'
import { operation } from './operation.ts'
import type { Unit } from './unit.ts'

export const postCheckoutRefund = operation({
  id: 'checkouts.refund',
  summary: 'Refund a confirmed card checkout, in part or whole',
  body: CheckoutRefund,
  answer: Refund,
  refusals: [403, 404, 409],
  run: (unit, { params, body }) => refundCheckout(unit, params.id, body.amount),
})

export const postRefund = operation({
  id: 'refunds.create',
  summary: 'Refund a checkout or a captured authorization, named in the body',
  body: RefundCreate,
  answer: Refund,
  refusals: [403, 404, 409],
  run: (unit, { body }) =>
    body.checkoutId
      ? refundCheckout(unit, body.checkoutId, body.amount)
      : refundAuthorization(unit, body.authorizationId!, body.amount),
})

export const getRefunds = operation({
  id: 'refunds.list',
  summary: 'List refunds, newest first',
  query: RefundQuery,
  answer: RefundPage,
  refusals: [],
  run: (unit, { query }) => unit.store.refunds.list(query),
})

export const getCheckoutRefunds = operation({
  id: 'checkouts.refunds',
  summary: "List a checkout's refunds, newest first",
  query: pageQuery,
  answer: RefundPage,
  refusals: [404],
  run(unit, { params, query }) {
    const checkout = findCheckout(unit, params.id)
    return unit.store.refunds.list({ ...query, checkoutId: checkout.id })
  },
})

export const getRefund = operation({
  id: 'refunds.get',
  summary: "Read a refund's live status",
  answer: Refund,
  refusals: [404],
  run: (unit, { params }) => findRefund(unit, params.id),
})

export const findRefund = (unit: Unit, id: string): Refund => found(unit.store.refunds.find(id), 'Refund')

function refundCheckout(unit: Unit, id: string, amount: Cents): Refund {
  const checkout = findCheckout(unit, id)
  requireRefundable(checkoutCharge(checkout), amount)
  unit.store.checkouts.update(withRefund(checkout, amount, unit.now))
  return startRefund(unit, { checkoutId: id, authorizationId: null }, amount)
}

function refundAuthorization(unit: Unit, id: string, amount: Cents): Refund {
  const authorization = findAuthorization(unit, id)
  requireRefundable(authorizationCharge(authorization), amount)
  unit.store.authorizations.update(withRefund(authorization, amount, unit.now))
  return startRefund(unit, { checkoutId: null, authorizationId: id }, amount)
}

function startRefund(
  unit: Unit,
  target: Pick<Refund, 'checkoutId' | 'authorizationId'>,
  amount: Cents,
): Refund {
  const refund = createRefund({ id: unit.id('refund'), ...target, amount }, unit.now)
  unit.store.refunds.insert(refund)
  unit.writeLedgerRow({ kind: 'refund', amount, ...target, refundId: refund.id })
  unit.emit('refund.created', refund, paymentOf(refund))
  const timing = unit.services.refundTiming(refund)
  // A delay of 0 completes at once, not by the agenda: that would run at a random point between other
  // requests, so a test could not rely on it.
  if (timing !== 'unscheduled' && timing.afterMs === 0) finishRefund(unit, refund.id)
  else unit.schedule('refund.complete', refund.id, timing)
  return refund
}

/** Called by the agenda when a refund is due, and when a tester, a gate or a read completes it. */
export function finishRefund(unit: Unit, id: string): Refund {
  const completed = completeRefund(findRefund(unit, id), unit.now)
  unit.store.refunds.update(completed)
  unit.store.agenda.remove(id, 'refund.complete')
  unit.storeMessage({
    channel: 'email',
    to: refundedParty(unit, completed),
    template: 'refund_completed',
    subject: 'Your refund is complete',
    body: `${moneyText(completed.amount, unit.services.contract.currency)} was refunded.`,
    relatedId: id,
  })
  unit.emit('refund.completed', completed, paymentOf(completed))
  return completed
}

function refundedParty(unit: Unit, { checkoutId, authorizationId }: Refund): string {
  const { externalId } = checkoutId
    ? findCheckout(unit, checkoutId)
    : findAuthorization(unit, authorizationId!)
  return unit.store.customers.findByExternalId(externalId)?.email ?? externalId
}
