/**
 * Finds behaviors that can never act, because an earlier one acts on everything that they match. Only certain
 * cases are reported: the earlier one has no limit, and each of its conditions is also one of the later
 * one's.
 */
import { wildcardRegExp } from '../../spec/contract/reg-exp.ts'
import type { When } from './behavior.ts'

/** A behavior, as a file writes it or after reading. */
export interface WrittenBehavior {
  id?: string | undefined
  when?: Partial<Record<keyof When, unknown>> | undefined
  continue?: boolean | undefined
  times?: number | undefined
  skip?: number | undefined
  ttl?: unknown
  do: object
}

/**
 * For each behavior from `from` on that can never act, its index and that of the first earlier one that hides
 * it. Texts and patterns are made once for each behavior: a thousand behaviors are half a million pairs. An
 * undefined item is no valid behavior and is skipped.
 */
export function* unreachableIn(
  behaviors: readonly (WrittenBehavior | undefined)[],
  from = 0,
): Generator<{ index: number; earlier: number }> {
  const unlimited = new Map<string, { index: number; conditions: Condition[] }[]>()
  for (const [index, behavior] of behaviors.entries()) {
    if (behavior === undefined) continue
    const place = placeOf(behavior)
    const rivals = unlimited.get(place) ?? []
    unlimited.set(place, rivals)
    const conditions = conditionsOf(behavior)
    const earlier = index < from ? undefined : rivals.find((rival) => covers(rival.conditions, conditions))
    if (earlier) yield { index, earlier: earlier.index }
    if (actsAlways(behavior)) rivals.push({ index, conditions })
  }
}

/** Behaviors compete only with those that act on the same kind of trigger. */
const placeOf = ({ when, do: words }: WrittenBehavior): string =>
  ['transition', 'webhook', 'decision'].find((word) => word in words) ??
  (when?.replay === true ? 'replay' : 'request')

/** Whether it acts on everything that its conditions match, without an end and without a chance. */
const actsAlways = ({ when, continue: continues, times, skip, ttl }: WrittenBehavior): boolean =>
  !continues &&
  times === undefined &&
  !skip &&
  ttl === undefined &&
  when?.attempt === undefined &&
  when?.probability === undefined

/** One condition of `when`, in a form to compare. */
interface Condition {
  name: string
  json: string
  /** An example text: a wider pattern that matches it matches everything that this condition matches. */
  sample: string | undefined
  /** For a text with wildcards. */
  pattern: RegExp | undefined
}

/** The conditions of a behavior, without those that every call fulfils. */
const conditionsOf = ({ when = {} }: WrittenBehavior): Condition[] =>
  Object.entries(when)
    .filter(([name, expected]) => expected !== undefined && !isEveryCall(name, expected))
    .map(([name, expected]) => ({ name, json: JSON.stringify(expected), ...patternOf(name, expected) }))

const isEveryCall = (name: string, expected: unknown) =>
  name === 'call' && (expected === '* /**' || expected === '* /v1/**')

/** `checkouts.*` covers `checkouts.create`, and `GET /v1/**` covers `GET /v1/checkouts/{id}`. */
function patternOf(name: string, expected: unknown): Pick<Condition, 'sample' | 'pattern'> {
  if (!['call', 'stub', 'op', 'event'].includes(name) || typeof expected !== 'string')
    return { sample: undefined, pattern: undefined }
  return {
    // `x` stands for `{id}`, and two segments for `**`.
    sample: expected.replaceAll('**', 'x/x').replaceAll(/\{\w+\}/g, 'x'),
    pattern: /[*{]/.test(expected) ? new RegExp(`^${wildcardRegExp(expected)}$`) : undefined,
  }
}

const covers = (wide: readonly Condition[], narrow: readonly Condition[]): boolean =>
  wide.every(({ name, json, pattern }) => {
    const own = narrow.find((condition) => condition.name === name)
    return own?.json === json || (own?.sample !== undefined && pattern?.test(own.sample))
  })

export const unreachableSentence = (earlier: string): string =>
  `can never act: ${earlier} before it acts on all that it is about; put this one first, give ${earlier} a times or a ttl, or add continue: true there`
