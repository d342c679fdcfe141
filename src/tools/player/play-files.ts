/** `paysim run`: plays each file once, several side by side, and prints their steps and a summary. */
import { counted } from '../../spec/contract/counted.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { stopwatch, wallClock } from '../../spec/world/clock.ts'
import { writeReport } from '../checks/write.ts'
import { colorsFor } from './colors.ts'
import type { LoadedFile } from './options.ts'
import { orderedOutput } from './ordered-output.ts'
import { runReport } from './report.ts'
import { type FileResult, isShown } from './result.ts'
import { type ExitCode, type RunSetup, sessionOptions, withOwnSimulator } from './run-setup.ts'
import { playFile, type Target } from './session.ts'
import { failureLines, stepLine, summaryLines } from './show-result.ts'

export const playFiles = (setup: RunSetup): Promise<ExitCode> =>
  setup.target || setup.files.length === 0
    ? playFilesAt(setup, setup.target)
    : withOwnSimulator(setup, (address) => playFilesAt(setup, address))

/** Without an address, there is nothing to play. */
export async function playFilesAt(setup: RunSetup, address: Target | undefined): Promise<ExitCode> {
  const began = stopwatch()
  const results = address ? await playSideBySide(setup, address) : []
  return await tellResults(setup, [...unread(setup), ...results], stopwatch() - began)
}

/** The unreadable files, reported as failed. */
const unread = (setup: RunSetup): FileResult[] =>
  setup.unread.map(({ path, mistakes }) =>
    notPlayed({ file: path, name: path, outcome: 'failed', reason: mistakes.join('\n'), stepCount: 0 }),
  )

const notPlayed = (
  result: Pick<FileResult, 'file' | 'name' | 'outcome' | 'reason' | 'stepCount'>,
): FileResult => ({
  ...result,
  ...{ steps: [], unfired: [], tookMs: 0 },
  startedAt: formatInstant(wallClock()),
})

/** Returns results in file order. With `--bail`, no file starts after one has failed. */
async function playSideBySide(setup: RunSetup, address: Target): Promise<FileResult[]> {
  const { files, options, io } = setup
  const session = sessionOptions(setup)
  const colors = colorsFor(io.color)
  const output = orderedOutput(io.out)
  const reasonToSkip = reasonsToSkip(files)
  const results: FileResult[] = []
  let stop = false
  let problem: unknown

  async function play(index: number, loaded: LoadedFile): Promise<FileResult> {
    const { path, scenario } = loaded
    const print = (line: string) => output.print(index, line)
    print(`${colors.strong(path)}  ${scenario.name}`)
    const stepCount = scenario.steps?.length ?? 0
    const reason = reasonToSkip(loaded)
    const result =
      reason !== undefined
        ? notPlayed({ file: path, name: scenario.name, outcome: 'skipped', reason, stepCount })
        : await playFile(path, scenario, address, {
            ...session,
            onStep(step) {
              if (!isShown(step)) return
              print(stepLine(step, stepCount, colors))
              if (step.outcome === 'failed') for (const line of failureLines(step, colors)) print(line)
            },
          })
    if (result.outcome !== 'passed' && result.steps.length === 0)
      for (const line of `${result.outcome}: ${result.reason}`.split('\n')) print(`  ${line}`)
    if (result.outcome === 'failed' && result.seed !== undefined)
      print(`  random seed ${result.seed}; to repeat the run: paysim run ${path} --seed ${result.seed}`)
    print('')
    return result
  }

  const waiting = files.entries()
  async function playNext(): Promise<void> {
    for (const [index, file] of waiting) {
      if (stop) return
      try {
        results[index] = await play(index, file)
        stop ||= options.bail === true && results[index].outcome === 'failed'
      } catch (error) {
        problem ??= error
        stop = true
      }
      output.end(index)
    }
  }
  const jobs = options.jobs ?? (address.apiKey === undefined ? (io.jobs ?? 1) : 1)
  await Promise.all(Array.from({ length: Math.min(jobs, files.length) }, playNext))
  if (problem !== undefined) throw problem
  return results.filter((result) => result !== undefined)
}

async function tellResults(
  setup: RunSetup,
  results: readonly FileResult[],
  tookMs: number,
): Promise<ExitCode> {
  const { options, io, secrets } = setup
  const summed = results.map((result) => withoutMistakes(setup, result))
  for (const line of summaryLines(summed, tookMs, colorsFor(io.color))) io.out(line)
  await writeReport(runReport(results), {
    ...{ files: options.reports, env: io.env, annotate: io.annotate },
    hide: (text) => secrets.hide(text),
  })
  if (setup.unread.length > 0) return 2
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
}

/** The mistakes of a file are printed when it is read, so the summary only counts them. */
function withoutMistakes({ unread }: RunSetup, result: FileResult): FileResult {
  const file = unread.find(({ path }) => path === result.file)
  return file ? { ...result, reason: `${counted(file.mistakes.length, 'mistake')}, named above` } : result
}

/** Why a file is skipped by `skip` or `only`; undefined for a file that is played. */
function reasonsToSkip(files: readonly LoadedFile[]): (file: LoadedFile) => string | undefined {
  const only = files.find(({ scenario }) => scenario.only !== undefined)
  return ({ scenario }) => {
    if (scenario.skip !== undefined) return scenario.skip
    if (only === undefined || scenario.only !== undefined) return undefined
    return `only ${only.path} is played now: ${only.scenario.only}`
  }
}
