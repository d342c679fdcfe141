import { wrongState } from '../contract/errors.ts'
import type { BankAccount, Card, PaymentMethod } from '../contract/payment-method.ts'
import { type Moves, move } from './moves.ts'

/** Detachment is final. What was paid with the method keeps it. */
export const paymentMethodMoves = {
  detach: { from: ['attached'], to: 'detached', stamps: 'detachedAt' },
} as const satisfies Moves<PaymentMethod['status'], keyof PaymentMethod>

/** What a buyer pays with: the details that may be stored, and never the numbers themselves. */
export type Means = { type: 'card'; card: Card } | { type: 'bank_account'; bankAccount: BankAccount }

export const attachPaymentMethod = (
  id: string,
  customerId: string,
  means: Means,
  now: number,
): PaymentMethod => ({
  id,
  customerId,
  type: means.type,
  status: 'attached',
  card: means.type === 'card' ? means.card : null,
  bankAccount: means.type === 'bank_account' ? means.bankAccount : null,
  createdAt: now,
  updatedAt: now,
  detachedAt: null,
})

export const detachPaymentMethod = (method: PaymentMethod, now: number): PaymentMethod =>
  move('Payment method', method, paymentMethodMoves.detach, now)

/** A detached method pays for nothing new. */
export function requireAttached(method: PaymentMethod): void {
  if (method.status !== 'attached') throw wrongState('Payment method', 'detached')
}
