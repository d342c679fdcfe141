import type { Checkout, CheckoutCreate } from '../../spec/contract/checkout.ts'
import { notApproved } from '../../spec/contract/errors.ts'
import { ZERO } from '../../spec/contract/money.ts'
import type { PaymentMethod } from '../../spec/contract/payment-method.ts'
import { type Moves, move } from './moves.ts'
import { requireAttached } from './payment-method.ts'

/** D1 */
export const checkoutMoves = {
  approve: { from: ['pending'], to: 'approved', stamps: 'approvedAt' },
  confirm: { from: ['pending', 'approved'], to: 'confirmed', stamps: 'confirmedAt' },
  cancel: { from: ['pending', 'approved'], to: 'canceled', stamps: 'canceledAt' },
} as const satisfies Moves<Checkout['status'], keyof Checkout>

export const createCheckout = (
  id: string,
  { paymentMethodType = null, ...body }: CheckoutCreate,
  customerId: string | null,
  now: number,
): Checkout => ({
  ...body,
  id,
  currency: 'USD',
  status: 'pending',
  customerId,
  paymentMethodId: null,
  paymentMethodType,
  amountRefunded: ZERO,
  createdAt: now,
  updatedAt: now,
  approvedAt: null,
  confirmedAt: null,
  canceledAt: null,
})

export const approveCheckout = (checkout: Checkout, now: number): Checkout =>
  move('Checkout', checkout, checkoutMoves.approve, now)

/** D7: without `requireApproval` a pending checkout can be confirmed too. */
export function confirmCheckout(checkout: Checkout, requireApproval: boolean, now: number): Checkout {
  if (requireApproval && checkout.status === 'pending') throw notApproved('Checkout')
  return move('Checkout', checkout, checkoutMoves.confirm, now)
}

export const cancelCheckout = (checkout: Checkout, now: number): Checkout =>
  move('Checkout', checkout, checkoutMoves.cancel, now)

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
