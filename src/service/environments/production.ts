/**
 * Simulated production (D62, D63), without staging's shortcuts. A fixed rule replaces the real bank: the same seed and person
 * always get the same result. A behavior with `decision` decides first.
 */
import type { StagingValues } from '../../spec/environments/values.ts'
import type { Random } from '../../spec/world/random.ts'
import type { CreditDecision } from '../domain/application.ts'
import { decidedByScore, plainName, storedMethod } from './both-environments.ts'
import { digitsOf, NO_ROUTING_NUMBER } from './forms.ts'
import type { CreditRequest, EnvironmentRules, TestersBuyer } from './rules.ts'

/** `values`: staging's test values, which production declines. */
export function productionRules(values: StagingValues, currency: string, seed = 0): EnvironmentRules {
  const testCards = new Set([...TEST_CARDS, values.card.number])
  const testRoutings = new Set([...TEST_ROUTING_NUMBERS, values.bankAccount.routingNumber])
  const testersBuyer = buyerWhomTheBankTrusts(seed)
  const testersMethod: EnvironmentRules['testersMethod'] = (type) =>
    storedMethod(testersBuyer, BANK_NAME, type)
  return {
    newCode,
    isCode: (typed, contact, sent) => sent?.to === contact && digitsOf(typed) === sent.code,

    nationalIdProblem: (digits) =>
      isPlausibleNationalId(digits) ? undefined : 'This is not a national ID. Check each digit.',
    decideCredit: (request) => decideByScore(request, currency, seed),

    bankName: BANK_NAME,
    routingProblem: (digits) => (isAssignedRouting(digits) ? undefined : NO_ROUTING_NUMBER),
    accountProblem: (digits) =>
      isPlausibleAccount(digits) ? undefined : 'This is not an account number. Check each digit.',
    whyCardDeclined: (number) => (testCards.has(number) ? 'it is a test card' : undefined),
    whyAccountDeclined: (routing) =>
      testRoutings.has(routing) ? 'its routing number is for tests' : undefined,

    impliedMethod: () => undefined,
    testersMethod,
    testersBuyer,

    needsApproval: true,
    faultsOnRequest: false,
    sendsMessages: true,

    helpsTesters: false,
    suggestions: () => [],
    testValues: () => [],
  }
}

const BANK_NAME = 'Bank'

/** Six digits, drawn for each code that is sent. */
const newCode = (random: Random): string => String(random.next() % 1_000_000).padStart(6, '0')

/** Test numbers published by processors, which a real bank would not know. */
const TEST_CARDS = [
  '4242424242424242',
  '4000056655665556',
  '4000000000000002',
  '4111111111111111',
  '4012888888881881',
  '4222222222222',
  '5555555555554444',
  '5105105105105100',
  '5200828282828210',
  '2223003122003222',
  '378282246310005',
  '371449635398431',
  '6011111111111117',
  '6011000990139424',
  '30569309025904',
  '38520000023237',
  '3530111333300000',
  '3566002020360505',
  '6200000000000005',
]

const TEST_ROUTING_NUMBERS = ['110000000', '222222226']

/**
 * Whether the Social Security Administration could have assigned these nine digits: area 001 to 899 but not
 * 666, group 01 to 99, serial 0001 to 9999. Numbers that were printed in advertisements are refused too, and
 * obvious ones such as 123456789.
 */
export const isPlausibleNationalId = (digits: string): boolean =>
  /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits) &&
  !isOneDigitRepeated(digits) &&
  !['123456789', '078051120', '219099999'].includes(digits)

/** The Federal Reserve's districts: the first two digits are 01 to 12, 21 to 32, 61 to 72 or 80. */
const isAssignedRouting = (digits: string): boolean =>
  /^(0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/.test(digits)

/** At least six digits; neither one repeated digit nor a sequence such as 123456789, with or without leading zeros. */
export const isPlausibleAccount = (digits: string): boolean =>
  digits.length >= 6 &&
  !isOneDigitRepeated(digits) &&
  !'01234567890123456789'.includes(digits.replace(/^0+/, ''))

const isOneDigitRepeated = (digits: string): boolean => /^(\d)\1*$/.test(digits)

// Credit (D63)

/** The highest amount in cents that a score allows, from the highest score down. */
const CREDIT_LINES = [
  { score: 740, limit: 25_000_000 },
  { score: 670, limit: 5_000_000 },
  { score: 580, limit: 1_000_000 },
] as const
const LOWEST_SCORE = 520
const SCORES = 331

export function scoreOf(
  { first, last, nationalIdLast4 }: Omit<CreditRequest, 'amount'>,
  seed: number,
): number {
  const person = [seed, plainName(first), plainName(last), nationalIdLast4]
  return LOWEST_SCORE + (fnv1a(person.join(' ')) % SCORES)
}

function decideByScore({ amount, ...person }: CreditRequest, currency: string, seed: number): CreditDecision {
  const score = scoreOf(person, seed)
  const limit = CREDIT_LINES.find((line) => score >= line.score)?.limit ?? 0
  const decided = decidedByScore(score, limit, amount, currency)
  if (limit > 0) return decided
  const explanation = `A score of ${score} is below ${CREDIT_LINES.at(-1)!.score}, so no credit is given.`
  return { ...decided, explanation }
}

/** The 32-bit Fowler–Noll–Vo hash, short enough for readers of the documentation to reproduce. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/**
 * The buyer of the `approve` verb: Ada Buyer with the first last-four digits, from 4718 on, whose score reaches the highest credit
 * line.
 */
function buyerWhomTheBankTrusts(seed: number): TestersBuyer {
  const name = { firstName: 'Ada', lastName: 'Buyer' }
  let serial = 4718
  const score = () =>
    scoreOf({ first: name.firstName, last: name.lastName, nationalIdLast4: String(serial) }, seed)
  while (score() < CREDIT_LINES[0].score) serial += 1
  return {
    email: 'buyer@example.test',
    approved: { ...name, nationalId: `21238${serial}` },
    applicant: name,
    businessName: 'Example Trading LLC',
    card: { number: '4539628173092453', expMonth: 12, expYear: 2034, cvc: '737' },
    bankAccount: { routingNumber: '071928467', accountNumber: '4827193056' },
  }
}
