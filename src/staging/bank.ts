/**
 * §1.4, §1.5: the bank that staging asks in place of a real one. It agrees with every card and account, and lets the
 * rules decide about credit; nothing is checked and nothing moves. Only an objection that was handed in can say no.
 */
import type { CreditDecision } from '../domain/application.ts'
import { type CreditRequest, decideApplication, type StagingValues } from './rules.ts'

export interface BankQuestion {
  about: 'card' | 'bank_account' | 'credit'
  checkoutId: string
}

/** Whether the bank says no this time. */
export type Objection = (question: BankQuestion) => boolean

export interface Bank {
  accepts(method: 'card' | 'bank_account', checkoutId: string): boolean
  decide(request: CreditRequest, checkoutId: string): CreditDecision
}

export const stagingBank = (values: StagingValues, objects: Objection = () => false): Bank => ({
  accepts: (about, checkoutId) => !objects({ about, checkoutId }),
  decide: (request, checkoutId) =>
    objects({ about: 'credit', checkoutId }) ? DECLINED : decideApplication(request, values),
})

const DECLINED: CreditDecision = {
  approved: false,
  reason: 'declined by the bank',
  score: null,
  limit: null,
  explanation: 'The bank declined the application.',
}
