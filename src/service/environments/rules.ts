/**
 * The rules in which the environments differ (§1, D61 to D63). A sandbox gets its environment's rules when it is created:
 * staging.ts has staging's shortcuts, production.ts their counterparts.
 */
import type { PaymentMethodType } from '../../spec/contract/resources/payment-method.ts'
import type { Name } from '../../spec/environments/values.ts'
import type { Random } from '../../spec/world/random.ts'
import type { Applicant, CreditDecision, SentCode } from '../domain/application.ts'
import type { PaymentDetails } from '../domain/payment-method.ts'
import type { AccountRules } from './forms.ts'

export type CreditRequest = Pick<Applicant, 'first' | 'last' | 'nationalIdLast4'> & { amount: number }

/** The buyer whom a tester's verb acts as. */
export interface TestersBuyer {
  email: string
  /** `approved` is used without a national ID, `applicant` with one. */
  approved: Name & { nationalId: string }
  applicant: Name
  businessName: string
  card: { number: string; expMonth: number; expYear: number; cvc: string }
  bankAccount: { routingNumber: string; accountNumber: string }
}

export interface EnvironmentRules extends AccountRules {
  // Logging in (§1.2)
  /** Drawn from the sandbox's generator. */
  newCode(random: Random): string
  isCode(typed: string, contact: string, sent: SentCode | null): boolean

  // The application (§1.3, §1.4). The bank decides unless a behavior does.
  nationalIdProblem(digits: string): string | undefined
  decideCredit(request: CreditRequest): CreditDecision

  // Card and bank account (§1.5): why the bank declines, or undefined if it accepts.
  whyCardDeclined(number: string): string | undefined
  whyAccountDeclined(routing: string): string | undefined

  /** The method used if the platform's request names none, for a customer without one (D7). */
  impliedMethod(type: PaymentMethodType): PaymentDetails | undefined
  /** The payment method that a tester attaches to a customer. */
  testersMethod(type: PaymentMethodType): PaymentDetails
  readonly testersBuyer: TestersBuyer

  /** Whether a checkout can be confirmed only after its buyer approved it, even if `requireApproval` is false (D7). */
  readonly needsApproval: boolean
  /** Whether a platform's request may ask for faults by `X-Sim`. */
  readonly faultsOnRequest: boolean

  /** Whether the real service sends the messages that are stored in the outbox here (§1.1). */
  readonly sendsMessages: boolean

  // Texts for people
  /** Whether the hosted page helps a tester with values to type, the code, and the next step. */
  readonly helpsTesters: boolean
  suggestions(page: SuggestionPage, amount: number): SuggestedInput[]
  testValues(): TestValue[]
}

/** Whether a sandbox confirms only checkouts that their buyers approved (D7). */
export const needsApproval = (asked: { requireApproval: boolean }, rules: EnvironmentRules): boolean =>
  asked.requireApproval || rules.needsApproval

export type SuggestionPage = 'log-in' | 'code' | 'application' | 'card' | 'bank'

export type SuggestedInput = { id: string; label: string; outcome: string; fields: Record<string, string> }

type TestValuePlace = 'log in' | 'application' | 'card' | 'bank account'

export type TestValue = { what: string; value: string; why: string; where: TestValuePlace }
