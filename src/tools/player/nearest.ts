/** The near misses that a failed step shows if the number of messages, deliveries or requests is wrong. */
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'

const SHOWN_MAX = 5

/** The differences of the closest items, the latest first. Each path starts with the item's `nameOf`. */
export function nearest<Item>(
  items: readonly Item[],
  differencesOf: (item: Item) => MatchDifference[],
  nameOf: (item: Item) => string,
): MatchDifference[] {
  const compared = items.map((item) => ({ item, found: differencesOf(item) }))
  const fewest = Math.min(...compared.map(({ found }) => found.length))
  return compared
    .filter(({ found }) => found.length === fewest)
    .reverse()
    .slice(0, SHOWN_MAX)
    .flatMap(({ item, found }) =>
      found.map((difference) => ({ ...difference, path: `${nameOf(item)}: ${difference.path}` })),
    )
}

/** The surplus items, if too many match. */
export const tooMany = (names: readonly string[]): MatchDifference[] =>
  names.slice(0, SHOWN_MAX).map((path) => ({ path, expected: 'not there', received: 'as described' }))
