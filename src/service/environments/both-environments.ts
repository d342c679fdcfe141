/** The rules that staging and production share, each with its own values. */
import { cents, moneyText } from '../../spec/contract/money.ts'
import type { CreditDecision } from '../domain/application.ts'
import type { PaymentDetails } from '../domain/payment-method.ts'
import { brandOf } from './card-brand.ts'
import type { TestersBuyer } from './rules.ts'

/** A card or account as stored, never with the whole number. */
export function storedMethod(
  { card, bankAccount }: Pick<TestersBuyer, 'card' | 'bankAccount'>,
  bankName: string,
  type: PaymentDetails['type'],
): PaymentDetails {
  if (type === 'card') {
    const { number, expMonth, expYear } = card
    return { type, card: { brand: brandOf(number), last4: number.slice(-4), expMonth, expYear } }
  }
  const { routingNumber, accountNumber } = bankAccount
  return { type, bankAccount: { bankName, routingNumber, last4: accountNumber.slice(-4) } }
}

/** A name in lower case without spaces, for comparison. */
export const plainName = (name: string): string => name.normalize('NFKC').replace(/\s/g, '').toLowerCase()

/** `limit` and `amount` in cents. */
export function decidedByScore(
  score: number,
  limit: number,
  amount: number,
  currency: string,
): CreditDecision {
  const approved = amount <= limit
  const basis = `A score of ${score} allows up to ${moneyText(cents(limit), currency)}`
  return {
    approved,
    reason: approved ? 'by score' : 'declined by limit',
    score,
    limit,
    explanation: approved
      ? `${basis}.`
      : `${basis}, and this order is ${moneyText(cents(amount), currency)}.`,
  }
}
