import { notApproved } from '../../spec/contract/errors.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import type { PaymentMethod } from '../../spec/contract/resources/payment-method.ts'
import { requireAttached } from './payment-method.ts'
import { moved } from './rows.ts'

/** D7: without `requireApproval` a pending checkout can be confirmed too. */
export function confirmCheckout(checkout: Checkout, requireApproval: boolean, now: number): Checkout {
  if (requireApproval && checkout.status === 'pending') throw notApproved('Checkout')
  return moved('checkout', checkout, 'confirm', now)
}

/** Sets the payment method, and the customer whom it belongs to. */
export function payWith(checkout: Checkout, method: PaymentMethod): Checkout {
  requireAttached(method)
  return {
    ...checkout,
    customerId: method.customerId,
    paymentMethodId: method.id,
    paymentMethodType: method.type,
  }
}
