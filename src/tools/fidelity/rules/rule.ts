/**
 * A rule that learns profile keys: it reads the evidence and reports sightings of its keys. `learn.ts` decides, because all
 * sightings of a key must agree. A rule that is unsure reports nothing.
 */
import { PROFILE_KEYS, type ProfileKey } from '../../../spec/contract/profile.ts'
import type { SeenExchange, Sighting } from '../evidence.ts'
import type { Reading } from '../reading.ts'

export type Noticed = Iterable<Sighting>

/** Returns the value of a key learned by an earlier rule. */
export type Known = (key: string) => unknown

export type LearningRule = (reading: Reading, known: Known) => Noticed

const ROWS = new Map(PROFILE_KEYS.map((row) => [row.key, row]))
export const rowOf = (key: string): ProfileKey | undefined => ROWS.get(key)
export const fallbackOf = (key: string): unknown => rowOf(key)?.fallback

/**
 * Learns a list by its items: each exchange shows whether the list has some of them. The others are as in the default, and nothing
 * is learned if two exchanges disagree.
 */
export function* itemsSighting<Item>(
  key: string,
  shown: readonly { exchange: SeenExchange; items: readonly (readonly [item: Item, isIn: boolean])[] }[],
  all: readonly Item[],
): Noticed {
  const items = shown.flatMap((exchange) => exchange.items)
  const known = new Map(items)
  const last = shown.at(-1)
  if (last === undefined || items.some(([item, isIn]) => known.get(item) !== isIn)) return
  const fallback = fallbackOf(key) as Item[]
  const value = all.filter((item) => known.get(item) ?? fallback.includes(item))
  yield { key, value, exchange: last.exchange }
}

/** Header names are case-insensitive. */
export const headerName = (key: string, name: string) => {
  const fallback = String(fallbackOf(key))
  return fallback.toLowerCase() === name ? fallback : name
}
