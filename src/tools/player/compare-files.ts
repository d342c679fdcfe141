/** `paysim run --compare`: plays each file at the target and in a simulator of our own, and prints the differences. */
import { basename } from 'node:path'
import { counted } from '../../spec/contract/counted.ts'
import { stopwatch } from '../../spec/world/clock.ts'
import { saveReport } from '../checks/write.ts'
import { type Colors, colorsFor } from './colors.ts'
import {
  type Comparability,
  compareSides,
  type FileDifferences,
  isComparable,
  type SideDifference,
} from './compare-sides.ts'
import {
  type AnswerHere,
  type DifferenceGroup,
  groupedDifferences,
  groupLines,
  SaidOnce,
} from './difference-groups.ts'
import type { StepResult } from './result.ts'
import {
  type ExitCode,
  type PlayIo,
  type RunSetup,
  sessionOptions,
  unreadFiles,
  withOwnSimulator,
} from './run-setup.ts'
import { type PlayedFile, playFile, type Target } from './session.ts'

export async function compareFiles(setup: RunSetup, target: Target): Promise<ExitCode> {
  const { io, options, secrets } = setup
  const { files, groups } = await compareAll(setup, target)
  for (const line of groupLines(groups)) io.out(line)
  io.out(summary(files))
  for (const { file } of options.reports)
    await saveReport(file, secrets.hide(`${JSON.stringify({ files, groups }, null, 2)}\n`))
  return files.some(({ differences, failed }) => differences.length > 0 || failed !== undefined) ? 1 : 0
}

interface Compared {
  files: readonly FileDifferences[]
  groups: readonly DifferenceGroup[]
}

/** Compares file by file, and prints the differences of each. */
export async function compareAll(setup: RunSetup, target: Target): Promise<Compared> {
  const { files, options, io } = setup
  const { lessons, learnsProfile = false } = io
  const colors = colorsFor(io.color)
  const results: FileDifferences[] = unreadFiles(setup).map(({ file, reason }) => ({
    file,
    name: file,
    skipped: undefined,
    failed: reason,
    differences: [],
    observations: 0,
  }))
  const said = new SaidOnce()
  const placed: { difference: SideDifference; answer: AnswerHere }[] = []
  const compareWith = async (own: Target) => {
    for (const { path, scenario } of files) {
      io.out(`${colors.strong(path)}  ${scenario.name}`)
      const session = { ...sessionOptions(setup), keepGoing: true, hearWebhooks: learnsProfile }
      const first = learnsProfile ? await playFile(path, scenario, own, session) : undefined
      const service = first && lessons?.wordsFor(scenario, first)
      const played = await playFile(path, scenario, target, {
        ...session,
        service,
        onStep: stepsLeft(scenario.steps?.length ?? 0, io.progress),
      })
      io.progress?.('')
      const theirs = service ? service.asItCame(played) : played
      const ours =
        first ?? (theirs.outcome === 'skipped' ? theirs : await playFile(path, scenario, own, session))
      if (theirs.outcome !== 'skipped') lessons?.addPlayed(scenario, ours, theirs)
      const result = fileDifferences(ours, theirs, {
        ownSandboxes: target.apiKey === undefined,
        frozen: target.apiKey === undefined && scenario.sandbox?.clock?.mode === 'frozen',
      })
      for (const line of differenceLines(result, ours.steps, theirs.steps, said, colors)) io.out(line)
      results.push(result)
      for (const difference of result.differences)
        placed.push({ difference, answer: answerHere(ours, difference.place) })
      if (options.bail && result.differences.length > 0) break
    }
  }
  if (files.length > 0) await withOwnSimulator(setup, compareWith)
  const mendingKey = lessons?.mendingKey()
  const groups = groupedDifferences(
    placed.map(({ difference, answer }) => ({
      ...difference,
      where: answer.seenIn,
      mendedBy: mendingKey?.(difference, answer),
    })),
  )
  return { files: results, groups }
}

/** Prints how many steps are left at the target, and how long they will take at the present pace. */
function stepsLeft(total: number, progress: PlayIo['progress']): () => void {
  const began = stopwatch()
  let played = 0
  return () => {
    played += 1
    const left = Math.max(0, total - played)
    const seconds = Math.ceil(((stopwatch() - began) / played / 1000) * left)
    progress?.(
      `${played} of ${counted(total, 'step')} played at the target, ${left} left, about ${seconds} s`,
    )
  }
}

function answerHere({ file, steps }: PlayedFile, at: string): AnswerHere {
  const step = steps.find(({ place }) => place === at)
  const { method = '', target = '' } = step?.request ?? {}
  const { status = 0, body = '' } = step?.received[0]?.answered ?? {}
  return { method, target, status, body, seenIn: `${basename(file)} step ${at}` }
}

/** Such as `3 of 34 files differ, 1 was skipped`. */
function summary(results: readonly FileDifferences[]): string {
  // A file with cases has a result for each.
  const count = (holds: (one: FileDifferences) => boolean) =>
    new Set(results.filter(holds).map(({ file }) => file)).size
  const [differing, skipped, failed] = [
    count(({ differences }) => differences.length > 0),
    count((one) => one.skipped !== undefined),
    count((one) => one.failed !== undefined),
  ]
  const compared = count((one) => one.skipped === undefined && one.failed === undefined)
  const were = (number: number, what: string) =>
    number === 0 ? [] : [`${number} ${number === 1 ? 'was' : 'were'} ${what}`]
  return [
    `${differing} of ${counted(compared, 'file')} differ${differing === 1 ? 's' : ''}`,
    ...were(skipped, 'skipped'),
    ...were(failed, 'not compared'),
  ].join(', ')
}

function fileDifferences(
  ours: PlayedFile,
  theirs: PlayedFile,
  comparability: Comparability,
): FileDifferences {
  const sides = [ours, theirs]
  const skipped = sides.find(({ outcome }) => outcome === 'skipped')?.reason
  const failed = sides.find(({ outcome, steps }) => outcome === 'failed' && steps.length === 0)?.reason
  const compared = skipped === undefined && failed === undefined
  return {
    file: ours.file,
    name: ours.name,
    skipped,
    failed,
    ...(compared ? compareSides(ours, theirs, comparability) : { differences: [], observations: 0 }),
  }
}

/** The output of a comparison: one line for each step, and its differences. */
function differenceLines(
  { skipped, failed, differences }: FileDifferences,
  ours: readonly StepResult[],
  theirs: readonly StepResult[],
  said: SaidOnce,
  { good, bad, faint }: Colors,
): string[] {
  if (skipped !== undefined) return [`  skipped: ${skipped}`, '']
  if (failed !== undefined)
    return [...`${bad('failed')}: ${failed}`.split('\n').map((line) => `  ${line}`), '']
  const lines = ours.map((step) => {
    const { place, label } = step
    const found = differences.filter((one) => one.place === place)
    if (found.length > 0)
      return [
        `  ${bad('≠')} ${faint(place)} ${label}`,
        ...said.sentences(found).map((sentence) => `      ${sentence}`),
      ]
    const other = theirs.find((one) => one.place === place)
    const compared = isComparable(step) && other !== undefined && isComparable(other)
    return compared
      ? `  ${good('=')} ${faint(place)} ${label}`
      : `  ${faint(`– ${place} ${label}: not compared`)}`
  })
  return [...lines.flat(), '']
}
