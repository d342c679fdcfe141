/** §4 payment methods of a customer. The service has an operation to detach one; attaching happens on the buyer's side. */

import { notFound, wrongState } from '../../spec/contract/errors.ts'
import type { Customer } from '../../spec/contract/resources/customer.ts'
import type { PaymentMethod, PaymentMethodType } from '../../spec/contract/resources/payment-method.ts'
import type { PaymentDetails } from '../domain/payment-method.ts'
import { create, findRow } from './plain.ts'
import type { Unit } from './unit.ts'

/** 404 also for a payment method of another customer. */
export function findPaymentMethod(unit: Unit, id: string, customerId: string | null): PaymentMethod {
  const method = unit.store.paymentMethods.find(id)
  if (!method || method.customerId !== customerId) throw notFound('Payment method')
  return method
}

/**
 * D7: if neither the request nor the checkout names a method, the newest attached one of the type is used, or else the
 * environment's implied one. `type`: null if the platform names none, which means a card.
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

/** Attaches the environment's test payment method. */
export function attachTestMethod(unit: Unit, customerId: string, type: PaymentMethodType = 'card') {
  return attach(unit, findRow(unit, 'customer', customerId), unit.services.rules.testersMethod(type))
}

export const attach = (unit: Unit, customer: { id: string }, details: PaymentDetails, order?: string) =>
  create(unit, 'payment_method', { customerId: customer.id, ...details }, order)
