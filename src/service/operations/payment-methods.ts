/** §4 payment methods of a customer. The service shows how one is detached; attaching happens on the buyer's side. */
import type { Customer } from '../../spec/contract/customer.ts'
import { notFound, wrongState } from '../../spec/contract/errors.ts'
import {
  PaymentMethod,
  PaymentMethodPage,
  PaymentMethodQuery,
  type PaymentMethodType,
} from '../../spec/contract/payment-method.ts'
import { attachPaymentMethod, detachPaymentMethod, type PaymentDetails } from '../domain/payment-method.ts'
import { findCustomer } from './customers.ts'
import { operation } from './operation.ts'
import type { Unit } from './unit.ts'

export const postPaymentMethodDetach = operation({
  id: 'paymentMethods.detach',
  summary: 'Detach a payment method, for good',
  answer: PaymentMethod,
  refusals: [404, 409],
  run(unit, { params }) {
    const customer = findCustomer(unit, params.id)
    const method = findPaymentMethod(unit, params.paymentMethodId, customer.id)
    const detached = detachPaymentMethod(method, unit.now)
    unit.store.paymentMethods.update(detached)
    unit.emit('payment_method.detached', detached)
    return detached
  },
})

export const getPaymentMethods = operation({
  id: 'paymentMethods.list',
  summary: "List a customer's payment methods, newest first",
  query: PaymentMethodQuery,
  answer: PaymentMethodPage,
  refusals: [404],
  run(unit, { params, query }) {
    const customer = findCustomer(unit, params.id)
    return unit.store.paymentMethods.list({ ...query, customerId: customer.id })
  },
})

export const getPaymentMethod = operation({
  id: 'paymentMethods.get',
  summary: "Read a customer's payment method",
  answer: PaymentMethod,
  refusals: [404],
  run(unit, { params }) {
    const customer = findCustomer(unit, params.id)
    return findPaymentMethod(unit, params.paymentMethodId, customer.id)
  },
})

/** 404 also for a payment method of another customer. */
export function findPaymentMethod(unit: Unit, id: string, customerId: string | null): PaymentMethod {
  const method = unit.store.paymentMethods.find(id)
  if (!method || method.customerId !== customerId) throw notFound('Payment method')
  return method
}

/**
 * D7: without a method in the request or the checkout, the newest attached one of the type is used, otherwise the
 * environment's implied one. `type`: null where the platform names none, which means a card.
 */
export function defaultPaymentMethod(
  unit: Unit,
  customer: Customer,
  type: PaymentMethodType | null,
  order: string,
): PaymentMethod {
  const typeOrCard = type ?? 'card'
  const attached = unit.store.paymentMethods.newestAttached(customer.id, typeOrCard)
  if (attached) return attached
  const implied = unit.services.rules.impliedMethod(typeOrCard)
  if (!implied) throw wrongState('Customer', `without a ${typeOrCard.replace('_', ' ')}`)
  return attach(unit, customer, implied, order)
}

export function attach(
  unit: Unit,
  customer: Customer,
  details: PaymentDetails,
  order?: string,
): PaymentMethod {
  const method = attachPaymentMethod(unit.id('payment_method'), customer.id, details, unit.now)
  unit.store.paymentMethods.insert(method)
  unit.emit('payment_method.attached', method, order)
  return method
}
