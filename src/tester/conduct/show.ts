/** The verdict as text, for a terminal and for the message of a failed test. */
import { counted } from '../../spec/contract/counted.ts'
import { dollars, fromMajor } from '../../spec/contract/money.ts'
import type { Conduct, Finding } from './judge.ts'

const NAMED_SHOWN = 8

export function conductText(conduct: Conduct): string {
  const { findings, ignored, coverage } = conduct
  const silenced = ignored
    .filter((one) => one.findings > 0)
    .map(({ rule, reason, findings }) => `${rule} is ignored (${reason}): ${counted(findings, 'finding')}`)
  const met = coverage.filter(({ times }) => times > 0)
  const never = coverage.filter(({ times }) => times === 0)
  return [
    ...findings.map(findingText),
    ...(silenced.length > 0 ? [silenced.join('\n')] : []),
    `Trouble that this run met: ${met.map(({ trouble, times }) => `${trouble} (${times})`).join(', ') || 'none'}`,
    `Trouble that it never met: ${never.map(({ trouble }) => trouble).join(', ') || 'none'}`,
    summaryText(conduct),
  ].join('\n\n')
}

export function findingText({
  rule,
  severity,
  title,
  what,
  requests,
  about,
  money,
  costs,
  todo,
}: Finding): string {
  const named = [...requests, ...about]
  const more = named.length > NAMED_SHOWN ? ` and ${named.length - NAMED_SHOWN} more` : ''
  const lines = [
    `${severity} ${rule}: ${title}`,
    `  ${what}`,
    ...(money === null ? [] : [`  at stake: ${dollars(fromMajor(money))}`]),
    ...(named.length === 0 ? [] : [`  see: ${named.slice(0, NAMED_SHOWN).join(', ')}${more}`]),
    `  why: ${costs}`,
    `  do: ${todo}`,
  ]
  return lines.join('\n')
}

/** In one line. */
export function summaryText({ errors, warnings, requests, from, forgotten }: Conduct): string {
  const since = forgotten > 0 ? ` from ${from} on; the journal has forgotten ${forgotten} before` : ''
  return `${counted(errors, 'error')} and ${counted(warnings, 'warning')} in ${counted(requests, 'request')}${since}`
}
