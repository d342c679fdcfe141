/**
 * Decides what is learned: all sightings of a key must agree, and the keys together must be a valid profile.
 */
import {
  changedKeys,
  changesOf,
  PROFILE_KEYS,
  ProfileChanges,
  type ProfileKey,
} from '../../spec/contract/profile.ts'
import type { Learner } from '../../spec/contract/profile-key.ts'
import type { ServiceEvidence } from './evidence.ts'
import { Reading } from './reading.ts'
import { keptRefusalsRule, rateRule, replayRule } from './rules/headers.ts'
import { listRule, maxSizeRule, pathRule } from './rules/lists.ts'
import { refusalRule, textRule } from './rules/refusals.ts'
import { requestRule } from './rules/requests.ts'
import {
  createdRule,
  fieldRule,
  idRule,
  leaveOutRule,
  nameRule,
  refundDelayRule,
  wordRule,
} from './rules/resources.ts'
import { fallbackOf, type LearningRule, type Sighting } from './rules/rule.ts'
import { signatureRule } from './rules/signature.ts'

interface LearnedKey extends ProfileKey {
  value: unknown
  /** How often it was seen, and where first. */
  evidence: string
}

export interface Learned {
  profile: ProfileChanges
  /** Every key of which something was seen or given. */
  found: ReadonlyMap<string, LearnedKey>
  /** The keys that differ from their defaults. */
  keys: readonly LearnedKey[]
  /** Also those that were seen with their default. */
  seen: ReadonlySet<string>
  /** Differences that no key explains, and sightings that contradict one another. */
  remarks: readonly string[]
}

/**
 * By the name that the rows of their keys give, in the order in which they are applied: what refusals say of a state needs its
 * word.
 */
export const LEARNING_RULES: Readonly<Record<Learner, LearningRule>> = {
  names: nameRule,
  ids: idRule,
  words: wordRule,
  fields: fieldRule,
  leaveOut: leaveOutRule,
  created: createdRule,
  lists: listRule,
  maxSize: maxSizeRule,
  paths: pathRule,
  replay: replayRule,
  keptRefusals: keptRefusalsRule,
  refundDelay: refundDelayRule,
  rate: rateRule,
  requests: requestRule,
  refusals: refusalRule,
  texts: textRule,
  signature: signatureRule,
}

/** The learned keys, as a report in JSON has them. */
export const keysInJson = ({ keys }: Learned) =>
  keys.map(({ key, value, decision, evidence }) => ({ key, value, decision, evidence }))

/** A service can give one remark for each of its answers. */
const REMARKS_MAX = 40

/** The keys of a profile that was given. */
export function givenKeys(profile: ProfileChanges): Learned {
  const keys = changedKeys(profile).map((row) => ({ ...row, evidence: 'as given' }))
  return { profile, keys, found: new Map(keys.map((row) => [row.key, row])), seen: new Set(), remarks: [] }
}

/** What is seen counts more than `earlier`, what an earlier round or a given profile says. */
export function learn(evidence: ServiceEvidence, earlier: Learned = givenKeys({})): Learned {
  const reading = new Reading(evidence)
  const found = new Map(earlier.found)
  const seen = new Set(earlier.seen)
  const remarks = new Set<string>()
  const known = (key: string) => found.get(key)?.value ?? fallbackOf(key)
  for (const [learner, rule] of Object.entries(LEARNING_RULES)) {
    const sightings = new Map<string, Sighting[]>()
    for (const one of rule(reading, known)) {
      if ('remark' in one) remarks.add(one.remark)
      else if (!sightings.get(one.key)?.push(one)) sightings.set(one.key, [one])
    }
    for (const [key, all] of sightings) {
      const settled = settledKey(learner, key, all)
      if (typeof settled === 'string') remarks.add(settled)
      else if (settled) {
        found.set(key, settled)
        seen.add(key)
      }
    }
  }
  const profile = acceptedProfile(found, remarks)
  const changed = new Set(changedKeys(profile).map(({ key }) => key))
  return {
    profile,
    found,
    keys: PROFILE_KEYS.flatMap(({ key }) => (changed.has(key) ? [found.get(key)!] : [])),
    seen,
    remarks: [...remarks].slice(0, REMARKS_MAX),
  }
}

/** A sentence where what was seen does not agree; undefined for a key whose row does not name this learner. */
function settledKey(
  learner: string,
  key: string,
  seen: readonly Sighting[],
): LearnedKey | string | undefined {
  const row = PROFILE_KEYS.find((one) => one.key === key && one.learner === learner)
  const [first] = seen
  if (row === undefined || first === undefined) return undefined
  const other = seen.find(({ value }) => JSON.stringify(value) !== JSON.stringify(first.value))
  if (other) return `${key} is left out: it was ${inWords(first)}, and ${inWords(other)}.`
  const times = seen.length === 1 ? 'seen once' : `seen ${seen.length} times, first`
  const evidence = `${times} in ${first.seenIn}: ${first.saw}`
  return { ...row, value: first.value, evidence }
}

const inWords = ({ value, seenIn, saw }: Sighting) => `${JSON.stringify(value)} in ${seenIn} (${saw})`

const isChanged = ({ value, fallback }: LearnedKey) => JSON.stringify(value) !== JSON.stringify(fallback)

/** The found keys that are a valid profile together; each refused one is left out, with a remark. */
function acceptedProfile(found: Map<string, LearnedKey>, remarks: Set<string>): ProfileChanges {
  for (;;) {
    const changes = changesOf([...found.values()].filter(isChanged))
    const result = ProfileChanges.safeParse(changes)
    if (result.success) return result.data
    const issue = result.error.issues[0]!
    const refused = [...found.values()].find(({ path }) =>
      path.every((name, depth) => issue.path[depth] === name),
    )
    // An issue about several keys, such as two equal names, has no key's own path: then the first key of the same
    // section is left out.
    const left = refused ?? [...found.values()].find(({ path }) => path[0] === issue.path[0])
    if (left === undefined) return {}
    found.delete(left.key)
    remarks.add(`${left.key} is left out: ${JSON.stringify(left.value)} ${issue.message}.`)
  }
}
