/** §4 checkouts. An operation finds the rows, calls the domain for the rules, stores the result and emits the event. */
import {
  type Checkout,
  CheckoutConfirm,
  CheckoutCreate,
  CheckoutPage,
  CheckoutQuery,
  CheckoutWithUrl,
} from '../../spec/contract/checkout.ts'
import { found } from '../../spec/contract/errors.ts'
import { moneyText } from '../../spec/contract/money.ts'
import { cancelCheckout, confirmCheckout, createCheckout, payWith } from '../domain/checkout.ts'
import { findOrCreateCustomer } from './customers.ts'
import { operation } from './operation.ts'
import { defaultPaymentMethod, findPaymentMethod } from './payment-methods.ts'
import type { Unit } from './unit.ts'

export const postCheckout = operation({
  id: 'checkouts.create',
  summary: 'Create a checkout',
  body: CheckoutCreate,
  answer: CheckoutWithUrl,
  refusals: [],
  run(unit, { body }) {
    const customer = unit.store.customers.findByExternalId(body.externalId)
    const checkout = createCheckout(unit.id('checkout'), body, customer?.id ?? null, unit.now)
    unit.store.checkouts.insert(checkout)
    return emitCheckout(unit, 'checkout.created', checkout)
  },
})

export const postCheckoutConfirm = operation({
  id: 'checkouts.confirm',
  summary: 'Confirm a checkout: the business is charged',
  body: CheckoutConfirm,
  answer: CheckoutWithUrl,
  refusals: [404, 409],
  run(unit, { params, body }) {
    const checkout = findCheckout(unit, params.id)
    const named = body.paymentMethodId ?? checkout.paymentMethodId
    const method = named && findPaymentMethod(unit, named, checkout.customerId)
    const confirmed = confirmCheckout(checkout, unit.services.requireApproval, unit.now)

    const payer = findOrCreateCustomer(unit, checkout)
    const paid = payWith(
      confirmed,
      method || defaultPaymentMethod(unit, payer, checkout.paymentMethodType, checkout.id),
    )
    unit.store.checkouts.update(paid)
    unit.writeLedgerRow({ kind: 'charge', amount: paid.amount, checkoutId: paid.id })
    unit.storeMessage({
      channel: 'email',
      to: payer.email ?? payer.externalId,
      template: 'checkout_receipt',
      subject: `Receipt for ${paid.orderId}`,
      body: `${moneyText(paid.amount, unit.services.contract.currency)} was charged for ${paid.orderId}.`,
      relatedId: paid.id,
    })
    return emitCheckout(unit, 'checkout.confirmed', paid)
  },
})

export const postCheckoutCancel = operation({
  id: 'checkouts.cancel',
  summary: 'Cancel a checkout that is not confirmed',
  answer: CheckoutWithUrl,
  refusals: [404, 409],
  run(unit, { params }) {
    const canceled = cancelCheckout(findCheckout(unit, params.id), unit.now)
    unit.store.checkouts.update(canceled)
    return emitCheckout(unit, 'checkout.canceled', canceled)
  },
})

export const getCheckouts = operation({
  id: 'checkouts.list',
  summary: 'List checkouts, newest first',
  query: CheckoutQuery,
  answer: CheckoutPage,
  refusals: [],
  run(unit, { query }) {
    const page = unit.store.checkouts.list(query)
    return { ...page, data: page.data.map((checkout) => unit.services.withUrl(checkout)) }
  },
})

export const getCheckout = operation({
  id: 'checkouts.get',
  summary: 'Read a checkout',
  answer: CheckoutWithUrl,
  refusals: [404],
  run: (unit, { params }) => unit.services.withUrl(findCheckout(unit, params.id)),
})

export const findCheckout = (unit: Unit, id: string): Checkout =>
  found(unit.store.checkouts.find(id), 'Checkout')

/** Emits an event about a checkout that was made or moved just now, and returns it as the answer shows it. */
export function emitCheckout(
  unit: Unit,
  event: 'checkout.created' | 'checkout.approved' | 'checkout.confirmed' | 'checkout.canceled',
  checkout: Checkout,
) {
  const shown = unit.services.withUrl(checkout)
  unit.emit(event, shown, checkout.id)
  return shown
}
