/**
 * A behavior that can never act, because an earlier one acts on all that it is about. Found is what is sure: the earlier one
 * has no limit of its own, and each of its conditions is also one of the later one.
 */
import { wildcardRegExp } from '../../spec/contract/reg-exp.ts'
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

/**
 * Each behavior from `from` on that can never act, with the first one that leaves nothing for it. Two are compared by texts
 * and patterns that are made once: a thousand behaviors are half a million pairs. Undefined is what is none.
 */
export function* unreachableIn(
  behaviors: readonly (WrittenBehavior | undefined)[],
  from = 0,
): Generator<{ index: number; earlier: number }> {
  const unlimited = new Map<string, { index: number; conditions: Condition[] }[]>()
  for (const [index, behavior] of behaviors.entries()) {
    if (behavior === undefined) continue
    const place = placeOf(behavior.do)
    const rivals = unlimited.get(place) ?? []
    unlimited.set(place, rivals)
    const conditions = conditionsOf(behavior)
    const earlier = index < from ? undefined : rivals.find((rival) => covers(rival.conditions, conditions))
    if (earlier) yield { index, earlier: earlier.index }
    if (actsAlways(behavior)) rivals.push({ index, conditions })
  }
}

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

/** A part of `when`, as it is compared. */
interface Condition {
  name: string
  json: string
  /** A text that what the pattern matches would match as well, where it is a pattern. */
  sample: string | undefined
  /** Of a text with wildcards. */
  pattern: RegExp | undefined
}

/** Those that leave something out. */
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
    // A segment of its own stands for `{id}` and `*`, two segments for `**`.
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
  `can never act: ${earlier} before it acts on all that it is about; put this one first, give ${earlier} a times or a ttl, or say also: true there`
