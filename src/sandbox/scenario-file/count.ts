/**
 * How many requests, deliveries or messages there must be, and in which order, for steps and for the tester's
 * `verify`.
 */
import { z } from 'zod'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import type { MatchDifference } from './matcher.ts'

const MAX = TESTER_LIMITS.count.max
const number = z.int().min(0).max(MAX)

const bounds = {
  atLeast: number.optional().describe('No fewer'),
  atMost: number.optional().describe('No more'),
}

/** The keys of a count. */
export const countFields = {
  count: z
    .union([number, z.strictObject(bounds)], {
      error: `must be a number from 0 to ${MAX}, or { atLeast, atMost }`,
    })
    .optional()
    .describe('An exact count, or atLeast and atMost. Default: at least one'),
  exactly: number.optional().describe('Exactly this many'),
  ...bounds,
}

export type Counted = z.input<z.ZodObject<typeof countFields>>

export interface CountRange {
  min: number
  max: number
}

/** Refuses a count that is given twice, such as by `count` and `exactly`. */
export function checkCountedOnce(given: Counted, context: z.RefinementCtx): void {
  const { count, exactly, atLeast, atMost } = given
  if ([count, exactly, atLeast ?? atMost].filter((value) => value !== undefined).length < 2) return
  const path = [exactly === undefined ? 'count' : 'exactly']
  context.addIssue({ code: 'custom', path, message: 'cannot be combined with another count' })
}

/** The meaning of most steps without a count. */
export const AT_LEAST_ONE: CountRange = { min: 1, max: Number.POSITIVE_INFINITY }

/** Undefined if no count is given. */
export function countRange({ count, exactly, ...given }: Counted): CountRange | undefined {
  const number = typeof count === 'number' ? count : exactly
  if (number !== undefined) return { min: number, max: number }
  const { atLeast, atMost } = typeof count === 'object' ? count : given
  if (atLeast === undefined && atMost === undefined) return undefined
  return { min: atLeast ?? 0, max: atMost ?? Number.POSITIVE_INFINITY }
}

export const isInRange = (number: number, { min, max }: CountRange): boolean => number >= min && number <= max

/** Such as `exactly 2` or `at least 1`. */
export function rangeInWords({ min, max }: CountRange): string {
  if (min === max) return `exactly ${min}`
  const most = Number.isFinite(max) ? `at most ${max}` : ''
  return min === 0 && most !== '' ? most : [`at least ${min}`, most].filter(Boolean).join(' and ')
}

/** The difference of a wrong count. */
export const countDifferences = (path: string, range: CountRange, count: number): MatchDifference[] =>
  isInRange(count, range) ? [] : [{ path, expected: rangeInWords(range), received: String(count) }]

/**
 * Compares the order of items with the expected one. A name means the first item that matches; named again, the next one. `items`
 * are only those that match the rest of the expectation.
 */
export function orderDifferences<Item>(
  order: readonly string[],
  items: readonly Item[],
  fits: (name: string, item: Item) => boolean,
  nameOf: (item: Item) => string,
): MatchDifference[] {
  const places = order.map((name, index) => {
    const earlier = order.slice(0, index).filter((before) => before === name).length
    return items.flatMap((item, at) => (fits(name, item) ? [at] : []))[earlier] ?? -1
  })
  if (places.every((place, index) => place > (places[index - 1] ?? -1))) return []
  return [
    {
      path: 'order',
      expected: order.join(', '),
      received: shortened(items.map(nameOf).join(', ') || 'none'),
    },
  ]
}
