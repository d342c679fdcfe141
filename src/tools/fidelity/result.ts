/** The result of `paysim fidelity` as text, as a profile, and as a report. */
import { writeFile } from 'node:fs/promises'
import { counted, withCommas } from '../../spec/contract/counted.ts'
import { changedKeys, PROFILE_KEYS, type ProfileChanges } from '../../spec/contract/profile.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { UsageError } from '../../spec/options/read.ts'
import type { Check, CheckReport } from '../checks/check.ts'
import { type Writing, writeReport } from '../checks/write.ts'
import { groupedDifferences, whereText } from './difference-groups.ts'
import type { ServiceExchange } from './evidence.ts'
import type { Learned } from './learn.ts'
import { differencesIn, type FileDifferences, type MeasuredSides } from './measure.ts'
import { keyLines } from './profile-text.ts'

export interface Fidelity extends MeasuredSides {
  command: 'fidelity' | 'run'
  /** The address of the service, or the file with the recording. */
  service: string
  /** An earlier profile, whose changes are reported. */
  since?: { file: string; profile: ProfileChanges } | undefined
  startedAt: number
  /** What the proxy has recorded. */
  recorded?: readonly ServiceExchange[] | undefined
}

/** The keys that no response can reveal. */
const NEVER_LEARNED = PROFILE_KEYS.filter(({ learned }) => learned === 'never').map(({ key }) => key)

/** The differences that the last line names. */
const NAMED_MAX = 3

function resultOf({ command, service, before, after, learned, since, startedAt, recorded }: Fidelity) {
  const isRun = command === 'run'
  // `fidelity` counts only differences that no learned key explains, and `run --compare` all.
  const { files } = isRun ? before : after
  const differences = differencesIn(files)
  const groups = groupedDifferences(differences)
  const { keys, remarks } = isRun && groups.length === 0 ? { keys: [], remarks: [] } : learned
  const changes = since ? changedSince(since.profile, learned) : []

  const observed = files.reduce((sum, { observations }) => sum + observations, 0)
  const alike = `${withCommas(Math.max(0, observed - differences.length))} of ${counted(observed, 'observation')}`
  const count = counted(groups.length, 'difference')
  const counts = isRun ? count : `${counted(keys.length, 'key')} learned, ${count} no key explains`
  const named = groups.slice(0, NAMED_MAX).map(({ sentence }) => sentence)
  if (groups.length > NAMED_MAX) named.push(`and ${groups.length - NAMED_MAX} more`)
  const text = `${alike} alike; ${[counts, named.join('; ')].filter(Boolean).join(': ')}`

  const report = {
    command,
    name: isRun ? `run --compare with ${service}` : `fidelity to ${service}`,
    title: `${alike} are alike`,
    about: `${counts}. The service is ${service}. No response reveals ${NEVER_LEARNED.join(', ')}.`,
    startedAt: formatInstant(startedAt),
    checks: [
      ...files.flatMap(notCompared),
      ...changes.map((name) => check('changed', name, `since ${since?.file}`)),
      ...groups.map((group) => check('differs', group.sentence, whereText(group))),
      ...keys.map(({ key, value, evidence, decision }) =>
        check('learned', `${key}: ${JSON.stringify(value)}`, `${decision}, ${evidence}`),
      ),
    ],
    verdicts: ['not compared', 'changed', 'differs', 'learned'],
    json: () => ({
      service,
      text,
      keys: keys.map(({ key, value, decision, evidence }) => ({ key, value, decision, evidence })),
      remarks,
      changes,
      groups,
      files,
      neverLearned: NEVER_LEARNED,
      exchanges: recorded,
    }),
  } satisfies CheckReport
  const lines = [
    ...files.flatMap(notCompared).map(({ name, why }) => `${name} was not compared: ${why}`),
    ...listed('Profile keys learned from the service:', 'learned', report.checks),
    ...listed(isRun ? 'Differences:' : 'Differences that no profile key explains:', 'differs', report.checks),
    ...remarks.map((remark) => `  ${remark}`),
    ...(isRun
      ? []
      : [
          `No response reveals ${NEVER_LEARNED.join(', ')}: these keep their defaults until you set them by hand.`,
        ]),
    ...(since && changes.length === 0 ? [`Nothing has changed since ${since.file}.`] : []),
    ...listed('Changed keys:', 'changed', report.checks),
  ]
  return { report, lines, text, observed }
}

const check = (verdict: string, name: string, why: string): Check => ({
  ...{ verdict, name, why, outcome: verdict === 'learned' ? 'passed' : 'failed' },
})

function notCompared({ file, name, failed, skipped }: FileDifferences): Check[] {
  const why = failed ?? skipped
  if (why === undefined) return []
  return [{ file, name, why, outcome: failed === undefined ? 'skipped' : 'failed', verdict: 'not compared' }]
}

const SHOWN_MAX = 100

function listed(title: string, verdict: string, checks: readonly Check[]): string[] {
  const those = checks.filter((check) => check.verdict === verdict)
  const more = those.length - SHOWN_MAX
  return [
    ...(those.length > 0 ? [title] : []),
    ...those.slice(0, SHOWN_MAX).map(({ name, why }) => `  ${name}, ${why}`),
    ...(more > 0 ? [`  and ${more} more, listed in the JSON report`] : []),
  ]
}

/**
 * Keys whose value differs from the earlier profile, and keys that are new or gone. A key that was not seen this time may still
 * have its old value.
 */
function changedSince(earlier: ProfileChanges, { found }: Learned): string[] {
  const then = new Map(changedKeys(earlier).map(({ key, value }) => [key, value]))
  return [...found.values()].flatMap(({ key, value, fallback, isSeen }) => {
    const [was, is] = [then.get(key) ?? fallback, value].map((side) => JSON.stringify(side))
    return !isSeen || was === is ? [] : [`${key} changed from ${was} to ${is}`]
  })
}

const LEARNED_HEAD = `# Keys learned from the service, each with its evidence. paysim profile explains each key.
# Keys that no response revealed keep their defaults: paysim fidelity --profile FILE shows what still differs.
`

/** The profile file, with the remarks at its end. */
function learnedText({ keys, remarks }: Learned): string {
  const lines = keyLines(
    keys.map(({ path, value, decision, evidence }) => ({ path, value, comment: `${decision}, ${evidence}` })),
  )
  const end = [
    '# Differences without a key, and contradictory observations:',
    ...remarks.map((line) => `# ${line}`),
  ]
  return `${LEARNED_HEAD}${lines || '{}'}\n${remarks.length === 0 ? '' : `\n${end.join('\n')}\n`}`
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
  const { report, lines, text, observed } = resultOf(found)
  for (const line of lines) print(line)
  if (profile !== undefined) {
    await writeFile(profile, writing.hide(learnedText(found.learned))).catch((error: Error) => {
      throw new UsageError(`The profile cannot be written: ${error.message}.`)
    })
    print(`${profile} has ${counted(found.learned.keys.length, 'key')}: paysim start --profile ${profile}`)
  }
  await writeReport(report, writing)
  print(text)
  if (found.command === 'fidelity' && observed === 0) return 2
  return report.checks.some(({ outcome }) => outcome === 'failed') ? 1 : 0
}
