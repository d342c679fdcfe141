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

export function gradeText({ grade, cases }: ReportCard): string {
  const passed = cases.filter((one) => one.passed).length
  return `Grade ${grade}: ${passed} of ${cases.length} passed`
}
