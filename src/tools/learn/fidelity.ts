/**
 * The result of `paysim fidelity` as text: what agrees, what a profile mends, what no key explains, and what
 * changed.
 */
import { counted } from '../../spec/contract/counted.ts'
import { PROFILE_KEYS, type ProfileKey } from '../../spec/contract/profile.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { Check, CheckReport } from '../checks/check.ts'
import type { FileDifferences } from '../player/compare-sides.ts'
import { alsoAt, type DifferenceGroup, keyText, timesText } from '../player/difference-groups.ts'
import { keysInJson, type Learned } from './learn.ts'

export interface Fidelity {
  target: string
  files: readonly FileDifferences[]
  groups: readonly DifferenceGroup[]
  learned: Learned
  /** Undefined without an earlier profile to compare with. */
  changes: readonly string[] | undefined
  since: string | undefined
  startedAt: number
}

const NAMED_MAX = 3

/** `412 of 430 observations alike; 12 keys learned, 6 differences no key explains: …` */
export function fidelityText(found: Fidelity): string {
  const { files } = found
  const unexplained = unexplainedIn(found)
  const named = unexplained.slice(0, NAMED_MAX).map(({ sentence }) => sentence)
  const more = unexplained.length - named.length
  const rest = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  const notPlayed = files.flatMap(({ name, failed, skipped }) => {
    const why = failed ?? skipped
    return why === undefined ? [] : [`${name} was not compared: ${why.replace(/\.$/, '')}. `]
  })
  return `${notPlayed.join('')}${alikeIn(found)} alike; ${learnedIn(found)}${rest === '' ? '' : `: ${rest}`}`
}

function alikeIn({ files }: Fidelity): string {
  const observed = files.reduce((sum, { observations }) => sum + observations, 0)
  const different = files.reduce((sum, { differences }) => sum + differences.length, 0)
  return `${(observed - different).toLocaleString('en-US')} of ${counted(observed, 'observation')}`
}

const unexplainedIn = ({ groups }: Fidelity) => groups.filter(({ mendedBy }) => mendedBy === null)

const learnedIn = (found: Fidelity) =>
  `${counted(found.learned.keys.length, 'key')} learned, ${counted(unexplainedIn(found).length, 'difference')} no key explains`

/** The keys that no answer can show. */
const NEVER_LEARNED = PROFILE_KEYS.filter(({ learner }) => learner === 'none').map(({ key }) => key)

export const neverLearned = (): string =>
  `No answer teaches ${NEVER_LEARNED.join(', ')}: these keep their defaults until they are written by hand.`

/**
 * Keys with another value than in the earlier profile, and keys that are new or gone. A key that was not seen
 * now may still have its old value.
 */
export function changedSince(
  earlier: readonly (ProfileKey & { value: unknown })[],
  { keys, seen }: Learned,
): string[] {
  const [then, now] = [earlier, keys].map((all) => new Map(all.map(({ key, value }) => [key, value])))
  return PROFILE_KEYS.flatMap(({ key, fallback }) => {
    if (!seen.has(key)) return []
    const [was, is] = [then, now].map((values) => JSON.stringify(values!.get(key) ?? fallback))
    return was === is ? [] : [`${key} was ${was}, and is ${is}`]
  })
}

export function fidelityReport(found: Fidelity): CheckReport {
  const { target, groups, learned, changes = [], since, startedAt } = found
  const differences = groups.map((group): Check => {
    const { sentence, mendedBy } = group
    return {
      name: sentence,
      outcome: mendedBy ? 'passed' : 'failed',
      verdict: mendedBy ? 'a key explains it' : 'no key explains it',
      why: timesText(group) + alsoAt(group),
      todo: mendedBy ? `In a profile: ${keyText(mendedBy)}` : undefined,
    }
  })
  const changed = changes.map((name): Check => {
    return { name, outcome: 'failed', verdict: 'changed', why: `It was otherwise in ${since}` }
  })
  const notPlayed = found.files.flatMap(({ name, failed, skipped }): Check[] => {
    const why = failed ?? skipped
    return why === undefined ? [] : [{ name, outcome: 'failed', verdict: 'not compared', why }]
  })
  const keys = learned.keys.map(({ key, value, evidence, decision }): Check => {
    return {
      name: `${key}: ${JSON.stringify(value)}`,
      outcome: 'passed',
      verdict: 'learned',
      why: `${decision}, ${evidence}`,
    }
  })
  return {
    command: 'fidelity',
    name: `fidelity to ${target}`,
    title: `${alikeIn(found)} are alike`,
    about: `${learnedIn(found)}. The service is ${target}. ${neverLearned()}`,
    startedAt: formatInstant(startedAt),
    checks: [...notPlayed, ...changed, ...differences, ...keys],
    verdicts: ['not compared', 'changed', 'no key explains it', 'a key explains it', 'learned'],
    json: () => ({
      target,
      text: fidelityText(found),
      keys: keysInJson(learned),
      remarks: learned.remarks,
      changes,
      groups,
      neverLearned: NEVER_LEARNED,
    }),
  }
}
