/** §4 checkouts. An operation finds the rows, calls the domain for the rules, stores the result and emits the event. */

import { moneyText } from '../../spec/contract/money.ts'
import { CheckoutConfirm, CheckoutCreate } from '../../spec/contract/resources/checkout.ts'
import { confirmCheckout, payWith } from '../domain/checkout.ts'
import { findOrCreateCustomer } from './customers.ts'
import { operation } from './operation.ts'
import { defaultPaymentMethod, findPaymentMethod } from './payment-methods.ts'
import { change, create, findRow } from './plain.ts'

export const postCheckout = operation({
  id: 'checkouts.create',
  body: CheckoutCreate,
  run(unit, { body }) {
    const customerId = unit.store.customers.findByExternalId(body.externalId)?.id
    return create(unit, 'checkout', { ...body, customerId })
  },
})

export const postCheckoutConfirm = operation({
  id: 'checkouts.confirm',
  body: CheckoutConfirm,
  run(unit, { params, body }) {
    const checkout = findRow(unit, 'checkout', params.id)
    const named = body.paymentMethodId ?? checkout.paymentMethodId
    const method = named && findPaymentMethod(unit, named, checkout.customerId)
    const confirmed = confirmCheckout(checkout, unit.services.requireApproval, unit.now)

    const payer = findOrCreateCustomer(unit, checkout)
    const paid = payWith(
      confirmed,
      method || defaultPaymentMethod(unit, payer, checkout.paymentMethodType, checkout.id),
    )
    unit.storeMessage({
      channel: 'email',
      to: payer.email ?? payer.externalId,
      template: 'checkout_receipt',
      subject: `Receipt for ${paid.orderId}`,
      body: `${moneyText(paid.amount, unit.services.contract.currency)} was charged for ${paid.orderId}.`,
      relatedId: paid.id,
    })
    return change(unit, 'checkout', paid, 'confirm')
  },
})
