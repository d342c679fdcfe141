/** What a step shows where the count of messages, deliveries or requests is not as expected. */
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'

/** How many are shown. */
const SHOWN_MAX = 5

/** The differences of the items with the fewest of them, the latest first; `nameOf` begins each path. */
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
    .flatMap(({ item, found }) => found.map((one) => ({ ...one, path: `${nameOf(item)}: ${one.path}` })))
}

/** Those that are as described, where there are too many of them. */
export const tooMany = (names: readonly string[]): MatchDifference[] =>
  names.slice(0, SHOWN_MAX).map((path) => ({ path, expected: 'not there', received: 'as described' }))
