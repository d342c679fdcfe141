/** The result of `paysim fidelity` as text, as a profile, and as a report. */
import { writeFile } from 'node:fs/promises'
import { counted } from '../../spec/contract/counted.ts'
import { changedKeys, PROFILE_KEYS, type ProfileChanges } from '../../spec/contract/profile.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { UsageError } from '../../spec/options/read.ts'
import type { Check, CheckReport } from '../checks/check.ts'
import { type Writing, writeReport } from '../checks/write.ts'
import { type DifferenceGroup, groupedDifferences, groupLines, whereText } from './difference-groups.ts'
import type { RecordedExchange } from './evidence.ts'
import type { Learned } from './learn.ts'
import { differencesOf, type MeasuredSides } from './measure.ts'
import { keyLines } from './profile-text.ts'

export interface Fidelity extends MeasuredSides {
  command: 'fidelity' | 'run'
  /** The address of the service, or the file with the recording. */
  service: string
  /** The changes since an earlier profile; undefined without one. */
  changes?: readonly string[] | undefined
  since?: string | undefined
  startedAt: number
  /** What the proxy has recorded. */
  recorded?: readonly RecordedExchange[] | undefined
}

/** The keys that no response can reveal. */
const NEVER_LEARNED = PROFILE_KEYS.filter(({ isLearned }) => !isLearned).map(({ key }) => key)

/** `fidelity` counts only differences that no learned key explains, and `run --compare` all. */
const sidesIn = ({ command, before, after }: Fidelity) => (command === 'run' ? before : after)

/** 0: nothing counts. 1: something differs, changed or was not compared. 2: `fidelity` has compared nothing. */
function exitCode(found: Fidelity): 0 | 1 | 2 {
  const { command, changes = [] } = found
  const { files, left } = sidesIn(found)
  if (command === 'fidelity' && observedIn(found) === 0) return 2
  const isWrong =
    left.length + changes.length > 0 ||
    files.some(({ differences, failed }) => differences.length > 0 || failed !== undefined)
  return isWrong ? 1 : 0
}

function fidelityLines(found: Fidelity, groups: readonly DifferenceGroup[]): string[] {
  const { command, learned, changes, since } = found
  const isRun = command === 'run'
  const shown = isRun && groups.length === 0 ? { keys: [], remarks: [] } : learned
  return [
    ...sidesIn(found).left,
    ...notCompared(found).map(({ name, why }) => `${name} was not compared: ${why}`),
    ...(shown.keys.length === 0 ? [] : ['Profile keys learned from the service:']),
    ...shown.keys.map(
      ({ key, value, evidence }) => `  ${key}: ${JSON.stringify(value)}, ${oneLine(evidence)}`,
    ),
    ...(groups.length === 0 ? [] : [isRun ? 'Differences:' : 'Differences that no profile key explains:']),
    ...groupLines(groups),
    ...shown.remarks.map((remark) => `  ${oneLine(remark)}`),
    ...(isRun
      ? []
      : [
          `No response reveals ${NEVER_LEARNED.join(', ')}: these keep their defaults until you set them by hand.`,
        ]),
    ...(changes ? [changes.length === 0 ? `Nothing has changed since ${since}.` : `Since ${since}:`] : []),
    ...(changes ?? []).map((change) => `  ${change}`),
  ]
}

const NAMED_MAX = 3

/** `412 of 430 observations alike; 12 keys learned, 6 differences no key explains: …` */
function fidelityText(found: Fidelity, groups: readonly DifferenceGroup[]): string {
  const named = groups.slice(0, NAMED_MAX).map(({ sentence }) => sentence)
  const more = groups.length - named.length
  const rest = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  return `${alikeIn(found)} alike; ${differencesText(found, groups)}${rest === '' ? '' : `: ${rest}`}`
}

const observedIn = (found: Fidelity) =>
  sidesIn(found).files.reduce((sum, { observations }) => sum + observations, 0)

const alikeIn = (found: Fidelity) => {
  const observed = observedIn(found)
  const alike = Math.max(0, observed - differencesOf(sidesIn(found)).length)
  return `${alike.toLocaleString('en-US')} of ${counted(observed, 'observation')}`
}

const differencesText = (found: Fidelity, groups: readonly DifferenceGroup[]) => {
  const differences = counted(groups.length, 'difference')
  if (found.command === 'run') return differences
  return `${counted(found.learned.keys.length, 'key')} learned, ${differences} no key explains`
}

const notCompared = (found: Fidelity) =>
  sidesIn(found).files.flatMap(({ file, name, failed, skipped }): Check[] => {
    const why = failed ?? skipped
    const outcome = failed === undefined ? 'skipped' : 'failed'
    return why === undefined ? [] : [{ file, name, why, outcome, verdict: 'not compared' }]
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

function fidelityReport(found: Fidelity, groups: readonly DifferenceGroup[]): CheckReport {
  const { command, service, learned, changes = [], since, startedAt, recorded } = found
  const { files, left } = sidesIn(found)
  const check = (verdict: string, name: string, why: string): Check => ({
    ...{ name, verdict, why, outcome: verdict === 'learned' ? 'passed' : 'failed' },
  })
  return {
    command,
    name: command === 'run' ? `run --compare with ${service}` : `fidelity to ${service}`,
    title: `${alikeIn(found)} are alike`,
    about: `${differencesText(found, groups)}. The service is ${service}. No response reveals ${NEVER_LEARNED.join(', ')}.`,
    startedAt: formatInstant(startedAt),
    checks: [
      ...notCompared(found),
      ...left.map((text) => check('not compared', text, '')),
      ...changes.map((name) => check('changed', name, `It was otherwise in ${since}`)),
      ...groups.map((group) => check('differs', group.sentence, whereText(group))),
      ...learned.keys.map(({ key, value, evidence, decision }) =>
        check('learned', `${key}: ${JSON.stringify(value)}`, `${decision}, ${evidence}`),
      ),
    ],
    verdicts: ['not compared', 'changed', 'differs', 'learned'],
    json: () => ({
      service,
      text: fidelityText(found, groups),
      keys: learned.keys.map(({ key, value, decision, evidence }) => ({ key, value, decision, evidence })),
      remarks: learned.remarks,
      changes,
      groups,
      files,
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

interface ReportPlaces extends Writing {
  out(line: string): void
  hide(text: string): string
  /** The file for the learned profile. */
  profile: string | undefined
}

/** Prints the result, and writes the profile and the reports. Returns the exit code. */
export async function reportFidelity(
  found: Fidelity,
  { out, profile, ...writing }: ReportPlaces,
): Promise<0 | 1 | 2> {
  const print = (line: string) => out(writing.hide(line))
  const groups = groupedDifferences(differencesOf(sidesIn(found)))
  for (const line of fidelityLines(found, groups)) print(line)
  if (profile !== undefined) {
    await writeFile(profile, writing.hide(learnedText(found.learned))).catch((error: Error) => {
      throw new UsageError(`The profile cannot be written: ${error.message}.`)
    })
    print(`${profile} has ${counted(found.learned.keys.length, 'key')}: paysim start --profile ${profile}`)
  }
  await writeReport(fidelityReport(found, groups), writing)
  print(fidelityText(found, groups))
  return exitCode(found)
}
