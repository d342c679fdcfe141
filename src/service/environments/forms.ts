/**
 * The checks of the hosted page's forms that both environments share: the form of a number, before the bank
 * is asked.
 */
import type { BankAccount, Card } from '../../spec/contract/resources/payment-method.ts'
import { brandOf } from './card-brand.ts'

/** The result of checking a form: the value to store, or the problem of each wrong field, as a sentence for the buyer. */
export type Checked<Value, FieldName extends string> =
  | { value: Value; problems?: never }
  | { value?: never; problems: Partial<Record<FieldName, string>> }

/** Nine digits (§1.4), of which only the last four are stored. `problemOf` adds the environment's own check. */
export function checkNationalId(
  text: string,
  problemOf: (digits: string) => string | undefined = () => undefined,
): Checked<{ last4: string }, 'nationalId'> {
  const digits = digitsOf(text)
  const found = /^\d{9}$/.test(digits) ? problemOf(digits) : 'Enter all nine digits, with or without hyphens.'
  return found === undefined ? { value: { last4: digits.slice(-4) } } : { problems: { nationalId: found } }
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

/** An environment's checks of an account beyond the format of its numbers, and its bank's name. */
export interface AccountRules {
  readonly bankName: string
  routingProblem(digits: string): string | undefined
  accountProblem(digits: string): string | undefined
}

export function checkBankAccount(
  routing: string,
  account: string,
  rules: AccountRules,
): Checked<BankAccount, 'routing' | 'account'> {
  const routingNumber = digitsOf(routing)
  const accountNumber = digitsOf(account)
  const problems = {
    ...problem('routing', routingProblem(routingNumber) ?? rules.routingProblem(routingNumber)),
    ...problem('account', accountProblem(accountNumber) ?? rules.accountProblem(accountNumber)),
  }
  if (Object.keys(problems).length > 0) return { problems }
  return { value: { bankName: rules.bankName, routingNumber, last4: accountNumber.slice(-4) } }
}

/** The weights of the American Bankers Association, 3, 7, 1, repeated over the nine digits. */
export function passesAbaChecksum(digits: string): boolean {
  const weights = [3, 7, 1]
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * weights[index % 3]!, 0)
  return sum % 10 === 0
}

export function spacedCardNumber(digits: string): string {
  return digits.replace(/(.{4})(?=.)/g, '$1 ')
}

// Reading and checking texts

export function digitsOf(text: string): string {
  return text.replace(/[\s-]/g, '')
}

/** The problem of a field; none for an undefined text. */
export function problem<FieldName extends string>(field: FieldName, text: string | undefined) {
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

/** A card is valid through the last day of the month printed on it. */
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
  return passesAbaChecksum(digits) ? undefined : NO_ROUTING_NUMBER
}

export const NO_ROUTING_NUMBER = 'This is not a bank’s routing number. Check each digit.'

const accountProblem = (digits: string) => (/^\d{4,17}$/.test(digits) ? undefined : 'Enter 4 to 17 digits.')
