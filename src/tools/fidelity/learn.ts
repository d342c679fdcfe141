/** Decides what is learned: all sightings of a key must agree, and the keys together must form a valid profile. */
import {
  changedKeys,
  changesOf,
  PROFILE_KEYS,
  ProfileChanges,
  type ProfileKey,
} from '../../spec/contract/profile.ts'
import { groupBy } from '../../tester/audit/picture.ts'
import type { ServiceExchange, Sighting } from './evidence.ts'
import { readEvidence } from './reading.ts'
import { keptRefusalsRule, rateRule, replayRule } from './rules/headers.ts'
import { listRule, maxSizeRule, pathRule } from './rules/lists.ts'
import { refusalRule, textRule } from './rules/refusals.ts'
import { addRule, requestRule } from './rules/requests.ts'
import { createdRule, delayRule, fieldsRule, idRule, nameRule, wordRule } from './rules/resources.ts'
import { fallbackOf, type LearningRule, rowOf } from './rules/rule.ts'

interface LearnedKey extends ProfileKey {
  value: unknown
  /** How often it was seen, and where first. */
  evidence: string
}

export interface Learned {
  profile: ProfileChanges
  /** Every key that was seen or given. */
  found: ReadonlyMap<string, LearnedKey>
  /** The keys that differ from their defaults. */
  keys: readonly LearnedKey[]
  /** Includes keys that were seen with their default value. */
  seen: ReadonlySet<string>
  /** Fields without a known name, and contradictory sightings. */
  remarks: readonly string[]
}

/** In the order in which they apply: refusal texts contain the words for states. */
const LEARNING_RULES: readonly LearningRule[] = [
  ...[nameRule, idRule, wordRule, fieldsRule, createdRule],
  ...[listRule, maxSizeRule, pathRule, replayRule, keptRefusalsRule, delayRule, rateRule],
  ...[requestRule, addRule, refusalRule, textRule],
]

export function givenKeys(profile: ProfileChanges): Learned {
  const keys = changedKeys(profile).map((row) => ({ ...row, evidence: 'as given' }))
  return { profile, keys, found: new Map(keys.map((row) => [row.key, row])), seen: new Set(), remarks: [] }
}

/** New sightings override `earlier`, the keys of an earlier round or of a given profile. */
export function learn(exchanges: readonly ServiceExchange[], earlier: Learned = givenKeys({})): Learned {
  const reading = readEvidence(exchanges)
  const found = new Map(earlier.found)
  const seen = new Set(earlier.seen)
  const remarks = new Set(reading.names.remarks)
  const known = (key: string) => found.get(key)?.value ?? fallbackOf(key)
  for (const rule of LEARNING_RULES) {
    for (const [key, [first, ...others]] of groupBy(rule(reading, known), ({ key }) => key)) {
      const row = rowOf(key)
      if (row === undefined || first === undefined) continue
      const other = others.find(({ value }) => JSON.stringify(value) !== JSON.stringify(first.value))
      if (other) remarks.add(`${key} is not set, because it was ${inWords(first)}, but ${inWords(other)}.`)
      else {
        const times = others.length === 0 ? 'seen once' : `seen ${others.length + 1} times, first`
        found.set(key, { ...row, value: first.value, evidence: `${times} in ${first.seenIn}: ${first.saw}` })
        seen.add(key)
      }
    }
  }
  const profile = acceptedProfile(found, remarks)
  const changed = new Set(changedKeys(profile).map(({ key }) => key))
  const keys = PROFILE_KEYS.flatMap(({ key }) => (changed.has(key) ? [found.get(key)!] : []))
  return { profile, found, keys, seen, remarks: [...remarks] }
}

const inWords = ({ value, seenIn, saw }: Sighting) => `${JSON.stringify(value)} in ${seenIn} (${saw})`

const isChanged = ({ value, fallback }: LearnedKey) => JSON.stringify(value) !== JSON.stringify(fallback)

/** The found keys that form a valid profile together; a refused key is removed, with a remark. */
function acceptedProfile(found: Map<string, LearnedKey>, remarks: Set<string>): ProfileChanges {
  for (;;) {
    const result = ProfileChanges.safeParse(changesOf([...found.values()].filter(isChanged)))
    if (result.success) return result.data
    const { path: place, message } = result.error.issues[0]!
    // An issue about several keys, such as two equal names, has the path of their section; the first key of the section is then
    // removed.
    const refused = [...found.values()].find(({ path }) =>
      path.every((name, at) => at >= place.length || place[at] === name),
    )
    if (refused === undefined) return {}
    found.delete(refused.key)
    remarks.add(`${refused.key} is left out: ${JSON.stringify(refused.value)} ${message}.`)
  }
}
