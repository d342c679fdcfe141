/**
 * §2: an amount is a decimal number of dollars in JSON, and whole cents in the code and the database.
 */
import { z } from 'zod'
import { withCommas } from './counted.ts'
import { AMOUNT_MAX_CENTS } from './limits.ts'

export type Cents = number & z.core.$brand<'Cents'>

export const cents = (value: number): Cents => value as Cents
export const ZERO = cents(0)

/** D10: `1000.00`, never `1000`. Cents are whole, so the last two digits are the decimals. */
export const formatMoney = (amount: Cents): string => {
  const digits = String(amount).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * For people: `$1,000.00`, other currencies by code as in `EUR 1,000.00`, with a true minus sign. Not Intl, whose symbols differ
 * between Node versions. Two decimals under every currency, as on the wire.
 */
export function moneyText(amount: Cents, currency: string): string {
  const digits = withCommas(formatMoney(cents(Math.abs(amount))))
  return `${amount < 0 ? '−' : ''}${currency === 'USD' ? '$' : `${currency} `}${digits}`
}

/** From an amount as on the wire. */
export const fromMajor = (major: number): Cents => cents(Math.round(major * 100))

/** D14: at most two decimals, judged by the parsed number: 1e3 passes, 0.1 + 0.2 does not. */
export const hasAtMostTwoDecimals = (value: number) => Number(value.toFixed(2)) === value

const AMOUNT_RULE = 'must be a positive number with at most two decimals'
const MIN = 0.01
const MAX = AMOUNT_MAX_CENTS / 100

const isAmount = (value: number) => value >= MIN && value <= MAX && hasAtMostTwoDecimals(value)

const isTooMuch = (value: number) => value > MAX && hasAtMostTwoDecimals(value)

/** An amount in a request: 0.01 to 999 999 999.99 (D15). */
export const Amount = z.codec(
  z
    .number({ error: AMOUNT_RULE })
    .refine(isAmount, {
      error: ({ input }) => (isTooMuch(input as number) ? `must be at most ${MAX}` : AMOUNT_RULE),
    })
    .meta({
      id: 'Amount',
      description: 'Decimal number in major units, at most two decimals',
      minimum: MIN,
      maximum: MAX,
      example: 1000.5,
    }),
  z.number().brand<'Cents'>(),
  { decode: fromMajor, encode: (minor) => minor / 100 },
)

/** An amount in a response: like {@link Amount}, or zero before anything has moved. */
export const Money = z.codec(
  z.number().min(0).meta({
    id: 'Money',
    description: 'Decimal number in major units, written with two decimals',
    example: 1000.0,
  }),
  z.int().min(0).brand<'Cents'>(),
  { decode: fromMajor, encode: (minor) => minor / 100 },
)
