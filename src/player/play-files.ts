/** `paysim run`: plays each file once and prints its steps and a summary. */
import { colorsFor } from './colors.ts'
import { writeReport } from './report.ts'
import type { FileResult } from './result.ts'
import {
  type ExitCode,
  type RunSetup,
  saveReport,
  sessionOptions,
  unreadFiles,
  withOwnSimulator,
} from './run-setup.ts'
import { playFile, type Target } from './session.ts'
import { failureLines, stepLine, summaryLines } from './show-result.ts'
import { startStopwatch } from './timing.ts'

export async function playFiles(setup: RunSetup): Promise<ExitCode> {
  const { files, target, reports, options, io } = setup
  const colors = colorsFor(io.color)
  const began = startStopwatch()
  const results: FileResult[] = unreadFiles(setup).map(({ file, reason }) => ({
    file,
    name: file,
    outcome: 'failed',
    reason,
    steps: [],
    stepCount: 0,
    unfired: [],
    tookMs: 0,
  }))
  const playAt = async (address: Target) => {
    for (const { path, scenario } of files) {
      io.out(`${colors.strong(path)}  ${scenario.name}`)
      const steps = scenario.steps ?? []
      const result = await playFile(path, scenario, address, {
        ...sessionOptions(setup),
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
  }
  if (files.length > 0) await (target ? playAt(target) : withOwnSimulator(setup, playAt))
  for (const line of summaryLines(results, startStopwatch() - began, colors)) io.out(line)
  for (const { kind, file } of reports) await saveReport(setup, file, writeReport[kind](results))
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
}
