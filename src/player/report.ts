/** Reports for other programs: JUnit XML for CI, JSON for anything else. */
import type { MatchDifference } from '../scenario-file/matcher.ts'
import { sentenceOfUnfired } from '../scenario-file/unfired-sentence.ts'
import type { FileResult, StepResult } from './result.ts'
import { requestLines } from './show-result.ts'
import { xmlText } from './xml-text.ts'

export const REPORT_KINDS = ['junit', 'json'] as const
export type ReportKind = (typeof REPORT_KINDS)[number]

export const writeReport: Record<ReportKind, (files: readonly FileResult[]) => string> = {
  json: (files) => `${JSON.stringify({ files: files.map(fileReport) }, null, 2)}\n`,
  junit: (files) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${files.map(suite).join('')}</testsuites>\n`,
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

function suite({ file, name, outcome, reason, steps, stepCount, unfired, tookMs }: FileResult): string {
  const cases = [
    ...steps.map((step) => testCase(file, step)),
    ...unfired.map((one) =>
      caseOf(file, `the behavior ${one.id} acts`, 0, verdict('failed', sentenceOfUnfired(one), [])),
    ),
  ]
  // A file in which no step ran is a case of its own; otherwise the report would not show it.
  if (steps.length === 0) cases.push(caseOf(file, name, 0, verdict(outcome, reason ?? '', [])))
  const left = stepCount - steps.filter(({ place }) => !place.includes('.')).length
  if (steps.length > 0 && left > 0)
    cases.push(caseOf(file, `${left} more steps`, 0, '<skipped message="not played"/>'))
  const failures = cases.filter((one) => one.includes('<failure')).length
  const skipped = cases.filter((one) => one.includes('<skipped')).length
  return `  <testsuite name="${xmlText(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}" time="${seconds(tookMs)}">\n${cases.join('')}  </testsuite>\n`
}

const testCase = (file: string, { place, label, outcome, reason, tookMs, differences }: StepResult): string =>
  caseOf(file, `${place} ${label}`, tookMs, verdict(outcome, reason ?? '', differences))

const caseOf = (file: string, name: string, tookMs: number, content: string): string =>
  `    <testcase classname="${xmlText(file)}" name="${xmlText(name)}" time="${seconds(tookMs)}">${content}</testcase>\n`

function verdict(
  outcome: FileResult['outcome'],
  reason: string,
  differences: readonly MatchDifference[],
): string {
  if (outcome === 'passed') return ''
  if (outcome === 'skipped') return `<skipped message="${xmlText(reason)}"/>`
  const lines = differences.map((one) => `${one.path}: expected ${one.expected}, received ${one.received}`)
  return `<failure message="${xmlText(lines[0] ?? reason)}">${xmlText([reason, ...lines].filter(Boolean).join('\n'))}</failure>`
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)
