/**
 * A behavior that can never act, because an earlier one acts on all that it is about. Found is what is sure: the earlier one
 * has no limit of its own, and each of its conditions is also one of the later one.
 */
import { wildcardRegExp } from '../contract/reg-exp.ts'
import type { When } from './behavior.ts'

/** A behavior as it is written or as it was read. */
export interface WrittenBehavior {
  id?: string | undefined
  when?: Partial<Record<keyof When, unknown>> | undefined
  also?: boolean | undefined
  times?: number | undefined
  skip?: number | undefined
  ttl?: unknown
  do: object
}

/** The first of the earlier behaviors that leaves nothing for this one. */
export const alwaysActsBefore = <Earlier extends WrittenBehavior>(
  behavior: WrittenBehavior,
  earlier: readonly Earlier[],
): Earlier | undefined =>
  earlier.find((one) => placeOf(one.do) === placeOf(behavior.do) && actsAlways(one) && covers(one, behavior))

/** Behaviors compete only with those that act on the same kind of thing. */
const placeOf = (words: object): string =>
  ['transition', 'webhook', 'decision'].find((word) => word in words) ?? 'request'

/** On everything that fits its other conditions, from the first on and for ever. */
const actsAlways = ({ when, also, times, skip, ttl }: WrittenBehavior): boolean =>
  !also &&
  times === undefined &&
  !skip &&
  ttl === undefined &&
  when?.attempt === undefined &&
  when?.probability === undefined

const covers = ({ when: wide = {} }: WrittenBehavior, { when: narrow = {} }: WrittenBehavior): boolean =>
  Object.entries(wide).every(([name, expected]) => {
    const own = narrow[name as keyof When]
    if (expected === undefined || EVERY_CALL.includes(String(expected))) return true
    if (JSON.stringify(expected) === JSON.stringify(own)) return true
    return PATTERNS.includes(name) && typeof own === 'string' && coversPattern(String(expected), own)
  })

const PATTERNS = ['call', 'op', 'event']

const EVERY_CALL = ['* /**', '* /v1/**']

/** `checkouts.*` covers `checkouts.create`, and `GET /v1/**` covers `GET /v1/checkouts/{id}`. */
function coversPattern(wide: string, narrow: string): boolean {
  // A segment of its own stands for `{id}` and `*`, two segments for `**`.
  const sample = narrow.replaceAll('**', 'x/x').replaceAll(/\{\w+\}/g, 'x')
  return new RegExp(`^${wildcardRegExp(wide)}$`).test(sample)
}

export const unreachableSentence = (earlier: string): string =>
  `can never act: ${earlier} before it acts on all that it is about; put this one first, give ${earlier} a times or a ttl, or say also: true there`
