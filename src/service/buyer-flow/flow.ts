/**
 * The steps of the hosted page (§1, D56), as functions of a unit of work, the checkout, the application and the form's fields.
 * Called by the pages, and by the tester's verbs that approve or decline without a browser. A step returns the changed
 * application or names the wrong fields. The full number of a card, an account or a person is never stored.
 */

import { type ApiError, alreadyInState, invalidField, wrongState } from '../../spec/contract/errors.ts'
import { moneyText } from '../../spec/contract/money.ts'
import type { Checkout } from '../../spec/contract/resources/checkout.ts'
import type { BuyerOptions } from '../../spec/contract/tester.ts'
import {
  type Application,
  acceptApplication,
  chooseMethod,
  countWrongCode,
  decideCredit,
  enterBank,
  enterCard,
  isLocked,
  logIn,
  paymentDetailsOf,
  rememberCode,
  startApplication,
  WRONG_CODES_MAX,
} from '../domain/application.ts'
import { payWith } from '../domain/checkout.ts'
import { moved } from '../domain/rows.ts'
import { type Bank, type BankVerdict, bankOf } from '../environments/bank.ts'
import {
  type Checked,
  checkBankAccount,
  checkCard,
  checkNationalId,
  digitsOf,
  problem,
} from '../environments/forms.ts'
import { findOrCreateCustomer } from '../operations/customers.ts'
import { attach } from '../operations/payment-methods.ts'
import { change, findRow } from '../operations/plain.ts'
import type { Unit } from '../operations/unit.ts'

/** The text of each field, by its name. */
export type FormInput = Readonly<Record<string, string>>

/** The checkout's application; created on the first visit. */
export function openApplication(unit: Unit, checkout: Checkout): Application {
  const stored = unit.store.applications.findByCheckout(checkout.id)
  if (stored) return stored
  const started = startApplication(unit.id('application'), checkout.id, unit.now)
  unit.store.applications.insert(started)
  return started
}

// Logging in

export function sendCode(
  unit: Unit,
  checkout: Checkout,
  { contact = '' }: FormInput,
): Checked<Contact, 'contact'> {
  const read = readContact(contact)
  if (read.problems) return read
  const code = unit.services.newCode()
  const sent = rememberCode(openApplication(unit, checkout), { to: read.value.to, code }, unit.now)
  unit.store.applications.update(sent)
  unit.storeMessage({
    ...read.value,
    template: 'login_code',
    subject: 'Your verification code',
    body: `${code} is your code for ${checkout.orderId}.`,
    relatedId: checkout.id,
    code,
  })
  return read
}

/** While the log-in is locked ({@link isLocked}), even the right code is refused. */
export function enterCode(
  unit: Unit,
  checkout: Checkout,
  application: Application,
  contact: string,
  { code = '' }: FormInput,
): Checked<Application, 'code'> {
  if (isLocked(application, unit.now)) throw wrongState('Application', 'locked')
  if (code.trim() === '') return { problems: { code: 'Enter the code that we sent you.' } }
  if (unit.services.rules.isCode(code, contact, application.sentCode)) {
    return stored(unit, logIn(application, contact, checkout.paymentMethodType, unit.now))
  }
  const counted = countWrongCode(application, unit.now)
  unit.store.applications.update(counted)
  const left = WRONG_CODES_MAX - counted.wrongCodes
  return {
    problems: {
      code: `This is not the code. You have ${left === 1 ? 'one more try' : `${left} more tries`}.`,
    },
  }
}

// Choosing how to pay

export function submitMethod(
  unit: Unit,
  application: Application,
  { method = '' }: FormInput,
): Checked<Application, 'method'> {
  if (method !== 'card' && method !== 'bank_account') {
    return { problems: { method: 'Choose one of the two.' } }
  }
  return stored(unit, chooseMethod(application, method, unit.now))
}

export function submitCard(
  unit: Unit,
  application: Application,
  { number = '', expiry = '', cvc = '' }: FormInput,
  bank: Bank = unit.services.bank,
): Checked<Application, 'number' | 'expiry' | 'cvc'> {
  const card = checkCard(number, expiry, cvc, unit.now)
  if (card.problems) return card
  const entered = enterCard(application, card.value, unit.now)
  const verdict = bank.card(digitsOf(number), application.checkoutId)
  return verdict.approves ? stored(unit, entered) : { problems: { number: declined('card', verdict) } }
}

export function apply(
  unit: Unit,
  checkout: Checkout,
  application: Application,
  { first = '', last = '', business = '', nationalId = '' }: FormInput,
  bank: Bank = unit.services.bank,
): Checked<Application, 'first' | 'last' | 'business' | 'nationalId'> {
  const id = checkNationalId(nationalId, unit.services.rules.nationalIdProblem)
  const problems = {
    ...nameProblem('first', first, 'Enter your first name.'),
    ...nameProblem('last', last, 'Enter your last name.'),
    ...nameProblem('business', business, 'Enter the name of the business.'),
    ...id.problems,
  }
  if (!id.value || Object.keys(problems).length > 0) return { problems }

  const applicant = {
    first: first.trim(),
    last: last.trim(),
    business: business.trim(),
    nationalIdLast4: id.value.last4,
  }
  const decision = bank.credit({ ...applicant, amount: checkout.amount }, checkout.id)
  const decided = decideCredit(application, applicant, decision, unit.now)
  sendDecision(unit, checkout, decided)
  return stored(unit, decided)
}

const NAME_MAX_CHARS = 100

function nameProblem<Name extends string>(field: Name, text: string, missing: string) {
  const { length } = text.trim()
  if (length === 0) return problem(field, missing)
  return problem(field, length > NAME_MAX_CHARS ? `Use at most ${NAME_MAX_CHARS} characters.` : undefined)
}

function sendDecision(unit: Unit, checkout: Checkout, { contact, decision }: Application): void {
  if (contact === null || decision === null) return
  const outcome = decision.approved ? 'approved' : 'declined'
  unit.storeMessage({
    channel: channelOf(contact),
    to: contact,
    template: 'application_decision',
    subject: `Your application was ${outcome}`,
    body: `Your application for ${moneyText(checkout.amount, unit.services.contract.currency)} was ${outcome}. ${decision.explanation}`,
    relatedId: checkout.id,
  })
}

export function submitBank(
  unit: Unit,
  application: Application,
  { routing = '', account = '' }: FormInput,
  bank: Bank = unit.services.bank,
): Checked<Application, 'routing' | 'account'> {
  const checked = checkBankAccount(routing, account, unit.services.rules)
  if (checked.problems) return checked
  const entered = enterBank(application, checked.value, unit.now)
  const verdict = bank.account(digitsOf(routing), application.checkoutId)
  return verdict.approves ? stored(unit, entered) : { problems: { account: declined('account', verdict) } }
}

const declined = (what: 'card' | 'account', { reason }: BankVerdict) =>
  `The bank declined this ${what}${reason === undefined ? '' : `: ${reason}`}. Use another one.`

/** The last step: creates the customer if there is none, attaches the method and approves the checkout. */
export function accept(unit: Unit, checkout: Checkout, application: Application) {
  const approved = moved('checkout', checkout, 'approve', unit.now)
  const accepted = acceptApplication(application, unit.now)
  const details = paymentDetailsOf(application)
  if (!details) throw new Error(`application ${application.id} is reviewed without a method`)

  const customer = findOrCreateCustomer(unit, checkout, detailsOf(application))
  const paid = payWith(approved, attach(unit, customer, details, checkout.id))
  unit.store.applications.update(accepted)
  return change(unit, 'checkout', paid, 'approve')
}

function detailsOf({ contact, applicant }: Application) {
  const name = applicant?.business ?? null
  if (contact === null) return { name }
  return channelOf(contact) === 'email' ? { name, email: contact } : { name, phone: contact }
}

function stored(unit: Unit, application: Application): { value: Application } {
  unit.store.applications.update(application)
  return { value: application }
}

// Without a browser

type BuyersOutcome = { approved: ReturnType<typeof accept> } | { declined: ApiError }

/** The approved checkout. A decline throws here, after the commit, so that the bank's decision stays. */
export function approvedOf(outcome: BuyersOutcome) {
  if ('declined' in outcome) throw outcome.declined
  return outcome.approved
}

/**
 * Runs all steps. A value that a page would refuse is refused here too, with the same text. A decline is returned, not thrown:
 * throwing would roll back the bank's decision and its message (D53), which remain for a buyer of the page.
 */
export function approveAsBuyer(unit: Unit, checkoutId: string, wish: BuyerOptions = {}): BuyersOutcome {
  const { checkout, application, refusal } = goThroughSteps(unit, checkoutId, wish, unit.services.bank)
  return refusal === undefined
    ? { approved: accept(unit, checkout, application) }
    : { declined: wrongState('Application', `declined. ${refusal}`) }
}

/** Runs the steps until the bank declines. The checkout stays pending. */
export function declineAsBuyer(unit: Unit, checkoutId: string, wish: BuyerOptions = {}): Application {
  const { rules } = unit.services
  const { firstName, lastName } = rules.testersBuyer.applicant
  const declined = { method: 'bank_account', applicant: `${firstName} ${lastName}`, ...wish } as const
  return goThroughSteps(
    unit,
    checkoutId,
    declined,
    bankOf(rules, () => ({ approves: false })),
  ).application
}

interface StepsResult {
  checkout: Checkout
  application: Application
  refusal?: string | undefined
}

function goThroughSteps(unit: Unit, checkoutId: string, wish: BuyerOptions, bank: Bank): StepsResult {
  const checkout = findRow(unit, 'checkout', checkoutId)
  if (checkout.status !== 'pending') throw alreadyInState('Checkout', checkout.status)
  let application = logInAsBuyer(unit, checkout)
  if (application.status === 'reviewing' && wish.method === undefined) return { checkout, application }

  const method = wish.method ?? checkout.paymentMethodType ?? 'card'
  application = done(submitMethod(unit, application, { method }))
  if (application.status === 'applying') {
    application = done(apply(unit, checkout, application, applicationForm(unit, wish), bank))
  }
  if (application.status === 'declined') {
    return { checkout, application, refusal: application.decision?.explanation }
  }

  const { card, bankAccount } = unit.services.rules.testersBuyer
  const expiry = `${card.expMonth}/${card.expYear}`
  const account = { routing: bankAccount.routingNumber, account: bankAccount.accountNumber }
  const entered =
    method === 'card'
      ? submitCard(unit, application, { number: card.number, expiry, cvc: card.cvc }, bank)
      : submitBank(unit, application, account, bank)
  return entered.value
    ? { checkout, application: entered.value }
    : { checkout, application, refusal: Object.values(entered.problems)[0] }
}

/** Logs in with the test contact, unless a buyer has logged in on the page already. */
function logInAsBuyer(unit: Unit, checkout: Checkout): Application {
  const { email } = unit.services.rules.testersBuyer
  if (openApplication(unit, checkout).contact !== null) return openApplication(unit, checkout)
  const { to } = done(sendCode(unit, checkout, { contact: email }))
  const application = openApplication(unit, checkout)
  return done(enterCode(unit, checkout, application, to, { code: application.sentCode?.code ?? '' }))
}

/** The applicant's form. Without a name and last four digits, an applicant who is approved. */
function applicationForm({ services }: Unit, { applicant, lastFour }: BuyerOptions): FormInput {
  const buyer = services.rules.testersBuyer
  const usual = lastFour === undefined ? buyer.approved : buyer.applicant
  const [first = '', ...rest] = (applicant ?? `${usual.firstName} ${usual.lastName}`).trim().split(/\s+/)
  const nationalId = lastFour === undefined ? buyer.approved.nationalId : `12345${lastFour}`
  return { first, last: rest.join(' '), business: buyer.businessName, nationalId }
}

function done<Value>({ value, problems }: Checked<Value, string>): Value {
  if (value !== undefined) return value
  const [field = 'body', problem = 'is wrong'] = Object.entries(problems ?? {})[0] ?? []
  throw invalidField(field, `is wrong. ${problem}`)
}

/** The buyer's contact: an e-mail address, or a phone number without spaces and punctuation. */
interface Contact {
  channel: 'email' | 'sms'
  to: string
}

function readContact(text: string): Checked<Contact, 'contact'> {
  const trimmed = text.trim()
  if (/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(trimmed) && trimmed.length <= 254) {
    return { value: { channel: 'email', to: trimmed.toLowerCase() } }
  }
  const number = trimmed.replace(/[\s().-]/g, '')
  if (/^\+?\d{7,15}$/.test(number)) return { value: { channel: 'sms', to: number } }
  return { problems: { contact: 'Enter an e-mail address or a phone number.' } }
}

const channelOf = (to: string): Contact['channel'] => (to.includes('@') ? 'email' : 'sms')
