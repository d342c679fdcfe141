/** Pure functions behind the dashboard's pages. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stateTone } from '../../src/pages/dashboard/blocks.tsx'
import { laidOutText } from '../../src/pages/dashboard/json-text.tsx'
import { inputOf } from '../../src/pages/dashboard/kinds.ts'
import { gapText, shortId, untilText } from '../../src/pages/dashboard/text.ts'
import { DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { BODY_MAX_BYTES } from '../../src/spec/contract/limits.ts'
import { Amount } from '../../src/spec/contract/money.ts'
import { typedValue } from '../../src/spec/options/option.ts'

const NOON = '2026-03-01T12:00:00.000Z'

describe('JSON formatted for reading', () => {
  it('has the layout of JSON.stringify, with unchanged digits', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(laidOutText(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
      }),
    )
    expect(laidOutText('{"amount":1000.00}')).toBe('{\n  "amount": 1000.00\n}')
    expect(laidOutText('no JSON')).toBe('no JSON')
  })

  it('shows text unchanged that is longer than a body may be', () => {
    const list = (text: string) => JSON.stringify([text])
    const longest = 'x'.repeat(BODY_MAX_BYTES - list('').length)
    expect(laidOutText(list(longest))).toBe(`[\n  "${longest}"\n]`)
    expect(laidOutText(list(`${longest}x`))).toBe(list(`${longest}x`))
  })
})

describe('the color of a state', () => {
  it.each([
    ['wait', ['pending', 'refund pending']],
    ['way', ['approved', 'authorized', 'frozen']],
    ['good', ['confirmed', 'captured', 'completed', 'attached', 'refund completed', 'delivered']],
    ['over', ['canceled', 'voided', 'detached', 'failed', 'refunded']],
  ])('is %s of %s', (tone, states) => {
    expect(states.map(stateTone)).toEqual(states.map(() => tone))
  })
})

describe('words', () => {
  it.each([
    [250, '250ms'],
    [1000, '1s'],
    [59_900, '1m'],
    [85_000, '1m25s'],
    [2 * 86_400_000 - 142_000, '1d23h'],
    [36_500 * 86_400_000, '36500d'],
  ])('%i ms are %s', (ms, text) => {
    expect(gapText(ms)).toBe(text)
  })

  it('show the distance of an instant, and shorten ids to their distinct part', () => {
    expect(untilText('2026-03-01T12:00:05.000Z', Date.parse(NOON))).toBe('in 5s')
    expect(untilText(NOON, Date.parse(NOON))).toBe('now')
    expect(shortId('chk_7Qm2ZxT9cLw4RbN8sVk1YdHf', DEFAULT_CONTRACT.ids)).toBe('chk_…1YdHf')
    expect(shortId('req_12', DEFAULT_CONTRACT.ids)).toBe('req_12')
  })
})

describe('an option of a verb', () => {
  it('has a list of its words, yes or no, a field for a number, or one for any text, and its value has that type', () => {
    const word = z.enum(['card', 'bank_account']).optional()
    const amount = Amount.optional()
    expect([word, z.boolean(), amount, z.string()].map(inputOf)).toEqual([
      { options: ['card', 'bank_account'] },
      {
        options: [
          ['false', 'no'],
          ['true', 'yes'],
        ],
      },
      { type: 'number' },
      {},
    ])
    expect(['12.50', '7', 'many'].map((text) => typedValue(amount, text))).toEqual([12.5, 7, 'many'])
    expect([word, z.string()].map((schema) => typedValue(schema, '7'))).toEqual(['7', '7'])
  })
})
