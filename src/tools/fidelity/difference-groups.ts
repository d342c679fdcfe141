/** Groups similar differences: how often each occurs, and where first. */
import { counted } from '../../spec/contract/counted.ts'
import { groupBy } from '../../spec/grouping.ts'
import { OF_ANY_SERVICE } from '../../tester/alike/made-anew.ts'
import type { Difference } from './comparison.ts'

export type DifferenceGroup = ReturnType<typeof groupOf>

/** A field that differs in more ways than this becomes one group, because amounts and texts differ in each response. */
const WAYS_MAX = 3

/** The groups, the most frequent first. */
export function groupedDifferences(differences: readonly Difference[]): DifferenceGroup[] {
  const byField = groupBy(differences, ({ kind, path }) => `${kind} ${fieldOf(path)}`)
  const groups = [...byField.values()].flatMap((ofField) => {
    const ways = [...groupBy(ofField, wayOf).values()]
    return ways.length > WAYS_MAX
      ? [groupOf(ofField, `, and in ${counted(ways.length - 1, 'other way')}`)]
      : ways.map((alike) => groupOf(alike))
  })
  return groups.sort((a, b) => b.times - a.times)
}

const groupOf = (alike: readonly Difference[], more = '') => ({
  /** That of the first difference. */
  sentence: alike[0]!.sentence + more,
  times: alike.length,
  first: alike[0]!.seenIn,
  /** Of all differences, without list positions. */
  paths: [...new Set(alike.map(({ path }) => inAnyPlace(path)))],
})

/** Equal for differences of the same kind in any list item, request or resource. */
const wayOf = ({ kind, path, ours, theirs, seenIn }: Difference): string =>
  JSON.stringify([
    kind,
    fieldOf(path),
    ...[ours, theirs].map((text) => OF_ANY_SERVICE.lasting(text.replaceAll(` of ${seenIn}`, ''))),
  ])

const inAnyPlace = (path: string) => path.replaceAll(/\[\d+\]/g, '[]')

/** The field `status` is the same in a response and in the items of a list. */
const fieldOf = (path: string) => inAnyPlace(path).replace(/^\$.*(?=\.)/, '$')

/** Such as `, 3 times, first in tour.yaml step 4; also at $.data[].id`. */
export const whereText = ({ times, first, paths }: DifferenceGroup): string =>
  (times === 1 ? `once, in ${first}` : `${times} times, first in ${first}`) +
  (paths.length === 1 ? '' : `; also at ${paths.slice(1).join(', ')}`)
