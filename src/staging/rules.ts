/**
 * Staging's shortcuts (§1, D51, D52): the values that it accepts without a real check.
 *
 * Every function is pure. The values come from `fixtures/staging.json` unless other ones are handed in, so a tester can
 * have staging's shape with values of their own. Amounts are integer cents.
 */

import values from '../../fixtures/staging.json' with { type: 'json' }
import { cents, dollars } from '../contract/money.ts'
import type { BankAccount, Card } from '../contract/payment-method.ts'
import type { Applicant, CreditDecision } from '../domain/application.ts'

type Name = { firstName: string; lastName: string }
type Credit = { score: number; limitCents: number }

export type StagingValues = {
  verificationCode: string
  approvedApplicant: Name
  highScoreLast4: string
  credit: { high: Credit; usual: Credit }
  card: { number: string; expMonth: number; expYear: number; cvc: string }
  bankAccount: { bankName: string; routingNumber: string; accountNumber: string }
  suggested: {
    email: string
    phone: string
    applicant: Name
    businessName: string
    usualNationalId: string
    highScoreNationalId: string
  }
}

export const stagingValues: StagingValues = values

export type StagingChanges = Changes<StagingValues>
type Changes<Values> = { [Name in keyof Values]?: Changes<Values[Name]> }

/** Staging's values with some of them changed. An unknown name, or a value of another type, throws. */
export const changeValues = (changes: unknown): StagingValues =>
  change('staging', stagingValues, changes) as StagingValues

function change(name: string, value: unknown, changed: unknown): unknown {
  if (typeof changed !== typeof value || changed === null || Array.isArray(changed)) {
    throw new Error(`${name} must be ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`)
  }
  if (typeof value !== 'object' || value === null) return changed
  const changes = Object.entries(changed as object).map(([key, part]) => {
    const original = Object.entries(value).find(([name]) => name === key)
    if (!original) throw new Error(`${name}.${key} is none of ${Object.keys(value).join(', ')}`)
    return [key, change(`${name}.${key}`, original[1], part)]
  })
  return { ...value, ...Object.fromEntries(changes) }
}

/** The result of checking a form: the value to store, or the problem of each wrong field, as a sentence for the buyer. */
export type Checked<Value, FieldName extends string> =
  | { value: Value; problems?: never }
  | { value?: never; problems: Partial<Record<FieldName, string>> }

// Logging in (§1.2)

export function isVerificationCode(code: string, { verificationCode }: StagingValues): boolean {
  return code.replace(/[\s-]/g, '') === verificationCode
}

// The application (§1.3, §1.4)

export type CreditRequest = Pick<Applicant, 'first' | 'last' | 'nationalIdLast4'> & { amount: number }

export function decideApplication(applicant: CreditRequest, values: StagingValues): CreditDecision {
  const { approvedApplicant, credit, highScoreLast4 } = values
  if (
    sameName(applicant.first, approvedApplicant.firstName) &&
    sameName(applicant.last, approvedApplicant.lastName)
  ) {
    const name = `${approvedApplicant.firstName} ${approvedApplicant.lastName}`
    const explanation = `${name} is always approved, for any amount and without a check.`
    return { approved: true, reason: 'by name', score: null, limit: null, explanation }
  }
  const { score, limitCents: limit } =
    applicant.nationalIdLast4 === highScoreLast4 ? credit.high : credit.usual
  const basis = `A score of ${score} allows up to ${dollars(cents(limit))}`
  return applicant.amount <= limit
    ? { approved: true, reason: 'by score', score, limit, explanation: `${basis}.` }
    : {
        approved: false,
        reason: 'declined by limit',
        score,
        limit,
        explanation: `${basis}, and this order is ${dollars(cents(applicant.amount))}.`,
      }
}

/** Any nine digits are a national ID in staging (§1.4), and only the last four are ever kept. */
export function checkNationalId(text: string): Checked<{ last4: string }, 'nationalId'> {
  const digits = digitsOf(text)
  if (!/^\d{9}$/.test(digits)) {
    return { problems: { nationalId: 'Enter all nine digits, with or without hyphens.' } }
  }
  return { value: { last4: digits.slice(-4) } }
}

// Card and bank account (§1.5)

export function checkCard(
  number: string,
  expiry: string,
  cvc: string,
  now: number,
): Checked<Card, 'number' | 'expiry' | 'cvc'> {
  const digits = digitsOf(number)
  const brand = brandOf(digits)
  const date = readExpiry(expiry)
  const problems = {
    ...problem('number', cardNumberProblem(digits)),
    ...problem('expiry', expiryProblem(date, now)),
    ...problem('cvc', cvcProblem(cvc.trim(), brand)),
  }
  if (date === undefined || Object.keys(problems).length > 0) return { problems }
  return { value: { brand, last4: digits.slice(-4), ...date } }
}

/** ISO/IEC 7812: every second digit from the right counts double, and the sum of digits is a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const weighed = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (weighed > 9 ? weighed - 9 : weighed)
  }, 0)
  return sum % 10 === 0
}

export function checkBankAccount(
  routing: string,
  account: string,
  { bankAccount: { bankName } }: StagingValues,
): Checked<BankAccount, 'routing' | 'account'> {
  const routingNumber = digitsOf(routing)
  const accountNumber = digitsOf(account)
  const problems = {
    ...problem('routing', routingProblem(routingNumber)),
    ...problem('account', /^\d{4,17}$/.test(accountNumber) ? undefined : 'Enter 4 to 17 digits.'),
  }
  if (Object.keys(problems).length > 0) return { problems }
  return { value: { bankName, routingNumber, last4: accountNumber.slice(-4) } }
}

/** The American Bankers Association's weights are 3, 7, 1, repeated over the nine digits. */
export function passesAbaChecksum(digits: string): boolean {
  const weights = [3, 7, 1]
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * weights[index % 3]!, 0)
  return sum % 10 === 0
}

/** The card of a checkout without a chosen method (D7), as it is stored: never the whole number. */
export function testCard({ card: { number, expMonth, expYear } }: StagingValues): Card {
  return { brand: brandOf(number), last4: number.slice(-4), expMonth, expYear }
}

export function testBankAccount({ bankAccount }: StagingValues): BankAccount {
  const { bankName, routingNumber, accountNumber } = bankAccount
  return { bankName, routingNumber, last4: accountNumber.slice(-4) }
}

// The list for people

export type MagicPlace = 'order' | 'log in' | 'application' | 'card' | 'bank account'

export type MagicValue = { what: string; value: string; why: string; where: MagicPlace }

/** Every value with a fixed result, in the order of the hosted page. */
export function magicValues(values: StagingValues): MagicValue[] {
  const { approvedApplicant, bankAccount, card, credit, highScoreLast4, verificationCode } = values
  return [
    {
      what: 'Chain of outcomes',
      value: 'an orderId such as sim:500,reset,ok:order-1',
      why: 'Each create with it meets the next outcome: a status from 400, reset, close, timeout or ok. Then it works.',
      where: 'order',
    },
    {
      what: 'Verification code',
      value: verificationCode,
      why: 'The only code that logs a buyer in. No message is sent; any other code is refused.',
      where: 'log in',
    },
    {
      what: 'Approved applicant',
      value: `${approvedApplicant.firstName} ${approvedApplicant.lastName}`,
      why: 'Always approved, for any amount and without a check. Case and spacing do not matter.',
      where: 'application',
    },
    {
      what: 'High-score national ID',
      value: `any nine digits ending in ${highScoreLast4}`,
      why: `Score ${credit.high.score}: approved up to ${dollars(cents(credit.high.limitCents))}, declined above.`,
      where: 'application',
    },
    {
      what: 'Any other national ID',
      value: 'any nine digits',
      why: `Score ${credit.usual.score}: approved up to ${dollars(cents(credit.usual.limitCents))}, declined above.`,
      where: 'application',
    },
    {
      what: 'Test card',
      value: spacedCardNumber(card.number),
      why: 'Suggested. Any card number that passes the Luhn check works with a future expiry and any CVC.',
      where: 'card',
    },
    {
      what: 'Test bank account',
      value: `routing ${bankAccount.routingNumber}, account ${bankAccount.accountNumber}`,
      why: 'Suggested. Any routing number that passes the ABA checksum works with any account of 4 to 17 digits.',
      where: 'bank account',
    },
  ]
}

export function spacedCardNumber(digits: string): string {
  return digits.replace(/(.{4})(?=.)/g, '$1 ')
}

// Reading and checking texts

function digitsOf(text: string): string {
  return text.replace(/[\s-]/g, '')
}

function sameName(typed: string, designated: string): boolean {
  return letters(typed) === letters(designated)
}

function letters(name: string): string {
  return name.normalize('NFKC').replace(/\s/g, '').toLowerCase()
}

function problem<FieldName extends string>(field: FieldName, text: string | undefined) {
  return text === undefined ? {} : ({ [field]: text } as Record<FieldName, string>)
}

function cardNumberProblem(digits: string): string | undefined {
  if (digits === '') return 'Enter the card number.'
  if (!/^\d{12,19}$/.test(digits)) return 'A card number has 12 to 19 digits.'
  return passesLuhn(digits) ? undefined : 'This number has a typing mistake. Compare it with the card.'
}

type Expiry = { expMonth: number; expYear: number }

function readExpiry(text: string): Expiry | undefined {
  const [, month, year] = /^\s*(\d{1,2})\s*[/.\- ]?\s*(\d{2}|20\d{2})\s*$/.exec(text) ?? []
  if (month === undefined || year === undefined) return undefined
  const expMonth = Number(month)
  if (expMonth < 1 || expMonth > 12) return undefined
  return { expMonth, expYear: year.length === 2 ? 2000 + Number(year) : Number(year) }
}

/** A card is good through the last day of the month printed on it. */
function expiryProblem(date: Expiry | undefined, now: number): string | undefined {
  if (date === undefined) return 'Enter the month and year on the card, such as 09 / 30.'
  const today = new Date(now)
  const month = today.getUTCFullYear() * 12 + today.getUTCMonth() + 1
  return date.expYear * 12 + date.expMonth < month ? 'This card has expired. Use another one.' : undefined
}

function cvcProblem(cvc: string, brand: string): string | undefined {
  if (brand === 'amex')
    return /^\d{4}$/.test(cvc) ? undefined : 'Enter the 4 digits on the front of the card.'
  return /^\d{3}$/.test(cvc) ? undefined : 'Enter the 3 digits on the back of the card.'
}

function routingProblem(digits: string): string | undefined {
  if (!/^\d{9}$/.test(digits)) return 'Enter the nine digits of the routing number.'
  return passesAbaChecksum(digits) ? undefined : 'This is not a bank’s routing number. Check each digit.'
}

const BRANDS: [brand: string, prefix: RegExp][] = [
  ['visa', /^4/],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['amex', /^3[47]/],
  ['discover', /^(6011|64[4-9]|65)/],
  ['diners', /^3(0[0-5]|[689])/],
  ['jcb', /^35/],
  ['unionpay', /^62/],
]

function brandOf(digits: string): string {
  return BRANDS.find(([, prefix]) => prefix.test(digits))?.[0] ?? 'unknown'
}
