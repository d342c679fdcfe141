/** Production's plausibility checks, and the decisions of its bank. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkCard, passesAbaChecksum, passesLuhn } from '../../src/service/environments/forms.ts'
import {
  isPlausibleAccount,
  isPlausibleNationalId,
  productionRules,
  scoreOf,
} from '../../src/service/environments/production.ts'
import { stagingValues } from '../../src/spec/environments/values.ts'

const rules = productionRules(stagingValues, 'USD')

test.each([
  ['212384718', true],
  ['899991234', true],
  ['000384718', false],
  ['666384718', false],
  ['900384718', false],
  ['212004718', false],
  ['212380000', false],
  ['111111111', false],
  ['123456789', false],
  ['078051120', false],
])('the national ID %s is plausible: %s', (digits, plausible) => {
  expect(isPlausibleNationalId(digits)).toBe(plausible)
})

test.each([
  ['4827193056', true],
  ['100001', true],
  ['12345', false],
  ['111111', false],
  ['123456789', false],
  ['000123456789', false],
  ['567890123', false],
])('the account %s is plausible: %s', (digits, plausible) => {
  expect(isPlausibleAccount(digits)).toBe(plausible)
})

test('the test cards are valid card numbers, so that a decline is not reported as a typing mistake', () => {
  for (const { number } of [
    stagingValues.card,
    { number: '378282246310005' },
    { number: '30569309025904' },
  ]) {
    expect(passesLuhn(number)).toBe(true)
    expect(rules.whyCardDeclined(number)).toBe('it is a test card')
  }
})

test('a person has one score for each seed, from 520 to 850, independent of case and spaces', () => {
  const person = fc.record({
    first: fc.string(),
    last: fc.string(),
    nationalIdLast4: fc.stringMatching(/^\d{4}$/),
  })
  fc.assert(
    fc.property(person, fc.nat(), (buyer, seed) => {
      const score = scoreOf(buyer, seed)
      expect(score).toBeGreaterThanOrEqual(520)
      expect(score).toBeLessThanOrEqual(850)
      expect(scoreOf({ ...buyer, first: ` ${buyer.first} ` }, seed)).toBe(score)
    }),
  )
  // The formula in docs/environments.md: FNV-1a of "1 ada buyer 4718", modulo 331.
  expect(scoreOf({ first: 'Ada', last: 'Buyer', nationalIdLast4: '4718' }, 1)).toBe(850)
  expect(scoreOf({ first: 'Ada', last: 'Buyer', nationalIdLast4: '4718' }, 0)).toBe(584)
})

test("a tester's buyer passes every check of the page and the bank, with every seed", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const { testersBuyer: buyer, ...rules } = productionRules(stagingValues, 'USD', seed)
      const { number, expMonth, expYear, cvc } = buyer.card
      expect(checkCard(number, `${expMonth}/${expYear}`, cvc, 0).problems).toBeUndefined()
      expect(rules.whyCardDeclined(number)).toBeUndefined()
      const { routingNumber, accountNumber } = buyer.bankAccount
      expect(passesAbaChecksum(routingNumber)).toBe(true)
      expect(rules.routingProblem(routingNumber)).toBeUndefined()
      expect(rules.accountProblem(accountNumber)).toBeUndefined()
      expect(rules.whyAccountDeclined(routingNumber)).toBeUndefined()
      const { firstName: first, lastName: last, nationalId } = buyer.approved
      expect(rules.nationalIdProblem(nationalId)).toBeUndefined()
      const request = { first, last, nationalIdLast4: nationalId.slice(-4), amount: 25_000_000 }
      expect(rules.decideCredit(request)).toMatchObject({ approved: true })
      expect(rules.decideCredit({ ...request, amount: 25_000_001 })).toMatchObject({ approved: false })
    }),
  )
})
