/**
 * Groups differences that are alike: how often they occur, where first, and which key of a profile would mend
 * them.
 */
import type { MendableDifference, ShadowDifference, ShownKey } from '../../pages/dashboard/real-service.ts'
import { counted } from '../../spec/contract/counted.ts'
import { OF_ANY_SERVICE } from '../../tester/alike/made-anew.ts'
import { groupBy } from '../../tester/conduct/picture.ts'

/** Our sandbox's answer, and its place in the evidence for learning. */
export interface AnswerHere {
  method: string
  target: string
  status: number
  body: string
  seenIn: string
}

export type MendingKey = (difference: ShadowDifference, answer: AnswerHere) => ShownKey | undefined

/** `where`: such as `refund.yaml step 3`. */
export type PlacedDifference = MendableDifference & { where: string }

export interface DifferenceGroup {
  /** The sentence of the first difference. */
  sentence: string
  times: number
  first: string
  /** The paths of all differences, without positions in lists. */
  paths: readonly string[]
  mendedBy: ShownKey | null
}

/** A field that differs in more ways than this becomes one group: amounts and texts differ in each answer. */
const WAYS_MAX = 3

/** The groups, the most frequent first. */
export function groupedDifferences(differences: readonly PlacedDifference[]): DifferenceGroup[] {
  const byField = groupBy(differences, ({ kind, path }) => `${kind} ${fieldOf(path)}`)
  const groups = [...byField.values()].flatMap((ofField) => {
    const ways = [...groupBy(ofField, wayOf).values()]
    return ways.length > WAYS_MAX
      ? [groupOf(ofField, `, and in ${counted(ways.length - 1, 'other way')}`)]
      : ways.map((alike) => groupOf(alike))
  })
  return groups.sort((one, other) => other.times - one.times)
}

function groupOf(alike: readonly PlacedDifference[], more = ''): DifferenceGroup {
  const [first] = alike
  return {
    sentence: first!.sentence + more,
    times: alike.length,
    first: first!.where,
    paths: [...new Set(alike.map(({ path }) => inAnyPlace(path)))],
    mendedBy: alike.find(({ mendedBy }) => mendedBy)?.mendedBy ?? null,
  }
}

/** A text that is equal for differences of the same kind, in any item of a list, any step and any resource. */
const wayOf = ({ kind, path, ours, theirs }: ShadowDifference): string =>
  JSON.stringify([
    kind,
    fieldOf(path),
    ...[ours, theirs].map((text) => OF_ANY_SERVICE.lasting(withoutStep(text))),
  ])

const inAnyPlace = (path: string) => path.replaceAll(/\[\d+\]/g, '[]')

/** The field `status` is the same in an answer and in the items of a list. */
const fieldOf = (path: string) => inAnyPlace(path).replace(/^\$.*(?=\.)/, '$')

const withoutStep = (text: string) => text.replaceAll(/ of step [\d.]+/g, '')

export const timesText = ({ times, first }: DifferenceGroup): string =>
  times === 1 ? `once, in ${first}` : `${times} times, first in ${first}`

export const keyText = ({ key, value }: ShownKey): string => `${key}: ${JSON.stringify(value)}`

export const alsoAt = ({ paths }: DifferenceGroup): string =>
  paths.length === 1 ? '' : `; also at ${paths.slice(1).join(', ')}`

const SHOWN_MAX = 40

/** One or two lines for each, the key of a profile below it. */
export function groupLines(groups: readonly DifferenceGroup[]): string[] {
  if (groups.length === 0) return []
  const more = groups.length - SHOWN_MAX
  return [
    'What differs, and the key of a profile that would mend it:',
    ...groups.slice(0, SHOWN_MAX).flatMap((group) => {
      const key = group.mendedBy ? [`    ${keyText(group.mendedBy)}`] : []
      return [`  ${group.sentence}, ${timesText(group)}${alsoAt(group)}`, ...key]
    }),
    ...(more > 0 ? [`  and ${counted(more, 'other difference')}, which the report as JSON has`] : []),
  ]
}

/** Prints only differences that no earlier one was like, and counts the others. */
export class SaidOnce {
  readonly #said = new Set<string>()

  sentences(differences: readonly ShadowDifference[]): string[] {
    const isNew = (one: ShadowDifference) => !this.#said.has(wayOf(one))
    const fresh = differences.filter(isNew)
    for (const one of fresh) this.#said.add(wayOf(one))
    const again = differences.length - fresh.length
    return [
      ...fresh.map(({ sentence }) => sentence),
      ...(again === 0 ? [] : [`${counted(again, 'difference')} as before`]),
    ]
  }
}
