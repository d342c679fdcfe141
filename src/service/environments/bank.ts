/** The stand-in for a bank (§1.4, §1.5): a behavior with `decision` decides first, then the rules of the environment. */
import type { CreditDecision } from '../domain/application.ts'
import type { CreditRequest, EnvironmentRules } from './rules.ts'

export interface BankQuestion {
  about: 'card' | 'bank_account' | 'credit'
  checkoutId: string
}

export interface BankVerdict {
  approves: boolean
  /** The reason, as the end of a sentence such as `The bank declined this card: …`. */
  reason?: string | undefined
}

/** Asked about every decision; undefined leaves it to the environment's rules. */
export type Decides = (question: BankQuestion) => BankVerdict | undefined

export interface Bank {
  /** The verdict on a card with this number. */
  card(number: string, checkoutId: string): BankVerdict
  account(routing: string, checkoutId: string): BankVerdict
  credit(request: CreditRequest, checkoutId: string): CreditDecision
}

export const bankOf = (rules: EnvironmentRules, decides: Decides = () => undefined): Bank => ({
  card: (number, checkoutId) =>
    decides({ about: 'card', checkoutId }) ?? verdictOf(rules.whyCardDeclined(number)),
  account: (routing, checkoutId) =>
    decides({ about: 'bank_account', checkoutId }) ?? verdictOf(rules.whyAccountDeclined(routing)),
  credit(request, checkoutId) {
    const verdict = decides({ about: 'credit', checkoutId })
    return verdict ? creditOf(verdict) : rules.decideCredit(request)
  },
})

const verdictOf = (reason: string | undefined): BankVerdict => ({ approves: reason === undefined, reason })

const creditOf = ({ approves, reason }: BankVerdict): CreditDecision => ({
  approved: approves,
  reason: approves ? 'approved by the bank' : 'declined by the bank',
  score: null,
  limit: null,
  explanation: `The bank ${approves ? 'approved' : 'declined'} the application${reason === undefined ? '' : `: ${reason}`}.`,
})
