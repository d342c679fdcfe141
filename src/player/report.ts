/** Reports for other programs: JUnit XML for CI, JSON for anything else. */
import { type JunitCase, type JunitSuite, junitXml } from '../junit.ts'
import type { MatchDifference } from '../scenario-file/matcher.ts'
import { sentenceOfUnfired } from '../scenario-file/unfired-sentence.ts'
import type { FileResult, StepResult } from './result.ts'
import { requestLines } from './show-result.ts'

export const REPORT_KINDS = ['junit', 'json'] as const
export type ReportKind = (typeof REPORT_KINDS)[number]

export const writeReport: Record<ReportKind, (files: readonly FileResult[]) => string> = {
  json: (files) => `${JSON.stringify({ files: files.map(fileReport) }, null, 2)}\n`,
  junit: (files) => junitXml(files.map(suite)),
}

const fileReport = ({ file, name, outcome, reason, tookMs, stepCount, unfired, steps }: FileResult) => ({
  file,
  name,
  outcome,
  reason,
  tookMs,
  stepCount,
  unfired,
  steps: steps.map(stepReport),
})

const stepReport = ({ request, received, ...step }: StepResult) => ({
  ...step,
  request: request && requestLines(request).join('\n'),
  received: received.map(({ body, ...answer }) => ({ ...answer, body: body.toString() })),
})

function suite({ file, name, outcome, reason, steps, stepCount, unfired, tookMs }: FileResult): JunitSuite {
  const cases = [
    ...steps.map((step) => testCase(file, step)),
    ...unfired.map((one) => ({
      ...caseOf(file, `the behavior ${one.id} acts`, 0),
      ...verdict('failed', sentenceOfUnfired(one), []),
    })),
  ]
  // A file in which no step ran is a case of its own; otherwise the report would not show it.
  if (steps.length === 0) cases.push({ ...caseOf(file, name, 0), ...verdict(outcome, reason ?? '', []) })
  const left = stepCount - steps.filter(({ place }) => !place.includes('.')).length
  if (steps.length > 0 && left > 0)
    cases.push({ ...caseOf(file, `${left} more steps`, 0), skipped: 'not played' })
  return { name, ms: tookMs, cases }
}

const testCase = (
  file: string,
  { place, label, outcome, reason, tookMs, differences }: StepResult,
): JunitCase => ({
  ...caseOf(file, `${place} ${label}`, tookMs),
  ...verdict(outcome, reason ?? '', differences),
})

const caseOf = (file: string, name: string, ms: number): JunitCase => ({ of: file, name, ms })

function verdict(
  outcome: FileResult['outcome'],
  reason: string,
  differences: readonly MatchDifference[],
): Pick<JunitCase, 'failure' | 'skipped'> {
  if (outcome === 'passed') return {}
  if (outcome === 'skipped') return { skipped: reason }
  const lines = differences.map((one) => `${one.path}: expected ${one.expected}, received ${one.received}`)
  return { failure: { message: lines[0] ?? reason, text: [reason, ...lines].filter(Boolean).join('\n') } }
}
