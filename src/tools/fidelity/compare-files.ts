/** Plays scenario files at a target and in our own simulator, for `paysim fidelity --target` and `run --compare`. */
import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { TIMED_MOVES } from '../../spec/contract/resources/timed.ts'
import type { Answered } from '../../spec/exchange.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { connectionText, countsText } from '../player/checks.ts'
import type { StepResult } from '../player/result.ts'
import { type ExitCode, type RunSetup, sessionOptions, withOwnSimulator } from '../player/run-setup.ts'
import { type PlayedFile, playFile, type Target } from '../player/session.ts'
import { Comparison, type Difference, inOurWords } from './comparison.ts'
import type { ServiceExchange } from './evidence.ts'
import { type FileDifferences, type MeasuredSides, measure, type PlayedSides } from './measure.ts'
import { reportFidelity } from './result.ts'
import { answeredOf, byPlace, type HeardWords, heardWords, isEvidence, placeIn } from './tour-words.ts'

/** `paysim run --compare`: prints the differences, and the profile keys that would explain some of them. */
export async function compareFiles(
  setup: RunSetup,
  target: Target,
  learn: string | undefined,
): Promise<ExitCode> {
  const { io, options, secrets } = setup
  const startedAt = wallClock()
  const measured = await measureFiles(setup, target, learn !== undefined)
  return reportFidelity(
    { ...measured, command: 'run', service: target.base.origin, startedAt },
    {
      ...{ out: io.out, env: io.env, annotate: io.annotate, profile: learn, files: options.reports },
      hide: (text) => secrets.hide(text),
    },
  )
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
    const session = { ...sessionOptions(setup), keepGoing: true }
    const known = new Map<Scenario, Theirs>()

    async function round(profile: ProfileChanges): Promise<PlayedSides> {
      const results: FileDifferences[] = setup.unread.map(({ path, mistakes }) => ({
        ...{ file: path, name: path, failed: mistakes.join('\n'), differences: [], observations: 0 },
      }))
      const exchanges: ServiceExchange[] = []
      for (const { path, scenario } of files) {
        const isFirst = !known.has(scenario)
        if (isFirst) io.out(`${path}  ${scenario.name}`)
        const ours = await playFile(path, scenario, { ...own, profile }, session)
        const responses = byPlace(ours)
        if (isFirst) {
          const learns = isLearning && isEvidence(scenario)
          const service = heardWords(path, responses, profile, learns ? exchanges : undefined)
          const played = await playFile(path, scenario, target, { ...session, service })
          known.set(scenario, { played, heard: service.heard })
        }
        const theirs = known.get(scenario)!
        const result = compared(ours, responses, theirs, { target, scenario, profile })
        results.push(result)
        if (isEvidence(scenario) && result.skipped === undefined) {
          const setsDelay = TIMED_MOVES.some(({ option }) => scenario.sandbox?.[option] !== undefined)
          for (const [place, exchange] of theirs.heard)
            exchanges.push({ ...exchange, ours: responses.get(place), setsDelay })
        }
        if (options.bail && result.differences.length > 0) break
      }
      return { exchanges, files: results }
    }
    return measure(round, options.profile)
  })

function compared(
  ours: PlayedFile,
  responses: ReadonlyMap<string, Answered>,
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
    const seenIn = placeIn(ours.file, step.place)
    const here = responses.get(step.place)
    if (here && seen && answeredOf(other))
      return comparison.responses(here, inOurWords(contracts, seen.asked, seen.theirs), seenIn)
    return other ? comparison.collect(seenIn, () => compareSteps(comparison, step, other)) : []
  })
  return { ...result, differences, observations: comparison.observations }
}

/** Compares steps without exactly one response on each side. */
function compareSteps(comparison: Comparison, step: StepResult, other: StepResult): void {
  if (step.together || step.outcome === 'skipped' || other.outcome === 'skipped') return
  const [ours, theirs] = [step.received[0], other.received[0]]
  const isTesters = step.request === undefined && step.received.length < 2
  if (isTesters || !ours || !theirs) {
    if (step.outcome !== other.outcome)
      comparison.differ('outcome', 'the step', outcomeText(step), outcomeText(other))
  } else if (step.received.length > 1) {
    // The order of concurrent responses is random; the count of each status is not.
    const inOrder = ({ received }: StepResult) =>
      countsText(received.toSorted((a, b) => (a.answered?.status ?? 0) - (b.answered?.status ?? 0)))
    comparison.differ('status', 'the statuses', inOrder(step), inOrder(other))
  } else if (ours.ending === theirs.ending) {
    const [status, otherStatus] = [ours, theirs].map(({ answered }) => String(answered?.status ?? 'none'))
    comparison.differ('status', 'the status', status!, otherStatus!)
  } else comparison.differ('connection', 'the connection', connectionText(ours), connectionText(theirs))
}

function outcomeText({ outcome, reason, differences }: StepResult): string {
  const [first] = differences
  return outcome === 'passed' ? 'passed' : `failed: ${first ? `${first.path} is ${first.received}` : reason}`
}
