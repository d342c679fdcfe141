/**
 * A buyer's application: what the buyer entered between opening a checkout's page and accepting it. Its state names the
 * next step, so a buyer who opens the page again continues there.
 */
import { z } from 'zod'
import { wrongState } from '../../spec/contract/errors.ts'
import { BankAccount, Card, PaymentMethodType } from '../../spec/contract/resources/payment-method.ts'
import { type Moves, move } from './moves.ts'
import type { PaymentDetails } from './payment-method.ts'

export const ApplicationStatus = z.enum([
  'logging_in',
  'choosing_method',
  'entering_card',
  'applying',
  'declined',
  'entering_bank',
  'reviewing',
  'accepted',
])

export type ApplicationStatus = z.output<typeof ApplicationStatus>

/** The result of the credit check. */
export const CreditDecision = z.object({
  approved: z.boolean(),
  reason: z.enum([
    'by name',
    'by score',
    'declined by limit',
    'approved by the bank',
    'declined by the bank',
  ]),
  /** Null when the decision needed no score. */
  score: z.number().nullable(),
  /** In cents. */
  limit: z.number().nullable(),
  explanation: z.string(),
})

export type CreditDecision = Readonly<z.output<typeof CreditDecision>>

/** The person who applies. Of the national ID only the last four digits are stored. */
export const Applicant = z.object({
  first: z.string(),
  last: z.string(),
  business: z.string(),
  nationalIdLast4: z.string(),
})

export type Applicant = Readonly<z.output<typeof Applicant>>

/** The latest code that was sent, and where to. It is valid for one log-in. */
export const SentCode = z.object({ to: z.string(), code: z.string() })

export type SentCode = Readonly<z.output<typeof SentCode>>

export const Application = z.object({
  id: z.string(),
  checkoutId: z.string(),
  status: ApplicationStatus,
  /** The e-mail address or phone number that the buyer logged in with. */
  contact: z.string().nullable(),
  wrongCodes: z.int(),
  lockedUntil: z.int().nullable(),
  sentCode: SentCode.nullable(),
  method: PaymentMethodType.nullable(),
  applicant: Applicant.nullable(),
  decision: CreditDecision.nullable(),
  card: Card.nullable(),
  bankAccount: BankAccount.nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
  acceptedAt: z.int().nullable(),
})

export type Application = Readonly<z.output<typeof Application>>

/** A buyer may change the method, the card or the account until accepting. The credit decision is made once. */
export const applicationMoves = {
  logIn: { from: ['logging_in'], to: 'choosing_method' },
  chooseCard: {
    from: ['choosing_method', 'entering_card', 'applying', 'declined', 'entering_bank', 'reviewing'],
    to: 'entering_card',
  },
  chooseBank: {
    from: ['choosing_method', 'entering_card', 'applying', 'declined', 'entering_bank', 'reviewing'],
    to: 'applying',
  },
  approve: { from: ['applying'], to: 'entering_bank' },
  decline: { from: ['applying'], to: 'declined' },
  enterCard: { from: ['entering_card', 'reviewing'], to: 'reviewing' },
  enterBank: { from: ['entering_bank', 'reviewing'], to: 'reviewing' },
  accept: { from: ['reviewing'], to: 'accepted' },
} as const satisfies Moves<ApplicationStatus>

const moveBy = (application: Application, name: keyof typeof applicationMoves, now: number): Application =>
  move('Application', application, applicationMoves[name], now)

export const startApplication = (id: string, checkoutId: string, now: number): Application => ({
  id,
  checkoutId,
  status: 'logging_in',
  contact: null,
  wrongCodes: 0,
  lockedUntil: null,
  sentCode: null,
  method: null,
  applicant: null,
  decision: null,
  card: null,
  bankAccount: null,
  createdAt: now,
  updatedAt: now,
  acceptedAt: null,
})

// Logging in

/** A new code invalidates the previous one. */
export const rememberCode = (application: Application, sentCode: SentCode, now: number): Application => ({
  ...application,
  sentCode,
  updatedAt: now,
})

export const WRONG_CODES_MAX = 5
const LOCK_MS = 15 * 60_000

export const isLocked = ({ lockedUntil }: Application, now: number): boolean =>
  lockedUntil !== null && now < lockedUntil

/** D57: wrong codes count for the checkout, not for the buyer. After the lock the count starts again. */
export function countWrongCode(application: Application, now: number): Application {
  const wrongCodes = application.wrongCodes + 1
  return wrongCodes < WRONG_CODES_MAX
    ? { ...application, wrongCodes, updatedAt: now }
    : { ...application, wrongCodes: 0, lockedUntil: now + LOCK_MS, updatedAt: now }
}

/**
 * The same contact continues. Another contact starts again, and sees nothing that the first buyer entered.
 */
export function logIn(
  application: Application,
  contact: string,
  preselected: PaymentMethodType | null,
  now: number,
): Application {
  const loggedIn = { ...application, wrongCodes: 0, lockedUntil: null, sentCode: null }
  if (loggedIn.contact === contact) return loggedIn
  const { id, checkoutId, createdAt } = loggedIn
  const fresh = { ...startApplication(id, checkoutId, createdAt), contact }
  const choosing = moveBy(fresh, 'logIn', now)
  return preselected === null ? choosing : chooseMethod(choosing, preselected, now)
}

// From the method to the approval

/** After a decision an order gets no second application: the buyer continues with that decision. */
export function chooseMethod(application: Application, method: PaymentMethodType, now: number): Application {
  if (method === 'card') return { ...moveBy(application, 'chooseCard', now), method }
  const applying = { ...moveBy(application, 'chooseBank', now), method }
  return applying.decision === null ? applying : followDecision(applying, applying.decision, now)
}

export const decideCredit = (
  application: Application,
  applicant: Applicant,
  decision: CreditDecision,
  now: number,
): Application => ({ ...followDecision(application, decision, now), applicant, decision })

const followDecision = (application: Application, { approved }: CreditDecision, now: number) =>
  moveBy(application, approved ? 'approve' : 'decline', now)

export const enterCard = (application: Application, card: Card, now: number): Application => ({
  ...moveBy(application, 'enterCard', now),
  method: 'card',
  card,
})

/** A buyer who entered a card first can get here from the review without an application. */
export function enterBank(application: Application, bankAccount: BankAccount, now: number): Application {
  if (!application.decision?.approved) throw wrongState('Application', 'not approved')
  return { ...moveBy(application, 'enterBank', now), method: 'bank_account', bankAccount }
}

export const acceptApplication = (application: Application, now: number): Application =>
  moveBy(application, 'accept', now)

/** The card or account that the buyer pays with; undefined until it is entered. */
export function paymentDetailsOf({ method, card, bankAccount }: Application): PaymentDetails | undefined {
  if (method === 'card' && card) return { type: 'card', card }
  if (method === 'bank_account' && bankAccount) return { type: 'bank_account', bankAccount }
  return undefined
}
