/** `paysim gauntlet`: the calm run, the troubles, the table, the reports and the baseline. */
import { mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopwatch, wallClock } from '../../spec/world/clock.ts'
import { writeReport } from '../checks/write.ts'
import type { Resolved } from '../options/commands.ts'
import { OrderedOutput } from '../player/ordered-output.ts'
import { type Baseline, isRefused, readBaseline, writeBaseline } from './baseline.ts'
import { causeLines, causesIn } from './causes.ts'
import { jobsOf, partOf, requireTogether, troublesOf } from './options.ts'
import { type GauntletOutcome, gauntletReport } from './report.ts'
import { type Calm, canAct, Gauntlet } from './runner.ts'
import { calmAgainLines, calmLines, gauntletSummary, SENT_NOTHING, troubleLines } from './show.ts'
import type { StartSimulator } from './suite.ts'
import { isExercised, type TroubleResult } from './verdict.ts'
import { hasPort } from './webhook-address.ts'

export interface GauntletIo {
  out(line: string): void
  err(line: string): void
  /** Shows a text in place of the one before; an empty text removes it. */
  progress(text: string): void
  /** The report as a page of HTML. */
  page(outcome: GauntletOutcome): Promise<string>
  env: Readonly<Record<string, string | undefined>>
  stopped: AbortSignal
  startSimulator: StartSimulator
}

export type GauntletExit = 0 | 1 | 2 | 130

/** The exit code that a shell gives for a command that was ended by Ctrl-C. */
export const INTERRUPTED = 130
export const NOT_STARTED = 2

export async function gauntletCommand(options: Resolved<'gauntlet'>, io: GauntletIo): Promise<GauntletExit> {
  const { command, webhook, baseline: baselineFile, updateBaseline = false } = options
  requireTogether(options)
  const named = await troublesOf(options)
  const baseline = baselineFile === undefined ? {} : readBaseline(baselineFile, updateBaseline)
  if (options.failed && named.length === 0) {
    io.out('Nothing failed in the last run.')
    return 0
  }
  removeOldOutput()
  const outputFolder = mkdtempSync(join(tmpdir(), OUTPUT_FOLDER))
  const startedAt = stopwatch()
  const gauntlet = new Gauntlet({
    ...options,
    outputFolder,
    env: io.env,
    startSimulator: io.startSimulator,
    stopped: io.stopped,
  })
  try {
    io.progress(`in calm: ${command.join(' ')}`)
    const calm = await gauntlet.calm()
    io.progress('')
    if (io.stopped.aborted) return INTERRUPTED
    const problem = whyNotCalm(calm)
    if (problem !== undefined) {
      io.err(problem)
      return NOT_STARTED
    }
    const troubles = partOf(named, options, (one) => canAct(one, calm))
    const nameWidth = Math.max(0, ...troubles.map(({ name }) => name.length))
    const able = troubles.filter((one) => canAct(one, calm)).length
    const oneAddress = hasPort(webhook.url) ? calm.sharedReceiver : webhook.url
    const jobs = jobsOf(options, oneAddress)
    for (const line of calmLines(calm, { troubles, able, jobs, oneAddress })) io.out(line)
    io.out('')
    removeOutput(calm.outputFile)
    const output = new OrderedOutput(io.out)
    const underWay = new Set<string>()
    let finished = 0
    /** Such as `12 of 46: outage, reads-lost`. */
    const tellProgress = () => io.progress(`${finished} of ${troubles.length}: ${[...underWay].join(', ')}`)
    const results = await gauntlet.troubles(calm, troubles, jobs, {
      started(name) {
        underWay.add(name)
        tellProgress()
      },
      again(calm) {
        io.progress('')
        underWay.delete('calm again')
        for (const line of calmAgainLines(calm)) io.out(line)
      },
      finished(result, place) {
        io.progress('')
        underWay.delete(result.trouble.name)
        finished += 1
        for (const line of troubleLines(result, baseline, nameWidth)) output.print(place, line)
        output.end(place)
        if (result.verdict === 'survived') removeOutput(result.outputFile)
        tellProgress()
      },
    })
    io.progress('')
    const tookMs = stopwatch() - startedAt
    const calmRules = new Set(calm.findings.map(({ rule }) => rule))
    const causes = causesIn(results, baseline, calmRules)
    if (causes.length > 0) io.out('\nWhat to mend:')
    for (const line of causeLines(causes)) io.out(line)
    io.out('')
    for (const line of gauntletSummary(results, baseline, tookMs)) io.out(line)
    const outcome = { command, calm, results, causes, baseline, startedAt: wallClock() - tookMs, tookMs }
    await writeReport(gauntletReport(outcome), {
      ...{ files: options.reports, env: io.env, out: io.out },
      page: () => io.page(outcome),
    })
    if (io.stopped.aborted) return INTERRUPTED
    if (updateBaseline) writeBaseline(baselineFile!, baseline, results)
    return isGreen(results, updateBaseline ? readBaseline(baselineFile!, false) : baseline) ? 0 : 1
  } finally {
    io.progress('')
    removeIfEmpty(outputFolder)
  }
}

/** At least one trouble must have been exercised: without any, nothing is known. */
const isGreen = (results: readonly TroubleResult[], baseline: Baseline): boolean =>
  results.some(({ verdict }) => isExercised(verdict)) &&
  !results.some((result) => isRefused(result, baseline))

/** Why the calm run cannot be compared with: it failed, or moved no money. */
function whyNotCalm({ failure, requests, money, outputFile }: Calm): string | undefined {
  const output = readFileSync(outputFile, 'utf8').trimEnd()
  if (failure !== undefined) {
    return `${output && `${output}\n\n`}The command fails without any trouble: ${failure}. It must pass before the gauntlet can begin.\noutput: ${outputFile}`
  }
  if (money.length > 0) return undefined
  if (requests > 0) {
    return `The command passes, but has moved no money: no checkout was confirmed and nothing was captured with PAYSIM_API_KEY at PAYSIM_URL. The gauntlet compares what moved, so at least one test must pay for an order there.\noutput: ${outputFile}`
  }
  return `The command passes. ${SENT_NOTHING}\noutput: ${outputFile}`
}

export const OUTPUT_FOLDER = 'paysim-gauntlet-'
const OLD_MS = 7 * 24 * 60 * 60 * 1000

/** Removes outputs older than a week. */
function removeOldOutput(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(OUTPUT_FOLDER)) continue
    const folder = join(tmpdir(), name)
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    // Another user's folder cannot be removed: `attempt` ignores EACCES and EPERM.
    if (wallClock() - changed > OLD_MS) attempt(() => rmSync(folder, { recursive: true, force: true }))
  }
}

function attempt(work: () => void): void {
  try {
    work()
  } catch (cause) {
    if (!['EACCES', 'EPERM'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause
  }
}

function removeOutput(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true })
}

/** Removes the folder if it is empty; outputs of runs that were not survived stay in it. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw cause
  }
}
