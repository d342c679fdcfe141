/** The written form of the contract's values: JSON, money for people, and ids. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { exampleIdOf } from '../../src/spec/contract/example-id.ts'
import { ID_PREFIXES, idKindOf, requestId, requestNumber } from '../../src/spec/contract/ids.ts'
import { UnwritableAnswer, writer } from '../../src/spec/contract/json-writer.ts'
import { cents, Money, moneyText } from '../../src/spec/contract/money.ts'
import { Instant } from '../../src/spec/contract/wire.ts'

const Payment = z.object({
  note: z.string().optional(),
  amount: Money,
  at: Instant.nullable(),
  tags: z.array(z.enum(['a', 'b'])),
})

describe('JSON', () => {
  test.each([
    ['a missing field', { at: null, tags: [] }, "the answer's amount"],
    ['a fraction of a cent', { amount: 0.5, at: null, tags: [] }, "the answer's amount"],
    ['a word outside the list', { amount: 1, at: null, tags: ['c'] }, "the answer's tags[]"],
    ['no object', 'text', "the answer's body"],
  ])('%s is refused', (_, value, message) => {
    const write = () => writer(Payment)(value as never)
    expect(write).toThrow(UnwritableAnswer)
    expect(write).toThrow(message)
  })
})

test.each([
  [0, 'USD', '$0.00'],
  [5, 'USD', '$0.05'],
  [99_999, 'USD', '$999.99'],
  [100_000, 'USD', '$1,000.00'],
  [99_999_999_999, 'USD', '$999,999,999.99'],
  [-123_456, 'USD', '−$1,234.56'],
  [100_000, 'EUR', 'EUR 1,000.00'],
  [-500, 'CHF', '−CHF 5.00'],
  // The wire has two decimals under every currency, and so have texts.
  [1_200, 'JPY', 'JPY 12.00'],
])('%i cents of %s are %s', (amount, currency, text) => {
  expect(moneyText(cents(amount), currency)).toBe(text)
})

describe('ids', () => {
  test('the prefix identifies the kind', () => {
    const kinds = Object.keys(ID_PREFIXES) as (keyof typeof ID_PREFIXES)[]
    expect(kinds.map((kind) => idKindOf(exampleIdOf(ID_PREFIXES[kind])))).toEqual(kinds)
    expect([idKindOf('xyz_1'), idKindOf('chk'), idKindOf('')]).toEqual([undefined, undefined, undefined])
  })

  test('a request has its number', () => {
    expect(requestNumber(requestId(12))).toBe(12)
    expect(['req_', 'req_1x', 'chk_1', '12'].map(requestNumber)).toEqual([NaN, NaN, NaN, NaN])
  })
})
