/** Turns play results into a report: one check for each file, with its steps as parts. */
import { SourceFile } from '../../sandbox/scenario-file/source-file.ts'
import { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { isObject, valueAt } from '../../spec/contract/parsed-json.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { type Check, type CheckReport, titleOf } from '../checks/check.ts'
import { connectionText } from './checks.ts'
import {
  type FileResult,
  isInner,
  isShown,
  outcomeCounts,
  type StepResult,
  skippedSteps,
  skippedText,
} from './result.ts'
import { differenceLine, receivedLines, requestLines } from './show-result.ts'

export function runReport(files: readonly FileResult[]): CheckReport {
  const checks = files.map(checkOfFile)
  return {
    command: 'run',
    name: 'run',
    title: titleOf({ checks }, 'No file was played'),
    about: `${outcomeCounts(files)
      .map(([, text]) => text)
      .join(', ')}.`,
    startedAt: files.map(({ startedAt }) => startedAt).sort()[0],
    ms: files.reduce((sum, { tookMs }) => sum + tookMs, 0),
    checks,
    json: () => ({ files: files.map(inJson) }),
  }
}

const inJson = ({ journal: _, ...result }: FileResult) => ({
  ...result,
  skippedSteps: skippedSteps(result),
  steps: result.steps.map(stepInJson),
})

const stepInJson = ({ request, received, ...step }: StepResult) => ({
  ...step,
  request: request && requestLines(request).join('\n'),
  received: received.map(({ answered, took: tookMs, ...exchange }) => ({
    connection: connectionText(exchange),
    status: answered?.status,
    headers: answered?.headers ?? {},
    tookMs,
    body: answered?.body ?? '',
  })),
})

function checkOfFile(result: FileResult): Check {
  const { file, name, outcome, reason = '', steps, unfired, startedAt, seed, journal } = result
  const source = outcome === 'failed' ? sourceOf(file) : undefined
  const isSkipped = outcome === 'skipped'
  // A skipped file took no time, although it took a moment to find that out.
  const whole: Check = { name, outcome, ...said(reason), ms: isSkipped ? 0 : result.tookMs, file, startedAt }
  const parts: Check[] = steps
    .filter((step) => isShown(step) && !isAboutInner(step))
    .map((step) => checkOfStep(step, steps, source && lineOfStep(source, step.place)))
  for (const behavior of unfired)
    parts.push({
      ...{ name: `the behavior ${behavior.id} acts`, outcome: 'failed', kind: 'unfired-behavior' },
      ...said(sentenceOfUnfired(behavior)),
    })
  const left = result.stepCount - steps.filter((step) => !isInner(step)).length
  if (steps.length > 0 && left > 0)
    parts.push({ name: counted(left, 'more step'), outcome: 'skipped', why: 'not played' })
  const failed = parts.find((part) => part.outcome === 'failed')
  const note = skippedText([result])
  const intro = [
    file,
    isSkipped ? '' : tookText(result.tookMs),
    note,
    seed === undefined ? '' : `drawn with --seed ${seed}`,
  ]
  return {
    ...whole,
    why: failed ? `${failed.name}: ${failed.why}` : whole.why,
    note,
    page: {
      intro: intro.filter(Boolean).join(', '),
      sections: journal === undefined ? [] : [{ title: 'Journal', text: journal }],
    },
    parts: steps.length === 0 && unfired.length > 0 ? [...parts, { ...whole, ms: 0 }] : parts,
  }
}

/** Whether it failed only because of an inner step, which has its own check. */
const isAboutInner = ({ differences }: StepResult): boolean =>
  differences.length > 0 && differences.every(({ inner }) => inner)

function checkOfStep(step: StepResult, all: readonly StepResult[], line: number | undefined): Check {
  const { place, label, outcome, saw, reason = '', tookMs, request, received, differences } = step
  // The outer step has the item of the `each`.
  const around = all
    .flatMap(({ differences }) => differences)
    .find(({ inner }) => inner?.place === place && inner.item !== '')
  const check = {
    name: `${place} ${label}${around?.inner?.item ?? ''}`,
    outcome,
    ms: tookMs,
    line,
    page: {
      saw,
      sections: (request ? received : []).map((exchange) => ({
        title: 'Request and response',
        open: outcome === 'failed',
        text: [...requestLines(exchange.asked), '', ...receivedLines(exchange)].join('\n'),
      })),
    },
  }
  const [first] = differences
  if (outcome !== 'failed' || first === undefined) return { ...check, ...said(reason) }
  const lines = [
    ...(reason === '' ? [] : [reason]),
    ...differences.map((difference) => differenceLine(difference)),
  ]
  return { ...check, kind: 'difference', why: differenceLine(first), text: lines.join('\n') }
}

const said = (text: string) => ({ why: text.split('\n', 1)[0]!, text })

/** Undefined if the file cannot be read, for example because it was changed after it was played. */
function sourceOf(file: string): SourceFile | undefined {
  try {
    return new SourceFile(readTextFile(file), file)
  } catch {
    return undefined
  }
}

/**
 * The line of a step. `place` is as in a result: `3`, or `3.1` for the first step inside the third. Undefined if the file has no
 * such step.
 */
function lineOfStep(source: SourceFile, place: string): number | undefined {
  const path = ['steps', Number.parseInt(place, 10) - 1]
  if (!isObject(valueAt(source.content, path))) return undefined
  return source.locate({ path, of: 'value' }, '').line
}
