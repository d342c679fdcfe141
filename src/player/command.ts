/** `paysim run`: plays scenario files against a simulator of its own or another address. */
import { writeFile } from 'node:fs/promises'
import type { LintTerminal } from '../scenario-file/lint.ts'
import { problemLine, ScenarioError } from '../scenario-file/read.ts'
import type { Eventually } from '../scenario-file/step.ts'
import { colorsFor } from './colors.ts'
import { compareSides, type FileDifferences } from './compare.ts'
import {
  type LoadedFile,
  type PlayOptions,
  PlayUsageError,
  type Report,
  readFiles,
  readReports,
  readTarget,
} from './options.ts'
import { writeReport } from './report.ts'
import type { FileResult } from './result.ts'
import { Secrets } from './secrets.ts'
import { type PlayedFile, playFile, type SessionOptions, type Target } from './session.ts'
import { differenceLines } from './show-differences.ts'
import { failureLines, stepLine, summaryLines } from './show-result.ts'
import { startStopwatch } from './timing.ts'
import { Unreachable } from './wire.ts'

export interface PlayIo extends LintTerminal {
  color: boolean
  env: Readonly<Record<string, string | undefined>>
  /** Starts a simulator to play against. */
  startOwn(): Promise<{ url: string; apiKey: string; close(): Promise<void> }>
}

/** 0: all passed. 1: something failed or differs. 2: a file or an option is invalid. */
export type ExitCode = 0 | 1 | 2

export async function playCommand(options: PlayOptions, io: PlayIo): Promise<ExitCode> {
  const secrets = new Secrets()
  secrets.add(options.apiKey)
  secrets.add(options.adminToken)
  const safe: PlayIo = {
    ...io,
    out: (line) => io.out(secrets.hide(line)),
    err: (line) => io.err(secrets.hide(line)),
  }
  try {
    const reports = readReports(options)
    const target = readTarget(options)
    const files = await readFiles(options)
    return await (options.compare
      ? compareAll(files, target, reports, options, safe, secrets)
      : playAll(files, target, reports, options, safe, secrets))
  } catch (error) {
    if (error instanceof ScenarioError) for (const problem of error.problems) safe.err(problemLine(problem))
    else if (error instanceof PlayUsageError || error instanceof Unreachable) safe.err(error.message)
    else throw error
    return error instanceof Unreachable ? 1 : 2
  }
}

// Playing

async function playAll(
  files: readonly LoadedFile[],
  target: Target | undefined,
  reports: readonly Report[],
  options: PlayOptions,
  io: PlayIo,
  secrets: Secrets,
): Promise<ExitCode> {
  const colors = colorsFor(io.color)
  const began = startStopwatch()
  const results: FileResult[] = []
  await withTarget(target, io, secrets, async (address) => {
    for (const { path, scenario } of files) {
      io.out(`${colors.strong(path)}  ${scenario.name}`)
      const steps = scenario.steps ?? []
      const result = await playFile(path, scenario, address, {
        ...session(io, options, secrets),
        onStep(step) {
          io.out(stepLine(step, steps.length, colors))
          if (step.outcome === 'failed') for (const line of failureLines(step, colors)) io.out(line)
        },
      })
      if (result.outcome !== 'passed' && result.steps.length === 0)
        io.out(`  ${result.outcome}: ${result.reason}`)
      io.out('')
      results.push(result)
      if (options.bail && result.outcome === 'failed') break
    }
  })
  for (const line of summaryLines(results, startStopwatch() - began, colors)) io.out(line)
  for (const { kind, file } of reports) await save(file, writeReport[kind](results), secrets)
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
}

/** Runs the work with the target, or with a simulator of our own that is closed afterwards. */
async function withTarget(
  target: Target | undefined,
  io: PlayIo,
  secrets: Secrets,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  if (target !== undefined) return work(target)
  const own = await io.startOwn()
  secrets.add(own.apiKey)
  try {
    await work({ base: new URL(own.url), apiKey: undefined, adminToken: undefined })
  } finally {
    await own.close()
  }
}

/** Staging completes a refund within seconds; a minute allows for a slow one. */
const PATIENCE: Eventually = { within: 60_000, every: 2_000 }

const session = (
  { env }: PlayIo,
  { patience = PATIENCE }: PlayOptions,
  secrets: Secrets,
): SessionOptions => ({
  env,
  secrets,
  patience,
  keepGoing: false,
  onStep() {},
})

const save = (file: string, text: string, secrets: Secrets) =>
  writeFile(file, secrets.hide(text)).catch((error: Error) => {
    throw new PlayUsageError(`The report cannot be written: ${error.message}.`)
  })

// Comparing

async function compareAll(
  files: readonly LoadedFile[],
  target: Target | undefined,
  reports: readonly Report[],
  options: PlayOptions,
  io: PlayIo,
  secrets: Secrets,
): Promise<ExitCode> {
  const colors = colorsFor(io.color)
  const results: FileDifferences[] = []
  await withTarget(undefined, io, secrets, async (own) => {
    for (const { path, scenario } of files) {
      io.out(`${colors.strong(path)}  ${scenario.name}`)
      const how = { ...session(io, options, secrets), keepGoing: true }
      const theirs = await playFile(path, scenario, target!, how)
      const ours = theirs.outcome === 'skipped' ? theirs : await playFile(path, scenario, own, how)
      const result = sideDifferences(ours, theirs)
      for (const line of differenceLines(result, ours.steps, theirs.steps, colors)) io.out(line)
      results.push(result)
      if (options.bail && result.differences.length > 0) break
    }
  })
  const count = results.reduce((sum, result) => sum + result.differences.length, 0)
  const compared = results.filter(
    ({ skipped, failed }) => skipped === undefined && failed === undefined,
  ).length
  io.out(`${differences(count)} in ${compared} of ${results.length} files`)
  for (const { file } of reports)
    await save(file, `${JSON.stringify({ files: results }, null, 2)}\n`, secrets)
  return count > 0 || results.some(({ failed }) => failed !== undefined) ? 1 : 0
}

const differences = (count: number) =>
  count === 0 ? 'no difference' : `${count} difference${count === 1 ? '' : 's'}`

function sideDifferences(ours: PlayedFile, theirs: PlayedFile): FileDifferences {
  const sides = [ours, theirs]
  const skipped = sides.find(({ outcome }) => outcome === 'skipped')?.reason
  const failed = sides.find(({ outcome, steps }) => outcome === 'failed' && steps.length === 0)?.reason
  const compared = skipped === undefined && failed === undefined
  return {
    file: ours.file,
    name: ours.name,
    skipped,
    failed,
    differences: compared ? compareSides(ours, theirs) : [],
  }
}
