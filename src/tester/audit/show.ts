/** The verdict as text, for a terminal and for the message of a failed test. */
import { counted } from '../../spec/contract/counted.ts'
import { fromMajor, moneyText } from '../../spec/contract/money.ts'
import { printable } from '../../spec/terminal-text.ts'
import { typedCommand } from '../../spec/typed.ts'
import { type Audit, atLeastOf, type Finding } from './judge.ts'

const NAMED_SHOWN = 8
const ORDERS_SHOWN = 3

/** `tests`: the command that runs them, if known. */
export function auditText(audit: Audit, tests = 'YOUR TESTS'): string {
  const { ignored, coverage } = audit
  const silenced = ignored
    .filter(({ findings }) => findings > 0)
    .map(({ rule, reason, findings }) => `${rule} is ignored (${reason}): ${counted(findings, 'finding')}`)
  const met = coverage.filter(({ times }) => times > 0)
  const never = coverage.filter(({ times }) => times === 0)
  return [
    ...wrongTexts(audit),
    ...(silenced.length > 0 ? [silenced.join('\n')] : []),
    `Failures met in this run: ${met.map(({ trouble, times }) => `${trouble} (${times})`).join(', ') || 'none'}`,
    [
      `Failures never met: ${never.map(({ trouble }) => trouble).join(', ') || 'none'}`,
      ...howToMeet(never, tests),
    ].join('\n'),
    summaryText(audit),
  ].join('\n\n')
}

/** One `gauntlet` command for all troubles that it can arm. */
function howToMeet(never: Audit['coverage'], tests: string): string[] {
  const names = never.flatMap(({ armed }) => armed ?? [])
  return names.length === 0
    ? []
    : [`  to test them: ${typedCommand()} gauntlet --only ${names.join(',')} -- ${tests}`]
}

/** The problems for a terminal and a failed test, starting with orders whose money moved again. */
export const wrongTexts = ({ orders, findings }: Pick<Audit, 'orders' | 'findings'>): string[] => [
  ...orders.map(({ text, todo }) =>
    [printable(text), ...(todo === null ? [] : [`  do: ${todo}`])].join('\n'),
  ),
  ...findings.map(findingText),
]

export function findingText({
  rule,
  severity,
  title,
  what,
  requests,
  about,
  orders,
  money,
  currency,
  costs,
  todo,
}: Finding): string {
  const named = [...requests, ...about]
  const atLeast = atLeastOf([{ requests, about }])
  const more = named.length > NAMED_SHOWN ? ` and ${atLeast}${named.length - NAMED_SHOWN} more` : ''
  const lines = [
    `${severity} ${rule}: ${title}`,
    `  ${what}`,
    ...(money === null ? [] : [`  at stake: ${moneyText(fromMajor(money), currency)}`]),
    ...(named.length === 0
      ? []
      : [`  see: ${named.slice(0, NAMED_SHOWN).join(', ')}${more}${ofOrders(orders, atLeast)}`]),
    `  why: ${costs}`,
    `  do: ${todo}`,
  ]
  return lines.map(printable).join('\n')
}

function ofOrders(orders: readonly string[], atLeast: string): string {
  if (orders.length === 0) return ''
  const more = orders.length > ORDERS_SHOWN ? ` and ${atLeast}${orders.length - ORDERS_SHOWN} more` : ''
  return ` (${orders.slice(0, ORDERS_SHOWN).join(', ')}${more})`
}

/** "No errors in no requests" would read as a success. */
export const NOTHING_TO_JUDGE = 'Nothing to judge: no request was received under /v1'

export const hasNothingToJudge = ({ requests, findings }: Pick<Audit, 'requests' | 'findings'>): boolean =>
  requests === 0 && findings.length === 0

/** In one line. */
export function summaryText(audit: Audit): string {
  const { errors, warnings, requests } = audit
  const judged = `${counted(errors, 'error')} and ${counted(warnings, 'warning')} in ${counted(requests, 'request')}`
  return (hasNothingToJudge(audit) ? NOTHING_TO_JUDGE : judged) + sinceText(audit)
}

/** What the verdict does not cover. */
function sinceText({ from, forgotten }: Pick<Audit, 'from' | 'forgotten'>): string {
  if (forgotten === 0) return ''
  return `${from === null ? '' : ` from ${from} on`}; the journal has forgotten ${counted(forgotten, 'request')}`
}
