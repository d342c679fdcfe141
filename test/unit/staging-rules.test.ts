import { describe, expect, it } from 'vitest'
import { checkBankAccount, checkCard, checkNationalId } from '../../src/service/environments/forms.ts'
import { decideApplication, stagingRules } from '../../src/service/environments/staging.ts'
import { changeValues, stagingValues } from '../../src/spec/environments/values.ts'
import { readOptions } from '../../src/spec/options/read.ts'
import { SandboxSettings } from '../../src/spec/options/sandbox.ts'

const now = Date.parse('2026-01-31T23:00:00.000Z')

const isCode = (typed: string, values = stagingValues) =>
  stagingRules(values, 'USD').isCode(typed, 'buyer@shop.test', null)

describe('the verification code', () => {
  it.each([
    ['000000', true],
    [' 000 000 ', true],
    ['000001', false],
    ['00000', false],
    ['', false],
  ])('%j is accepted: %s', (code, accepted) => {
    expect(isCode(code)).toBe(accepted)
  })

  it('is the configured one', () => {
    expect(isCode('273338', { ...stagingValues, verificationCode: '273338' })).toBe(true)
  })
})

describe('an application', () => {
  const ada = { first: 'Ada', last: 'Buyer', nationalIdLast4: '6789', amount: 1 }
  const other = { first: ' tE st', last: 'APPROVED ' }
  const ANY = 99_999_999_999

  it.each([
    ['the designated name, spaced and in other case', { ...other, amount: ANY }, true, 'by name', null],
    ['only half of the name', { first: 'Test', amount: 2_500_001 }, false, 'declined by limit', 650],
  ] as const)('%s', (_, given, approved, reason, score) => {
    const decision = { approved, reason, score }
    expect(decideApplication({ ...ada, ...given }, stagingValues, 'USD')).toMatchObject(decision)
  })
})

describe('a national ID', () => {
  it.each(['123456789', '123-45-6789', '12-3456789', ' 123 45 6789 '])('%j is accepted', (text) => {
    expect(checkNationalId(text)).toEqual({ value: { last4: '6789' } })
  })

  it.each(['', '12345678', '1234567890', '12345678a', '１２３４５６７８９'])('%j is refused', (text) => {
    expect(checkNationalId(text).problems).toHaveProperty('nationalId')
  })
})

describe('a card', () => {
  it.each([
    ['4242 4242 4242 4242', '123', 'visa'],
    ['4000-0566-5566-5556', '123', 'visa'],
    ['5555555555554444', '123', 'mastercard'],
    ['2223003122003222', '123', 'mastercard'],
    ['378282246310005', '1234', 'amex'],
    ['6011111111111117', '123', 'discover'],
    ['3056930009020004', '123', 'diners'],
    ['3566002020360505', '123', 'jcb'],
    ['6200000000000005', '123', 'unionpay'],
    ['9000000000000001', '123', 'unknown'],
  ])('%s is a %s card', (number, cvc, brand) => {
    expect(checkCard(number, '12/34', cvc, now).value?.brand).toBe(brand)
  })

  it('stores the last four digits and the expiry, and nothing else', () => {
    expect(checkCard('4242 4242 4242 4242', '12 / 34', '123', now)).toEqual({
      value: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 },
    })
  })

  it.each(['1/26', '01/26', '0126', '01 / 2026', '1.27', '12-26', '12 2099'])(
    'expiry %j is in the future',
    (expiry) => {
      expect(checkCard('4242424242424242', expiry, '123', now).problems).toBeUndefined()
    },
  )

  it.each(['12/25', '00/30', '13/30', '', 'soon', '1/1', '01/20260'])('expiry %j is refused', (expiry) => {
    expect(Object.keys(checkCard('4242424242424242', expiry, '123', now).problems ?? {})).toEqual(['expiry'])
  })

  it.each([
    ['', '123'],
    ['4242424242424241', '123'],
    ['4242424242424247', '123'],
    ['42424242', '123'],
    ['4242x', '123'],
  ])('number %j is refused', (number, cvc) => {
    expect(Object.keys(checkCard(number, '12/34', cvc, now).problems ?? {})).toEqual(['number'])
  })

  it('lists every invalid field', () => {
    expect(Object.keys(checkCard('1', '1', '1', now).problems ?? {})).toEqual(['number', 'expiry', 'cvc'])
  })

  it('requires four digits for an American Express card', () => {
    expect(Object.keys(checkCard('378282246310005', '12/34', '123', now).problems ?? {})).toEqual(['cvc'])
  })
})

describe('a bank account', () => {
  it('stores the routing number and the last four digits of the account', () => {
    expect(checkBankAccount('222222226', '000 123 456 789', stagingRules(stagingValues, 'USD'))).toEqual({
      value: { bankName: 'Staging Bank', routingNumber: '222222226', last4: '6789' },
    })
  })

  it.each([
    ['222222227', '1234', ['routing']],
    ['222222221', '1234', ['routing']],
    ['22222222', '1234', ['routing']],
    ['222222226', '123', ['account']],
    ['222222226', '123456789012345678', ['account']],
    ['x', '', ['routing', 'account']],
  ])('%j with %j is refused', (routing, account, fields) => {
    expect(
      Object.keys(checkBankAccount(routing, account, stagingRules(stagingValues, 'USD')).problems ?? {}),
    ).toEqual(fields)
  })
})

describe('custom test values', () => {
  it('replace the given values, and keep the rest', () => {
    const values = changeValues({ verificationCode: '273338', credit: { usual: { limitCents: 100 } } })
    expect(isCode('273338', values)).toBe(true)
    expect(values.credit).toEqual({
      high: stagingValues.credit.high,
      usual: { score: 650, limitCents: 100 },
    })
    expect(values.card).toEqual(stagingValues.card)
  })

  it.each([
    [{ verificationCode: 273338 }, 'testValues.verificationCode must be a text, not 273338.'],
    [{ credit: { usual: 5 } }, 'testValues.credit.usual must be an object, not 5.'],
    [{ credit: { usual: { score: '650' } } }, 'testValues.credit.usual.score must be a number, not "650".'],
    [{ credit: [] }, 'testValues.credit must be an object, not [].'],
    [null, 'testValues must be test values as in fixtures/test-values.json, not null.'],
    [5, 'testValues must be test values as in fixtures/test-values.json, not 5.'],
    [{ card: { pin: '1' } }, 'testValues.card.pin is unknown here.'],
    [{ card: { expMnth: 1 } }, 'testValues.card.expMnth is unknown here; did you mean expMonth?'],
    [{ card: { expMonth: 13 } }, 'testValues.card.expMonth must be a whole number from 1 to 12, not 13.'],
    [{ card: { expYear: 34 } }, 'testValues.card.expYear must be a whole number from 1970 to 9999, not 34.'],
  ])('%j is refused in code', (staging, sentence) => {
    expect(() => readOptions(SandboxSettings, { testValues: staging })).toThrow(sentence)
  })
})

describe('the suggested values', () => {
  it('are accepted by staging itself', () => {
    const { card, bankAccount, suggested } = stagingValues
    const rules = stagingRules(stagingValues, 'USD')
    const entered = checkCard(card.number, `${card.expMonth}/${card.expYear}`, card.cvc, now)
    expect(rules.testersMethod('card')).toEqual({ type: 'card', card: entered.value })
    const { value } = checkBankAccount(bankAccount.routingNumber, bankAccount.accountNumber, rules)
    expect(rules.testersMethod('bank_account')).toEqual({ type: 'bank_account', bankAccount: value })
    expect(checkNationalId(suggested.highScoreNationalId).value?.last4).toBe(stagingValues.highScoreLast4)
    expect(checkNationalId(suggested.usualNationalId).value?.last4).not.toBe(stagingValues.highScoreLast4)
  })
})
