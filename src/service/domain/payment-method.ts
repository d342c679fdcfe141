import { wrongState } from '../../spec/contract/errors.ts'
import type { BankAccount, Card, PaymentMethod } from '../../spec/contract/resources/payment-method.ts'

/** The part of a card or bank account that is stored: never the whole number. */
export type PaymentDetails = { type: 'card'; card: Card } | { type: 'bank_account'; bankAccount: BankAccount }

/** A detached method cannot pay again, but payments made with it still name it. */
export function requireAttached(method: PaymentMethod): void {
  if (method.status !== 'attached') throw wrongState('Payment method', 'detached')
}
