/**
 * §1.4, §1.5: the bank that staging asks in place of a real one. It accepts every card and account, and the rules of
 * rules.ts decide about credit; nothing is checked and no money moves. It declines only where the function that was
 * handed in says so, which is how a behavior makes a buyer's payment fail.
 */
import type { CreditDecision } from '../domain/application.ts'
import { type CreditRequest, decideApplication, type StagingValues } from './rules.ts'

export interface BankQuestion {
  about: 'card' | 'bank_account' | 'credit'
  checkoutId: string
}

/** Whether the bank declines this time. */
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
