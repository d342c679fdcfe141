/** The report card for a terminal, and as checks for the reports. */
import { type Check, type CheckReport, causesByTodo } from '../checks/check.ts'
import type { CaseResult, ReportCard } from './grade.ts'

export function gradeReport(card: ReportCard): CheckReport {
  const checks = card.cases.map(
    ({ name, expected, came, ms, passed, fix }): Check => ({
      name,
      outcome: passed ? 'passed' : 'failed',
      kind: 'grade',
      why: passed ? '' : `expected ${expected}, came ${came}`,
      todo: fix ?? undefined,
      ms,
    }),
  )
  return {
    command: 'grade',
    name: `grade of ${card.url}`,
    title: `Grade ${card.grade}: ${passedText(card)}`,
    about: `${gradeText(card)}. The receiver is ${card.url}.`,
    ms: card.cases.reduce((sum, { ms }) => sum + ms, 0),
    checks,
    causes: causesByTodo(checks),
    json: () => card,
  }
}

export function caseText({ name, expected, came, ms, passed, fix }: CaseResult): string {
  const line = `${passed ? 'pass' : 'FAIL'}  ${name}: ${came}${passed ? '' : `, expected ${expected}`} (${ms} ms)`
  return fix === null ? line : `${line}\n      ${fix}`
}

const passedText = ({ cases }: ReportCard): string =>
  `${cases.filter((result) => result.passed).length} of ${cases.length} passed`

export function gradeText(card: ReportCard): string {
  const { grade, judged } = card
  const passed = passedText(card)
  if (!judged.effects) {
    return `Responses: ${grade}, ${passed}. Duplicates were not judged: pass --probe to count their effects.`
  }
  const left = [
    judged.restart ? [] : ['duplicates after a restart (--start)'],
    judged.state ? [] : ['the state of a refund after out-of-order events (--probe-state)'],
  ].flat()
  return `Grade ${grade}: ${passed}${left.length > 0 ? `; not judged: ${left.join(', and ')}` : ''}`
}
