/** `paysim run --compare`: plays each file at the target and in a simulator of our own, and prints the differences. */
import { colorsFor } from './colors.ts'
import { compareSides, type FileDifferences } from './compare-sides.ts'
import {
  type ExitCode,
  type RunSetup,
  saveReport,
  sessionOptions,
  unreadFiles,
  withOwnSimulator,
} from './run-setup.ts'
import { type PlayedFile, playFile, type Target } from './session.ts'
import { differenceLines } from './show-differences.ts'

export async function compareFiles(setup: RunSetup, target: Target): Promise<ExitCode> {
  const { files, reports, options, io } = setup
  const colors = colorsFor(io.color)
  const results: FileDifferences[] = unreadFiles(setup).map(({ file, reason }) => ({
    file,
    name: file,
    skipped: undefined,
    failed: reason,
    differences: [],
  }))
  const compareAll = async (own: Target) => {
    for (const { path, scenario } of files) {
      io.out(`${colors.strong(path)}  ${scenario.name}`)
      const session = { ...sessionOptions(setup), keepGoing: true }
      const theirs = await playFile(path, scenario, target, session)
      const ours = theirs.outcome === 'skipped' ? theirs : await playFile(path, scenario, own, session)
      const result = fileDifferences(ours, theirs)
      for (const line of differenceLines(result, ours.steps, theirs.steps, colors)) io.out(line)
      results.push(result)
      if (options.bail && result.differences.length > 0) break
    }
  }
  if (files.length > 0) await withOwnSimulator(setup, compareAll)
  const count = results.reduce((sum, { differences }) => sum + differences.length, 0)
  const compared = results.filter(
    ({ skipped, failed }) => skipped === undefined && failed === undefined,
  ).length
  io.out(`${countText(count)} in ${compared} of ${results.length} files`)
  for (const { file } of reports)
    await saveReport(setup, file, `${JSON.stringify({ files: results }, null, 2)}\n`)
  return count > 0 || results.some(({ failed }) => failed !== undefined) ? 1 : 0
}

const countText = (count: number) =>
  count === 0 ? 'no difference' : `${count} difference${count === 1 ? '' : 's'}`

function fileDifferences(ours: PlayedFile, theirs: PlayedFile): FileDifferences {
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
