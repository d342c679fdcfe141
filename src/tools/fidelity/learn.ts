/** Decides what is learned: all sightings of a key must agree, and the keys together must form a valid profile. */
import {
  changedKeys,
  changesOf,
  PROFILE_KEYS,
  ProfileChanges,
  type ProfileKey,
} from '../../spec/contract/profile.ts'
import { groupBy } from '../../spec/grouping.ts'
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
  /** False if it is only given. */
  isSeen: boolean
}

type FoundKeys = ReadonlyMap<string, LearnedKey>

export interface Learned {
  profile: ProfileChanges
  /** Every key that was seen or given, some with their default value. */
  found: FoundKeys
  /** The keys that differ from their defaults. */
  keys: readonly LearnedKey[]
  /** Fields without a known name, and contradictory sightings. */
  remarks: readonly string[]
}

/** In the order in which they apply: refusal texts contain the words for states. */
const LEARNING_RULES: readonly LearningRule[] = [
  ...[nameRule, idRule, wordRule, fieldsRule, createdRule],
  ...[listRule, maxSizeRule, pathRule, replayRule, keptRefusalsRule, delayRule, rateRule],
  ...[requestRule, addRule, refusalRule, textRule],
]

export const givenKeys = (profile: ProfileChanges): FoundKeys =>
  new Map(changedKeys(profile).map((row) => [row.key, { ...row, evidence: 'as given', isSeen: false }]))

/** New sightings override `earlier`, the keys of an earlier round or of a given profile. */
export function learn(exchanges: readonly ServiceExchange[], earlier: FoundKeys): Learned {
  const reading = readEvidence(exchanges)
  const found = new Map(earlier)
  const remarks = new Set(reading.names.remarks)
  const known = (key: string) => found.get(key)?.value ?? fallbackOf(key)
  for (const rule of LEARNING_RULES) {
    for (const [key, [first, ...others]] of groupBy(rule(reading, known), ({ key }) => key)) {
      const row = rowOf(key)
      if (row === undefined || first === undefined) continue
      const { value } = first
      const other = others.find((sighting) => JSON.stringify(sighting.value) !== JSON.stringify(value))
      if (other) remarks.add(`${key} is not set, because it was ${inWords(first)}, but ${inWords(other)}.`)
      else {
        const times = others.length === 0 ? 'seen once' : `seen ${others.length + 1} times, first`
        const evidence = oneLine(`${times} in ${first.exchange.seenIn}: ${callText(first)}`)
        found.set(key, { ...row, value, evidence, isSeen: true })
      }
    }
  }
  const profile = acceptedProfile(found, remarks)
  const keys = PROFILE_KEYS.flatMap(({ key }) => found.get(key) ?? []).filter(isChanged)
  return { profile, found, keys, remarks: [...remarks].map(oneLine) }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')

const callText = ({ exchange: { asked, sentTo = asked.target, theirs } }: Sighting) =>
  `${asked.method} ${sentTo} answered ${theirs.status}`

const inWords = (sighting: Sighting) =>
  `${JSON.stringify(sighting.value)} in ${sighting.exchange.seenIn} (${callText(sighting)})`

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
    )!
    found.delete(refused.key)
    remarks.add(`${refused.key} is left out: ${JSON.stringify(refused.value)} ${message}.`)
  }
}
