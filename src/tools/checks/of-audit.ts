/** The result of the audit: one check for each rule, so that CI shows which rules failed. */
import { type Audit, onlyToldOfOrders } from '../../tester/audit/judge.ts'
import { RULES } from '../../tester/audit/rules.ts'
import { findingText, hasNothingToJudge, summaryText, wrongTexts } from '../../tester/audit/show.ts'
import { type Cause, type Check, type CheckReport, causesByTodo } from './check.ts'

/** `ran`, for `paysim exec`: how the command ended, and the money that it moved. */
export function auditReport(audit: Audit, ran?: { ended: string; moved: string }): CheckReport {
  const checks = RULES.map(({ id, title, todo }) => checkOfRule(`${id} ${title}`, id, todo, audit))
  const never = audit.coverage.filter(({ times }) => times === 0).map(({ trouble }) => trouble)
  const isToldOfOrder = ({ todo }: Check) => audit.orders.some((order) => order.todo === todo)
  const moved = audit.orders.map((order): Cause => {
    return { what: order.text, where: '', todo: order.todo ?? '', isMoney: true }
  })
  return {
    command: ran ? 'exec' : 'audit',
    name: 'audit',
    title: [ran?.ended ?? [], summaryText(audit)].flat().join(' '),
    about: [ran ? `${ran.moved}.` : [], `Failures never met: ${never.join(', ') || 'none'}.`]
      .flat()
      .join(' '),
    note: wrongTexts({ orders: audit.orders, findings: [] }).join('\n') || undefined,
    checks,
    verdicts: ['failed', 'warning', 'passed', 'skipped'],
    // Print a rule's advice only once, with the orders whose money moved.
    causes: [...moved, ...causesByTodo(checks.filter((check) => !isToldOfOrder(check)))],
    json: () => audit,
  }
}

/** A warning does not fail the check: CI goes by the exit code, which a warning does not change. */
function checkOfRule(name: string, rule: string, todo: string, audit: Audit): Check {
  const { findings, ignored } = audit
  const found = [
    ...findings.map((finding) => ({ ...finding, text: findingText(finding) })),
    ...onlyToldOfOrders(audit).map((order) => ({ ...order, what: order.text })),
  ].filter((finding) => finding.rule === rule)
  const errors = found.filter(({ severity }) => severity === 'error')
  const shown = errors.length > 0 ? errors : found
  const ignoredFor = ignored.find((exemption) => exemption.rule === rule)?.reason
  const isApplied = ignoredFor === undefined && !hasNothingToJudge(audit)
  return {
    name,
    outcome: errors.length > 0 ? 'failed' : isApplied ? 'passed' : 'skipped',
    kind: rule,
    ...(errors.length === 0 && found.length > 0 && { verdict: 'warning' }),
    why: shown[0]?.what ?? ignoredFor ?? '',
    ...(shown.length > 0 && { text: shown.map(({ text }) => text).join('\n\n'), todo }),
  }
}
