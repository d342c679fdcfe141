/** The report card: for a terminal, for CI as JUnit, and as JSON. */
import { junitXml } from '../../spec/junit.ts'
import type { CaseResult, ReportCard } from './grade.ts'

export const gradeReport = {
  json: (card: ReportCard): string => `${JSON.stringify(card, null, 2)}\n`,
  junit: ({ url, cases }: ReportCard): string =>
    junitXml([
      {
        name: `grade of ${url}`,
        ms: cases.reduce((sum, { ms }) => sum + ms, 0),
        cases: cases.map((result) => ({
          of: 'grade',
          name: result.name,
          ms: result.ms,
          failure: result.passed
            ? undefined
            : {
                type: 'grade',
                message: `expected ${result.expected}, came ${result.came}`,
                text: result.mend ?? '',
              },
        })),
      },
    ]),
}

export function caseText({ name, expected, came, ms, passed, mend }: CaseResult): string {
  const line = `${passed ? 'pass' : 'FAIL'}  ${name}: ${came}${passed ? '' : `, expected ${expected}`} (${ms} ms)`
  return mend === null ? line : `${line}\n      ${mend}`
}

export function gradeText({ grade, judged, cases }: ReportCard): string {
  const passed = `${cases.filter((one) => one.passed).length} of ${cases.length} passed`
  if (!judged.effects) {
    return `Answers: ${grade}, ${passed}; whether a duplicate is handled once was not judged: --probe tells it.`
  }
  const left = [
    judged.restart ? [] : ['whether it is after a restart (--start)'],
    judged.state ? [] : ['which state a refund has after events out of order (--probe-state)'],
  ].flat()
  return `Grade ${grade}: ${passed}${left.length > 0 ? `; not judged: ${left.join(', and ')}` : ''}`
}
