import { wrongState } from '../../spec/contract/errors.ts'
import type { BankAccount, Card, PaymentMethod } from '../../spec/contract/payment-method.ts'
import { type Moves, move } from './moves.ts'

/** Detaching is final. A checkout that was paid with the method still names it. */
export const paymentMethodMoves = {
  detach: { from: ['attached'], to: 'detached', stamps: 'detachedAt' },
} as const satisfies Moves<PaymentMethod['status'], keyof PaymentMethod>

/** The part of a card or bank account that is stored: never the whole number. */
export type PaymentDetails = { type: 'card'; card: Card } | { type: 'bank_account'; bankAccount: BankAccount }

export const attachPaymentMethod = (
  id: string,
  customerId: string,
  details: PaymentDetails,
  now: number,
): PaymentMethod => ({
  id,
  customerId,
  type: details.type,
  status: 'attached',
  card: details.type === 'card' ? details.card : null,
  bankAccount: details.type === 'bank_account' ? details.bankAccount : null,
  createdAt: now,
  updatedAt: now,
  detachedAt: null,
})

export const detachPaymentMethod = (method: PaymentMethod, now: number): PaymentMethod =>
  move('Payment method', method, paymentMethodMoves.detach, now)

/** A detached method cannot be used for another payment. */
export function requireAttached(method: PaymentMethod): void {
  if (method.status !== 'attached') throw wrongState('Payment method', 'detached')
}
