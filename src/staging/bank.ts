/**
 * §1.4, §1.5: staging's replacement for a bank. It accepts every card and account, and rules.ts decides about credit. It
 * declines a card or account only when `declines` returns true: that is how a behavior declines a buyer.
 */
import type { CreditDecision } from '../domain/application.ts'
import { type CreditRequest, decideApplication, type StagingValues } from './rules.ts'

export interface BankQuestion {
  about: 'card' | 'bank_account' | 'credit'
  checkoutId: string
}

/** Called for every question; true declines. */
export type Declines = (question: BankQuestion) => boolean

export interface Bank {
  accepts(method: 'card' | 'bank_account', checkoutId: string): boolean
  decide(request: CreditRequest, checkoutId: string): CreditDecision
}

export const stagingBank = (values: StagingValues, declines: Declines = () => false): Bank => ({
  accepts: (about, checkoutId) => !declines({ about, checkoutId }),
  decide: (request, checkoutId) =>
    declines({ about: 'credit', checkoutId }) ? DECLINED : decideApplication(request, values),
})

const DECLINED: CreditDecision = {
  approved: false,
  reason: 'declined by the bank',
  score: null,
  limit: null,
  explanation: 'The bank declined the application.',
}
