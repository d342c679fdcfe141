/** The end of the output: each cause once, with all runs in which it showed, wrong money first. */
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import { counted } from '../../spec/contract/counted.ts'
import { RULES } from '../../tester/audit/rules.ts'
import { type Baseline, isRefused } from './baseline.ts'
import type { OrderDifference } from './money.ts'
import { fileText, type TroubleFile } from './trouble-file.ts'
import type { TroubleResult } from './verdict.ts'

export interface GauntletCause {
  /** An audit rule; null if no rule explains it. */
  rule: string | null
  what: string
  todo: string | null
  /** Whether money was wrong in one of the runs. */
  isMoney: boolean
  /** The baseline run showed it too. */
  inCalm: boolean
  troubles: string[]
  /**
   * What the client did under the first of these troubles, or under the first in which wrong money moved; with the file that has all
   * that the tests printed, where only they say why.
   */
  example: { trouble: string; text: string; output?: string }
}

/** `calmRules`: the rules that were broken without any trouble. */
export function causesIn(
  results: readonly TroubleResult[],
  baseline: Baseline,
  calmRules: ReadonlySet<string>,
): GauntletCause[] {
  const causes = new Map<string, GauntletCause>()
  for (const result of results.filter((trouble) => isRefused(trouble, baseline))) {
    for (const { rule, text, isMoney } of shownIn(result, calmRules)) {
      const output = rule === null && !isMoney ? result.outputFile : undefined
      const example = { trouble: result.trouble.name, text, ...(output !== undefined && { output }) }
      const known = rule === null ? causeWithoutRule(result) : RULES.find(({ id }) => id === rule)
      const name = known?.id ?? rule ?? result.verdict
      const cause = causes.get(name) ?? {
        rule,
        what: known?.title ?? WHAT[result.verdict] ?? result.verdict,
        todo: known?.todo ?? null,
        isMoney,
        inCalm: rule !== null && calmRules.has(rule),
        troubles: [],
        example,
      }
      if (isMoney && !cause.isMoney) cause.example = example
      cause.isMoney ||= isMoney
      if (!cause.troubles.includes(result.trouble.name)) cause.troubles.push(result.trouble.name)
      causes.set(name, cause)
    }
  }
  const worth = ({ isMoney, inCalm }: GauntletCause) => (isMoney ? 2 : inCalm ? 0 : 1)
  return [...causes.values()].sort((a, b) => worth(b) - worth(a) || b.troubles.length - a.troubles.length)
}

const NO_TIMEOUT = {
  id: 'no timeout',
  title: 'A request has no timeout',
  todo: 'Set a timeout on each request',
}

const HANDLED_AGAIN = {
  id: 'handled again',
  title: 'A webhook that arrives again is handled again',
  todo: 'Store the webhook-id of each handled event together with its effects; if it arrives again, answer 2xx and do nothing',
}

function causeWithoutRule({ hasNoTimeout, orders, trouble }: TroubleResult) {
  if (hasNoTimeout) return NO_TIMEOUT
  const isMovedAgain = orders.some(({ tooMuch }) => tooMuch.length > 0)
  return isMovedAgain && trouble.behaviors.every(repeatsWebhooks) ? HANDLED_AGAIN : undefined
}

const repeatsWebhooks = ({ do: act }: Armable): boolean =>
  'webhook' in act && (act.webhook.duplicate ?? act.webhook.crash) !== undefined

const WHAT: Partial<Record<TroubleResult['verdict'], string>> = {
  'money wrong': 'The money differs from the baseline run',
  'failed loudly': 'The tests failed',
  'not judged': 'The tests fail by themselves',
}

/**
 * The rules that were broken in a run, each with the sentence about an order that it explains. If no rule explains
 * an order, wrong money is attributed to the rules that lead to such, and were not broken in the baseline run; if there is none,
 * it is a cause of its own.
 */
function shownIn({ reasons, findings, orders, verdict }: TroubleResult, calmRules: ReadonlySet<string>) {
  const rules = [...new Set(findings.flatMap(({ rule, severity }) => (severity === 'error' ? [rule] : [])))]
  const texts = new Map(rules.map((rule) => [rule, orders.find((order) => order.rules.includes(rule))?.text]))
  const isMoneyWrong = verdict === 'money wrong'
  const isTold = [...texts.values()].some((text) => text !== undefined)
  const isToBlame = (rule: string) =>
    isMoneyWrong && (isTold ? texts.get(rule) !== undefined : !calmRules.has(rule) && leadsTo(rule, orders))
  const byRule = rules.map((rule) => ({
    rule,
    text:
      texts.get(rule) ?? (isToBlame(rule) ? reasons[0]! : findings.find((row) => row.rule === rule)!.what),
    isMoney: isToBlame(rule),
  }))
  const isExplained = verdict === 'audit failed' || rules.some(isToBlame)
  const [first = verdict] = reasons
  return isExplained ? byRule : [{ rule: null, text: first, isMoney: isMoneyWrong }, ...byRule]
}

/** Whether breaking a rule may have moved the money like this. */
function leadsTo(rule: string, orders: readonly OrderDifference[]): boolean {
  const moves = RULES.find(({ id }) => id === rule)?.moves ?? []
  return orders.some(
    ({ tooMuch, lacks }) =>
      (tooMuch.length > 0 && moves.includes('again')) || (lacks.length > 0 && moves.includes('not')),
  )
}

const TROUBLES_SHOWN = 3

/** `C2 in 28 runs, money wrong: A retry has another Idempotency-Key → …`, and below it where to see it. */
export function causeLines(
  causes: readonly GauntletCause[],
  files: ReadonlyMap<string, TroubleFile> = new Map(),
): string[] {
  return causes.flatMap(({ rule, what, todo, isMoney, inCalm, troubles, example }) => {
    const where = `in ${counted(troubles.length, 'run')}${inCalm ? ' and in the baseline run' : ''}`
    const head =
      rule === null ? `${what} ${where}` : `${rule} ${where}${isMoney ? ', money wrong' : ''}: ${what}`
    const file = files.get(example.trouble)
    const others = troubles.filter((name) => name !== example.trouble)
    const more = others.length > TROUBLES_SHOWN ? ` and ${others.length - TROUBLES_SHOWN} more` : ''
    return [
      todo === null ? head : `${head} → ${todo}`,
      `  see ${example.trouble}: ${example.text}`,
      ...(example.output === undefined ? [] : [`  output: ${example.output}`]),
      ...(file === undefined ? [] : [`  file: ${fileText(file)}`]),
      ...(others.length === 0 ? [] : [`  also in ${others.slice(0, TROUBLES_SHOWN).join(', ')}${more}`]),
    ]
  })
}
