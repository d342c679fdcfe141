/** Plays scenario files at a target and in our own simulator, for `paysim fidelity --target` and `run --compare`. */
import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { counted } from '../../spec/contract/counted.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { TIMED_MOVES } from '../../spec/contract/resources/timed.ts'
import type { Check, CheckReport } from '../checks/check.ts'
import { writeReport } from '../checks/write.ts'
import { connectionText, countsText } from '../player/checks.ts'
import { type Colors, colorsFor } from '../player/colors.ts'
import type { StepResult } from '../player/result.ts'
import {
  type ExitCode,
  type RunSetup,
  sessionOptions,
  unreadFiles,
  withOwnSimulator,
} from '../player/run-setup.ts'
import { type PlayedFile, playFile, type Target } from '../player/session.ts'
import { Comparison, type Difference, inOurWords } from './comparison.ts'
import { groupedDifferences, wayOf } from './difference-groups.ts'
import type { ServiceExchange } from './evidence.ts'
import { keysInJson } from './learn.ts'
import {
  differencesOf,
  type FileDifferences,
  type MeasuredSides,
  measure,
  type PlayedSides,
} from './measure.ts'
import { profileLines, saveProfile } from './result.ts'
import { answersOf, exchangeOfStep, type HeardWords, heardWords, isEvidence, placeIn } from './tour-words.ts'

/** `paysim run --compare`: prints the differences of each step, then the profile keys that explain them. */
export async function compareFiles(
  setup: RunSetup,
  target: Target,
  learn: string | undefined,
): Promise<ExitCode> {
  const { io, options, secrets } = setup
  const { before, after, learned } = await measureFiles(setup, target, learn !== undefined)
  const groups = groupedDifferences(differencesOf(before))
  const unexplained = groupedDifferences(differencesOf(after))
  const keys = keysInJson(learned)
  const differs = before.files.some(({ differences }) => differences.length > 0)
  if (differs) for (const line of profileLines(learned, unexplained)) io.out(line)
  io.out(summary(before.files))
  if (learn !== undefined) await saveProfile(learn, learned, secrets)
  const report: CheckReport = {
    command: 'run',
    name: 'run --compare',
    title: summary(before.files),
    about: `Compared with ${target.base.origin}.`,
    checks: before.files.map(checkOf),
    json: () => ({ files: before.files, groups, keys, unexplained }),
  }
  await writeReport(report, {
    ...{ files: options.reports, env: io.env, annotate: io.annotate },
    hide: (text) => secrets.hide(text),
  })
  return differs || before.files.some(({ failed }) => failed !== undefined) ? 1 : 0
}

function checkOf({ file, name, skipped, failed, differences }: FileDifferences): Check {
  const text = failed ?? differences.map(({ seenIn, sentence }) => `${seenIn}: ${sentence}`).join('\n')
  if (text !== '')
    return { file, name, outcome: 'failed', kind: 'difference', why: text.split('\n', 1)[0]!, text }
  return { file, name, outcome: skipped === undefined ? 'passed' : 'skipped', why: skipped ?? '' }
}

/** What the target did in a file. */
interface Theirs {
  played: PlayedFile
  heard: HeardWords['heard']
}

/** `isLearning`: the target is sent the names learned from it so far. */
export const measureFiles = (setup: RunSetup, target: Target, isLearning: boolean): Promise<MeasuredSides> =>
  withOwnSimulator(setup, (own) => {
    const { files, io, options } = setup
    const colors = colorsFor(io.color)
    const session = { ...sessionOptions(setup), keepGoing: true }
    const said = new Set<string>()
    const known = new Map<Scenario, Theirs>()

    async function round(profile: ProfileChanges): Promise<PlayedSides> {
      const results: FileDifferences[] = unreadFiles(setup).map(({ file, reason }) => ({
        ...{ file, name: file, skipped: undefined, failed: reason, differences: [], observations: 0 },
      }))
      const exchanges: ServiceExchange[] = []
      for (const { path, scenario } of files) {
        const isFirst = !known.has(scenario)
        if (isFirst) io.out(`${colors.strong(path)}  ${scenario.name}`)
        const ours = await playFile(path, scenario, { ...own, profile }, session)
        if (isFirst) {
          const learns = isLearning && isEvidence(scenario)
          const service = heardWords(ours, profile, exchanges, learns)
          const played = await playFile(path, scenario, target, { ...session, service })
          known.set(scenario, { played, heard: service.heard })
        }
        const theirs = known.get(scenario)!
        const result = compared(ours, theirs, { target, scenario, profile })
        if (isFirst)
          for (const line of differenceLines(result, ours.steps, theirs.played.steps, said, colors))
            io.out(line)
        results.push(result)
        if (isEvidence(scenario) && result.skipped === undefined) {
          const setsDelay = TIMED_MOVES.some(({ option }) => scenario.sandbox?.[option] !== undefined)
          const answers = answersOf(ours)
          for (const [place, exchange] of theirs.heard)
            exchanges.push({ ...exchange, ours: answers.get(place), setsDelay })
        }
        if (options.bail && result.differences.length > 0) break
      }
      return { exchanges, files: results, left: [] }
    }
    return measure(round, options.profile)
  })

function compared(
  ours: PlayedFile,
  { played, heard }: Theirs,
  { target, scenario, profile }: { target: Target; scenario: Scenario; profile: ProfileChanges },
): FileDifferences {
  const sides = [ours, played]
  const skipped = sides.find(({ outcome }) => outcome === 'skipped')?.reason
  const failed = sides.find(({ outcome, steps }) => outcome === 'failed' && steps.length === 0)?.reason
  const result = { file: ours.file, name: ours.name, skipped, failed }
  if (skipped !== undefined || failed !== undefined) return { ...result, differences: [], observations: 0 }
  const ownSandboxes = target.apiKey === undefined
  const contract = contractOf(ours.profile ?? profile)
  const comparison = new Comparison({
    ownSandboxes,
    frozen: ownSandboxes && scenario.sandbox?.clock?.mode === 'frozen',
    origin: ours.origin,
    ids: contract.ids,
  })
  comparison.alike.pairNamed(ours.variables, played.variables)
  const contracts = { contract, unknownKey: ownSandboxes ? contractOf(profile) : contract }
  const others = new Map(played.steps.map((step) => [step.place, step]))
  const differences = ours.steps.flatMap((step): Difference[] => {
    const other = others.get(step.place)
    const seen = heard.get(step.place)
    const seenIn = placeIn(ours, `step ${step.place}`)
    const here = exchangeOfStep(step)
    if (here && seen && exchangeOfStep(other))
      return comparison.responses(here.answered, inOurWords(contracts, seen.asked, seen.theirs), seenIn)
    return other ? comparison.collect(seenIn, () => compareSteps(comparison, step, other)) : []
  })
  return { ...result, differences, observations: comparison.observations }
}

/** For concurrent steps, only the status counts can be compared. */
const isComparable = ({ together, request, received }: StepResult): boolean =>
  !together && (request !== undefined || received.length > 1)

/** Compares steps without exactly one response on each side. */
function compareSteps(comparison: Comparison, step: StepResult, other: StepResult): void {
  if (!isComparable(step) || !isComparable(other)) {
    if (step.together || step.outcome === 'skipped' || other.outcome === 'skipped') return
    if (step.outcome !== other.outcome)
      comparison.differ('outcome', 'the step', outcomeText(step), outcomeText(other))
  } else if (step.received.length > 1) {
    // The order of concurrent responses is random; the count of each status is not.
    const inOrder = ({ received }: StepResult) =>
      countsText(received.toSorted((a, b) => (a.answered?.status ?? 0) - (b.answered?.status ?? 0)))
    comparison.differ('status', 'the statuses', inOrder(step), inOrder(other))
  } else {
    const [ours, theirs] = [step.received[0], other.received[0]]
    if (!ours || !theirs) return
    const [status, otherStatus] = [ours, theirs].map(({ answered }) => String(answered?.status ?? 'none'))
    if (ours.ending === theirs.ending) comparison.differ('status', 'the status', status!, otherStatus!)
    else comparison.differ('connection', 'the connection', connectionText(ours), connectionText(theirs))
  }
}

function outcomeText({ outcome, reason, differences }: StepResult): string {
  const [first] = differences
  return outcome === 'passed' ? 'passed' : `failed: ${first ? `${first.path} is ${first.received}` : reason}`
}

/** Such as `3 of 34 files differ, 1 was skipped`. */
function summary(results: readonly FileDifferences[]): string {
  // A file with cases has a result for each.
  const count = (holds: (file: FileDifferences) => boolean) =>
    new Set(results.filter(holds).map(({ file }) => file)).size
  const [differing, skipped, failed] = [
    count(({ differences }) => differences.length > 0),
    count((file) => file.skipped !== undefined),
    count((file) => file.failed !== undefined),
  ]
  const compared = count((file) => file.skipped === undefined && file.failed === undefined)
  const were = (number: number, what: string) =>
    number === 0 ? [] : [`${number} ${number === 1 ? 'was' : 'were'} ${what}`]
  return [
    `${differing} of ${counted(compared, 'file')} differ${differing === 1 ? 's' : ''}`,
    ...were(skipped, 'skipped'),
    ...were(failed, 'not compared'),
  ].join(', ')
}

/** One line for each step, and each difference that is unlike all earlier ones. */
function differenceLines(
  { file, skipped, failed, differences }: FileDifferences,
  ours: readonly StepResult[],
  theirs: readonly StepResult[],
  said: Set<string>,
  { good, bad, faint }: Colors,
): string[] {
  if (skipped !== undefined) return [`  skipped: ${skipped}`, '']
  if (failed !== undefined)
    return [...`${bad('failed')}: ${failed}`.split('\n').map((line) => `  ${line}`), '']
  const lines = ours.flatMap((step) => {
    const { place, label } = step
    const found = differences.filter(({ seenIn }) => seenIn === placeIn({ file }, `step ${place}`))
    if (found.length > 0) {
      const fresh = found.filter((difference) => !said.has(wayOf(difference)))
      for (const difference of fresh) said.add(wayOf(difference))
      const again = found.length - fresh.length
      return [
        `  ${bad('≠')} ${faint(place)} ${label}`,
        ...fresh.map(({ sentence }) => `      ${sentence}`),
        ...(again === 0 ? [] : [`      ${counted(again, 'difference')} as before`]),
      ]
    }
    const other = theirs.find((step) => step.place === place)
    return other !== undefined && isComparable(step) && isComparable(other)
      ? [`  ${good('=')} ${faint(place)} ${label}`]
      : [`  ${faint(`– ${place} ${label}: not compared`)}`]
  })
  return [...lines, '']
}
