import type { Checkout, CheckoutCreate } from '../contract/checkout.ts'
import { wrongState } from '../contract/errors.ts'
import { ZERO } from '../contract/money.ts'
import type { PaymentMethod } from '../contract/payment-method.ts'
import { type Moves, move } from './moves.ts'
import { requireAttached } from './payment-method.ts'

/** D1: a buyer may approve, the platform confirms; only what is not confirmed can be canceled. */
export const checkoutMoves = {
  approve: { from: ['pending'], to: 'approved', stamps: 'approvedAt' },
  confirm: { from: ['pending', 'approved'], to: 'confirmed', stamps: 'confirmedAt' },
  cancel: { from: ['pending', 'approved'], to: 'canceled', stamps: 'canceledAt' },
} as const satisfies Moves<Checkout['status'], keyof Checkout>

/** Field by field: copied from what was asked for, every checkout would be an object of a shape of its own. */
export const createCheckout = (
  id: string,
  asked: CheckoutCreate,
  customerId: string | null,
  now: number,
): Checkout => ({
  id,
  orderId: asked.orderId,
  externalId: asked.externalId,
  amount: asked.amount,
  currency: 'USD',
  status: 'pending',
  successUrl: asked.successUrl,
  cancelUrl: asked.cancelUrl,
  customerId,
  paymentMethodId: null,
  paymentMethodType: asked.paymentMethodType ?? null,
  amountRefunded: ZERO,
  createdAt: now,
  updatedAt: now,
  approvedAt: null,
  confirmedAt: null,
  canceledAt: null,
})

export const approveCheckout = (checkout: Checkout, now: number): Checkout =>
  move('Checkout', checkout, checkoutMoves.approve, now)

/**
 * D7: staging lets a platform confirm what no buyer has seen, so that an API alone can drive every endpoint.
 * With `requireApproval` it does not.
 */
export function confirmCheckout(checkout: Checkout, requireApproval: boolean, now: number): Checkout {
  if (requireApproval && checkout.status === 'pending')
    throw wrongState('Checkout', 'not approved by the buyer yet')
  return move('Checkout', checkout, checkoutMoves.confirm, now)
}

export const cancelCheckout = (checkout: Checkout, now: number): Checkout =>
  move('Checkout', checkout, checkoutMoves.cancel, now)

/** The checkout with the method that pays for it, and with that method's owner. */
export function payWith(checkout: Checkout, method: PaymentMethod): Checkout {
  requireAttached(method)
  return {
    ...checkout,
    customerId: method.customerId,
    paymentMethodId: method.id,
    paymentMethodType: method.type,
  }
}
