/** Reports for other programs: JUnit XML for CI, JSON for anything else. The page for people is written elsewhere. */
import { isAbsolute, relative, sep } from 'node:path'
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import { counted } from '../../spec/contract/counted.ts'
import { type JunitCase, type JunitSuite, junitXml } from '../../spec/junit.ts'
import { type FileResult, isShown, type StepResult, skippedSteps, skippedText } from './result.ts'
import { differenceLine, requestLines } from './show-result.ts'

export const REPORT_KINDS = ['junit', 'json', 'html'] as const
export type ReportKind = (typeof REPORT_KINDS)[number]

export const writeReport: Record<'junit' | 'json', (files: readonly FileResult[]) => string> = {
  json: (files) => `${JSON.stringify({ files: files.map(fileReport) }, null, 2)}\n`,
  junit: (files) => junitXml(files.map((one) => suite(one, isOneOfSeveral(one, files)))),
}

/** A file with several cases has a result for each. */
const isOneOfSeveral = ({ file }: FileResult, all: readonly FileResult[]): boolean =>
  all.filter((one) => one.file === file).length > 1

const fileReport = ({ record: _, ...result }: FileResult) => ({
  ...result,
  skippedSteps: skippedSteps(result),
  steps: result.steps.map(stepReport),
})

const stepReport = ({ request, received, ...step }: StepResult) => ({
  ...step,
  request: request && requestLines(request).join('\n'),
  received: received.map(({ body, ...answer }) => ({ ...answer, body: body.toString() })),
})

function suite(result: FileResult, isCase: boolean): JunitSuite {
  const { file, name, outcome, reason, steps, stepCount, unfired, startedAt, tookMs } = result
  const path = pathFromHere(file)
  const caseOf = (of: string, ms: number): JunitCase => ({
    of: path
      .replace(/\.ya?ml$/, '')
      .replaceAll('.', '_')
      .replaceAll('/', '.'),
    name: isCase ? `${name}: ${of}` : of,
    ms,
    file: path,
  })
  const cases = [
    ...steps.filter(isShown).map((step) => ({
      ...caseOf(`${step.place} ${step.label}`, step.tookMs),
      ...verdict(step.outcome, step.reason ?? '', step.differences),
    })),
    ...unfired.map((one) => ({
      ...caseOf(`the behavior ${one.id} acts`, 0),
      ...failed('unfired-behavior', sentenceOfUnfired(one)),
    })),
  ]
  // A file in which no step ran is a case of its own; otherwise the report would not show it.
  if (steps.length === 0) cases.push({ ...caseOf(name, 0), ...verdict(outcome, reason ?? '', []) })
  const left = stepCount - steps.filter(({ place }) => !place.includes('.')).length
  if (steps.length > 0 && left > 0)
    cases.push({ ...caseOf(counted(left, 'more step'), 0), skipped: 'not played' })
  return { name, ms: tookMs, startedAt, cases, output: skippedText([result]) }
}

/** From the folder of the command, which in CI is mostly the root of the repository; outside of it, the name alone. */
function pathFromHere(file: string): string {
  const path = relative('.', file)
  const isOutside = path.startsWith('..') || isAbsolute(path)
  return (isOutside ? path.slice(path.lastIndexOf(sep) + 1) : path).split(sep).join('/')
}

function verdict(
  outcome: FileResult['outcome'],
  reason: string,
  differences: readonly MatchDifference[],
): Pick<JunitCase, 'failure' | 'skipped'> {
  if (outcome === 'passed') return {}
  if (outcome === 'skipped') return { skipped: reason }
  if (differences.length === 0) return failed('error', reason)
  const lines = [...(reason === '' ? [] : [reason]), ...differences.map(differenceLine)]
  return { failure: { type: 'difference', message: differenceLine(differences[0]!), text: lines.join('\n') } }
}

/** The message is an attribute, which has one line. */
const failed = (type: string, text: string): Pick<JunitCase, 'failure'> => ({
  failure: { type, message: text.split('\n', 1)[0]!, text },
})
