/** `paysim gauntlet`: a test suite in calm, then once for each trouble; the table, the reports and the baseline. */
import { dirname } from 'node:path'
import { counted } from '../../spec/contract/counted.ts'
import { stopwatch, wallClock } from '../../spec/world/clock.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import { writeReport } from '../checks/write.ts'
import { type Baseline, isRefused, readBaseline, writeBaseline } from '../gauntlet/baseline.ts'
import { causeLines, causesIn } from '../gauntlet/causes.ts'
import { relianceText } from '../gauntlet/doubts.ts'
import { outputIn } from '../gauntlet/error-line.ts'
import { withoutNpm } from '../gauntlet/npm-script.ts'
import { jobsOf, oneAddressOf, partOf, requireTogether, troublesOf } from '../gauntlet/options.ts'
import { makeOutputFolder, removeIfEmpty, removeOutput } from '../gauntlet/output-folder.ts'
import { pairsAfter } from '../gauntlet/pairs.ts'
import { gauntletReport } from '../gauntlet/report.ts'
import { type Calm, canAct, Gauntlet, type GauntletWatcher } from '../gauntlet/runner.ts'
import { searchPairs, searchText } from '../gauntlet/search.ts'
import { calmAgainLines, calmLines, gauntletSummary, SENT_NOTHING, troubleLines } from '../gauntlet/show.ts'
import { INTERRUPTED, NOT_STARTED } from '../gauntlet/suite.ts'
import { writeTroubleFiles } from '../gauntlet/trouble-file.ts'
import { isExercised, type TroubleResult } from '../gauntlet/verdict.ts'
import type { Resolved } from '../options/commands.ts'
import { orderedOutput } from '../player/ordered-output.ts'
import type { Lifetime } from './lifetime.ts'
import { printText, progress, reportsTo, terminal } from './terminal.ts'

export async function gauntlet(options: Resolved<'gauntlet'>, life: Lifetime): Promise<number> {
  const stopped = life.stopSignal()
  const { command, baseline: baselineFile, updateBaseline = false } = options
  requireTogether(options)
  const named = await troublesOf(options)
  const baseline = baselineFile === undefined ? {} : readBaseline(baselineFile, updateBaseline)
  if (options.failed && named.length === 0) {
    terminal.out('Nothing failed in the last run.')
    return 0
  }
  const outputFolder = makeOutputFolder()
  const beganAt = stopwatch()
  const suite = withoutNpm({ command, env: process.env })
  const runs = new Gauntlet({ ...options, ...suite, outputFolder, stopped })
  try {
    const calm = await runs.calm((tookMs, limitMs) =>
      progress(`in calm: ${command.join(' ')} ${ofLimit(tookMs, limitMs)}`),
    )
    progress('')
    if (stopped.aborted) return INTERRUPTED
    const problem = whyNotCalm(calm)
    if (problem !== undefined) {
      printText(problem, process.stderr)
      return NOT_STARTED
    }
    const results = await runAll(named, { runs, calm, baseline, options })
    progress('')
    const tookMs = stopwatch() - beganAt
    await conclude({ results, calm, baseline, options, outputFolder, tookMs })
    if (stopped.aborted) return INTERRUPTED
    const accepted = updateBaseline ? writeBaseline(baselineFile!, baseline, results) : baseline
    return isGreen(results, accepted) ? 0 : 1
  } finally {
    progress('')
    removeIfEmpty(outputFolder)
  }
}

interface Judging {
  calm: Calm
  baseline: Baseline
  options: Resolved<'gauntlet'>
}

/** Runs the troubles and, with `--depth 2`, pairs of them; prints each result, and the progress of the runs. */
async function runAll(
  named: readonly Trouble[],
  { runs, calm, baseline, options }: Judging & { runs: Gauntlet },
): Promise<TroubleResult[]> {
  const troubles = partOf(named, options, (trouble) => canAct(trouble, calm))
  const oneAddress = oneAddressOf(options, calm.sharedReceiver)
  const jobs = jobsOf(options, oneAddress)
  for (const line of calmLines(calm, { troubles, jobs, oneAddress })) terminal.out(line)
  terminal.out('')
  removeOutput(calm.outputFile)
  const nameWidth = Math.max(0, ...troubles.map(({ name }) => name.length))
  const linesOf = (result: TroubleResult) => troubleLines(result, baseline, nameWidth)
  const output = orderedOutput(terminal.out)
  const underWay = new Map<string, string>()
  let finished = 0
  let total = troubles.length
  /** Such as `12 of 46: outage 14 s of 64 s, reads-lost 3 s of 30 s`. */
  const showProgress = () => {
    const runs = [...underWay].map(([name, time]) => `${name} ${time}`)
    progress(`${finished} of ${total}: ${runs.join(', ')}`)
  }
  const count = ({ trouble, verdict, outputFile }: TroubleResult) => {
    underWay.delete(trouble.name)
    finished += 1
    if (verdict === 'survived') removeOutput(outputFile)
    showProgress()
  }
  const watch: GauntletWatcher = {
    started(name) {
      underWay.set(name, '')
    },
    tick(name, tookMs, limitMs) {
      underWay.set(name, ofLimit(tookMs, limitMs))
      showProgress()
    },
    again(calm) {
      underWay.delete('calm')
      for (const line of calmAgainLines(calm)) terminal.out(line)
    },
    finished(result, place) {
      for (const line of linesOf(result)) output.print(place, line)
      output.end(place)
      count(result)
    },
  }
  const field = { calm, jobs, watch }
  const results = await runs.troubles(troubles, field)
  if (options.depth === 1) return results
  const known = troubles.map(({ name }) => name)
  const pairs = pairsAfter(calm.path, results).filter(({ name }) => !known.includes(name))
  terminal.out(`Now with ${counted(pairs.length, 'pair')} of failures, those during a recovery first.`)
  total += pairs.length
  // Nothing is printed of most pairs: several show the same bug.
  const ofPairs = { ...field, watch: { ...watch, finished: count } }
  const show = (result: TroubleResult) => {
    for (const line of linesOf(result)) terminal.out(line)
  }
  return [...results, ...(await searchPairs(pairs, { runs, field: ofPairs, show }))]
}

interface Outcome extends Judging {
  results: readonly TroubleResult[]
  outputFolder: string
  tookMs: number
}

/** Prints what to fix and the summary, and writes the reports and a file for each run that was not survived. */
async function conclude({ results, calm, baseline, options, outputFolder, tookMs }: Outcome): Promise<void> {
  const calmRules = new Set(calm.findings.map(({ rule }) => rule))
  const causes = causesIn(results, baseline, calmRules)
  const [report] = options.reports
  const files = await writeTroubleFiles(
    results,
    report === undefined ? outputFolder : dirname(report.file),
    causes[0]?.example.trouble,
  )
  if (causes.length > 0) printText('\nWhat to fix:')
  for (const line of causeLines(causes, files)) terminal.out(line)
  terminal.out('')
  for (const line of [searchText(results), relianceText(results)]) if (line !== undefined) terminal.out(line)
  terminal.out(gauntletSummary(results, tookMs))
  const { command } = options
  const startedAt = wallClock() - tookMs
  const outcome = { command, calm, results, causes, baseline, files, startedAt, tookMs }
  await writeReport(gauntletReport(outcome), reportsTo(options.reports))
}

const ofLimit = (tookMs: number, limitMs: number) =>
  `${Math.round(tookMs / 1000)} s of ${Math.ceil(limitMs / 1000)} s`

/** At least one trouble must have been exercised: without any, nothing is known. */
const isGreen = (results: readonly TroubleResult[], baseline: Baseline): boolean =>
  results.some(({ verdict }) => isExercised(verdict)) &&
  !results.some((result) => isRefused(result, baseline))

/** Why the baseline run cannot be compared with: it failed, or moved no money. */
function whyNotCalm({ failure, requests, money, outputFile }: Calm): string | undefined {
  const output = outputIn(outputFile)
  if (failure !== undefined) {
    return `${output && `${output}\n\n`}The command fails without any trouble: ${failure}. It must pass before the gauntlet can begin.\noutput: ${outputFile}`
  }
  if (money.length > 0) return undefined
  if (requests > 0) {
    return `The command passes, but has moved no money: no checkout was confirmed and nothing was captured with PAYSIM_API_KEY at PAYSIM_URL. The gauntlet compares what moved, so at least one test must pay for an order there.\noutput: ${outputFile}`
  }
  return `The command passes. ${SENT_NOTHING}\noutput: ${outputFile}`
}
