/**
 * A rule that learns keys of a profile: it reads the evidence and reports sightings of its keys. `learn.ts`
 * decides, as all sightings of a key must agree. A rule that is not sure reports nothing.
 */
import { PROFILE_KEYS, type ProfileKey } from '../../../spec/contract/profile.ts'
import type { Reading, SeenExchange } from '../reading.ts'

/** A value that a key has by what was seen. */
export interface Sighting {
  key: string
  value: unknown
  seenIn: string
  /** What was seen, in a few words. */
  saw: string
}

export type Noticed = Iterable<Sighting>

/** The value of a key that an earlier rule has learned. */
export type Known = (key: string) => unknown

export type LearningRule = (reading: Reading, known: Known) => Noticed

const ROWS = new Map(PROFILE_KEYS.map((row) => [row.key, row]))
export const rowOf = (key: string): ProfileKey | undefined => ROWS.get(key)
export const fallbackOf = (key: string): unknown => rowOf(key)?.fallback

export const answeredCall = ({ asked: { method }, path, theirs: { status } }: SeenExchange) =>
  `${method} ${path} answered ${status}`

/** Names of headers are the same in upper and lower case. */
export const headerName = (key: string, name: string) => {
  const fallback = String(fallbackOf(key))
  return fallback.toLowerCase() === name ? fallback : name
}
