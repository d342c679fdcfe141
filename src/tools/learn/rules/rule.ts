/**
 * A rule by which keys of a profile are learned: it reads the evidence and says what it saw of its keys. What is written is
 * decided in `learn.ts`, where all that was seen of a key must agree. A rule that is not sure says nothing.
 */
import { PROFILE_KEYS } from '../../../spec/contract/profile.ts'
import type { Reading, SeenExchange } from '../reading.ts'

/** A value that a key has by what was seen. */
export interface Sighting {
  key: string
  value: unknown
  seenIn: string
  /** What was seen, in a few words. */
  saw: string
}

/** What is different, and no key says it. */
export interface Remark {
  remark: string
}

export interface LearningRule {
  /** `known` is the value of a key that an earlier rule has learned. */
  find(reading: Reading, known: (key: string) => unknown): Iterable<Sighting | Remark>
}

const FALLBACKS = new Map(PROFILE_KEYS.map(({ key, fallback }) => [key, fallback]))
export const hasKey = (key: string): boolean => FALLBACKS.has(key)
export const fallbackOf = (key: string): unknown => FALLBACKS.get(key)

export const answeredCall = ({ asked: { method }, path, theirs: { status } }: SeenExchange) =>
  `${method} ${path} answered ${status}`

/** Names of headers are the same in upper and lower case. */
export const headerName = (key: string, name: string) => {
  const fallback = String(fallbackOf(key))
  return fallback.toLowerCase() === name ? fallback : name
}
