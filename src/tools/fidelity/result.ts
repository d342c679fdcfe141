/** The result of `paysim fidelity` as text, as a profile, and as a report. */
import { writeFile } from 'node:fs/promises'
import { counted } from '../../spec/contract/counted.ts'
import { changedKeys, PROFILE_KEYS, type ProfileChanges } from '../../spec/contract/profile.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { UsageError } from '../../spec/options/read.ts'
import type { Secrets } from '../../spec/secrets.ts'
import type { Check, CheckReport } from '../checks/check.ts'
import { type DifferenceGroup, groupedDifferences, groupLines, whereText } from './difference-groups.ts'
import type { RecordedExchange } from './evidence.ts'
import { keysInJson, type Learned } from './learn.ts'
import { differencesOf, type MeasuredSides } from './measure.ts'
import { keyLines } from './profile-text.ts'

export interface Fidelity extends MeasuredSides {
  /** The address of the service, or the file with the recording. */
  service: string
  /** The changes since an earlier profile; undefined without one. */
  changes: readonly string[] | undefined
  since: string | undefined
  startedAt: number
  /** What the proxy has recorded. */
  recorded?: readonly RecordedExchange[] | undefined
}

/** The keys that no response can reveal. */
const NEVER_LEARNED = PROFILE_KEYS.filter(({ isLearned }) => !isLearned).map(({ key }) => key)

/** 0: a key explains each difference. 1: something differs, changed or was not compared. 2: nothing was compared. */
export function exitCode(found: Fidelity): 0 | 1 | 2 {
  const { after, changes = [] } = found
  if (observedIn(found) === 0) return 2
  return unexplainedIn(found).length > 0 ||
    notCompared(found).length > 0 ||
    after.left.length > 0 ||
    changes.length > 0
    ? 1
    : 0
}

export function fidelityLines(found: Fidelity): string[] {
  const { learned, changes, since, after } = found
  return [
    ...after.left,
    ...profileLines(learned, unexplainedIn(found)),
    `No response reveals ${NEVER_LEARNED.join(', ')}: these keep their defaults until you set them by hand.`,
    ...(changes ? [changes.length === 0 ? `Nothing has changed since ${since}.` : `Since ${since}:`] : []),
    ...(changes ?? []).map((change) => `  ${change}`),
  ]
}

/** The learned keys, and the differences that they do not explain. */
export const profileLines = (learned: Learned, unexplained: readonly DifferenceGroup[]): string[] => [
  ...(learned.keys.length === 0 ? [] : ['Profile keys learned from the service:']),
  ...learned.keys.map(
    ({ key, value, evidence }) => `  ${key}: ${JSON.stringify(value)}, ${oneLine(evidence)}`,
  ),
  ...(unexplained.length === 0 ? [] : ['Differences that no profile key explains:']),
  ...groupLines(unexplained),
  ...learned.remarks.map((remark) => `  ${oneLine(remark)}`),
]

const NAMED_MAX = 3

/** `412 of 430 observations alike; 12 keys learned, 6 differences no key explains: …` */
export function fidelityText(found: Fidelity): string {
  const unexplained = unexplainedIn(found)
  const named = unexplained.slice(0, NAMED_MAX).map(({ sentence }) => sentence)
  const more = unexplained.length - named.length
  const rest = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  const missing = notCompared(found).map(
    ({ name, why }) => `${name} was not compared: ${why.replace(/\.$/, '')}. `,
  )
  return `${missing.join('')}${alikeIn(found)} alike; ${learnedIn(found)}${rest === '' ? '' : `: ${rest}`}`
}

const observedIn = ({ after }: Fidelity) =>
  after.files.reduce((sum, { observations }) => sum + observations, 0)

const alikeIn = (found: Fidelity) => {
  const observed = observedIn(found)
  const alike = Math.max(0, observed - differencesOf(found.after).length)
  return `${alike.toLocaleString('en-US')} of ${counted(observed, 'observation')}`
}

const unexplainedIn = ({ after }: Fidelity) => groupedDifferences(differencesOf(after))

const learnedIn = (found: Fidelity) =>
  `${counted(found.learned.keys.length, 'key')} learned, ${counted(unexplainedIn(found).length, 'difference')} no key explains`

const notCompared = ({ after }: Fidelity) =>
  after.files.flatMap(({ name, failed, skipped }) => {
    const why = failed ?? skipped
    return why === undefined ? [] : [{ name, why }]
  })

/**
 * Keys whose value differs from the earlier profile, and keys that are new or gone. A key that was not seen this time may still
 * have its old value.
 */
export function changedSince(earlier: ProfileChanges, { keys, seen }: Learned): string[] {
  const [then, now] = [changedKeys(earlier), keys].map(
    (all) => new Map(all.map(({ key, value }) => [key, value])),
  )
  return PROFILE_KEYS.flatMap(({ key, fallback }) => {
    if (!seen.has(key)) return []
    const [was, is] = [then, now].map((values) => JSON.stringify(values!.get(key) ?? fallback))
    return was === is ? [] : [`${key} changed from ${was} to ${is}`]
  })
}

export function fidelityReport(found: Fidelity): CheckReport {
  const { service, learned, changes = [], since, startedAt, recorded } = found
  const groups = unexplainedIn(found)
  const check = (verdict: string, name: string, why: string): Check => ({
    ...{ name, verdict, why, outcome: verdict === 'learned' ? 'passed' : 'failed' },
  })
  return {
    command: 'fidelity',
    name: `fidelity to ${service}`,
    title: `${alikeIn(found)} are alike`,
    about: `${learnedIn(found)}. The service is ${service}. No response reveals ${NEVER_LEARNED.join(', ')}.`,
    startedAt: formatInstant(startedAt),
    checks: [
      ...notCompared(found).map(({ name, why }) => check('not compared', name, why)),
      ...found.after.left.map((text) => check('not compared', text, '')),
      ...changes.map((name) => check('changed', name, `It was otherwise in ${since}`)),
      ...groups.map((group) => check('no key explains it', group.sentence, whereText(group))),
      ...learned.keys.map(({ key, value, evidence, decision }) =>
        check('learned', `${key}: ${JSON.stringify(value)}`, `${decision}, ${evidence}`),
      ),
    ],
    verdicts: ['not compared', 'changed', 'no key explains it', 'learned'],
    json: () => ({
      service,
      text: fidelityText(found),
      keys: keysInJson(learned),
      remarks: learned.remarks,
      changes,
      groups,
      neverLearned: NEVER_LEARNED,
      exchanges: recorded,
    }),
  }
}

const LEARNED_HEAD = `# Keys learned from the service, each with its evidence. paysim profile explains each key.
# Keys that no response revealed keep their defaults: paysim fidelity --profile FILE shows what still differs.
`

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')

/** The profile file, with the remarks at its end. */
function learnedText({ keys, remarks }: Learned): string {
  const lines = keyLines(
    keys.map(({ path, value, decision, evidence }) => ({
      path,
      value,
      comment: `${decision}, ${oneLine(evidence)}`,
    })),
  )
  const rest = remarks.map((remark) => `# ${oneLine(remark)}\n`)
  return [
    LEARNED_HEAD,
    lines === '' ? '{}\n' : `${lines}\n`,
    ...(rest.length === 0
      ? []
      : ['\n# Differences without a key, and contradictory observations:\n', ...rest]),
  ].join('')
}

export const saveProfile = (file: string, learned: Learned, secrets: Secrets): Promise<void> =>
  writeFile(file, secrets.hide(learnedText(learned))).catch((error: Error) => {
    throw new UsageError(`The profile cannot be written: ${error.message}.`)
  })
