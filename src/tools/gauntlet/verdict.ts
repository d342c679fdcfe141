/** The verdict on the run under one trouble, in two stages: judged by what happened, and confirmed by a second run. */
import { counted } from '../../spec/contract/counted.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import type { Finding } from '../../tester/audit/judge.ts'
import { RULES } from '../../tester/audit/rules.ts'
import type { Explanation } from '../../tester/story/difference.ts'
import type { PathStep, Suspect } from './facts.ts'
import {
  compareMoney,
  isMovedTwice,
  isUnfinished,
  type OrderDifference,
  type OrderMoney,
  type Yardstick,
} from './money.ts'
import { oncePerRule } from './together.ts'
import type { Trail } from './trail.ts'

/** From the best to the worst. */
export const VERDICTS = ['survived', 'audit failed', 'failed loudly', 'money wrong'] as const
/** Outcomes without a verdict: the failure may be the tests' own, the trouble never acted, or it was not tried. */
export const NO_VERDICTS = ['not judged', 'not exercised', 'not run'] as const

export type Exercised = (typeof VERDICTS)[number]
export type NoVerdict = (typeof NO_VERDICTS)[number]
export type Verdict = Exercised | NoVerdict

/** What the client did that would break in production, and in which requests. */
export type RuleBroken = Pick<Finding, 'rule' | 'severity' | 'what' | 'requests' | 'about' | 'money'>

export interface Evidence {
  /** How the command ended, in words; undefined if it passed. */
  failure: string | undefined
  /** Whether the command was ended at its limit: what it left undone is not held against it. */
  wasCutOff: boolean
  /** Whether a client that stops, and reports it, survives. */
  mayStop: boolean | undefined
  /** How often the trouble's behaviors acted. */
  fired: number
  money: readonly OrderMoney[]
  yardstick: Yardstick
  findings: readonly RuleBroken[]
  /** The rules that the baseline run broke, which are not reported again. */
  baselineRules: ReadonlySet<string>
  explain: (difference: OrderDifference) => Explanation
}

export interface Judged {
  verdict: Verdict
  reasons: string[]
  /** The orders whose money differs from the baseline run. */
  orders: readonly ExplainedDifference[]
}

type ExplainedDifference = OrderDifference & Explanation

export interface TroubleResult extends Judged {
  trouble: Trouble
  fired: number
  tookMs: number
  outputFile: string | undefined
  findings: readonly RuleBroken[]
  /** Undefined if the run was survived. */
  trail: Trail | undefined
  /** The sandbox in which something went wrong; undefined if the run was survived. */
  suspect: Suspect | undefined
  /** How many runs there were under this trouble. */
  runs: number
  /** Sentences below the reasons. */
  notes: readonly string[]
  /** Whether a request had no timeout, as its client waited until the run was ended. */
  hasNoTimeout: boolean
  /** The requests of all its sandboxes, and how often each of its behaviors acted. */
  path: readonly PathStep[]
  firedEach: readonly number[]
}

/**
 * A command that passed must have moved exactly the money of the baseline run. One that failed may have moved a part of it, because
 * it reported its failure. Anything more or different is wrong in either case.
 */
export function judge({ failure, wasCutOff, fired, money, yardstick, ...more }: Evidence): Judged {
  const { findings, baselineRules, explain, mayStop } = more
  if (fired === 0) {
    if (failure === undefined) return { verdict: 'not exercised', reasons: [], orders: [] }
    const why = `the trouble never happened, so the tests fail by themselves: ${failure}`
    return { verdict: 'not judged', reasons: [why], orders: [] }
  }
  const all = compareMoney(yardstick, money)
  const orders = (wasCutOff ? all.filter(({ tooMuch }) => tooMuch.length > 0) : all).map((difference) => ({
    ...difference,
    ...explain(difference),
  }))
  const isMoneyRight = failure === undefined ? orders.length === 0 : isUnfinished(orders)
  const shown = isMoneyRight ? orders.slice(0, UNDONE_SHOWN) : orders
  const hidden = orders.length - shown.length
  const texts = shown.map(({ text }) => text)
  if (hidden > 0) texts.push(`${counted(hidden, 'more order')} left undone`)
  const failed = failure === undefined ? [] : [failure]
  // A warning is worth a look; only an error would certainly break in production.
  const broken = findings.filter(({ severity }) => severity === 'error')
  const named = new Set(shown.flatMap(({ rules }) => rules))
  const others = ruleTexts(
    broken.filter(({ rule }) => !named.has(rule)),
    baselineRules,
  )
  if (!isMoneyRight) return { verdict: 'money wrong', reasons: [...texts, ...failed, ...others], orders }
  if (mayStop && failure !== undefined && !wasCutOff && broken.length === 0) {
    return { verdict: 'survived', reasons: [], orders: [] }
  }
  const verdict = failure !== undefined ? 'failed loudly' : broken.length > 0 ? 'audit failed' : 'survived'
  return { verdict, reasons: [...failed, ...texts, ...others], orders }
}

/** How far a command came that failed: this many of the orders that it left undone are shown. */
const UNDONE_SHOWN = 2

/** One for each rule: a client that breaks one does so with each retry. */
const ruleTexts = (findings: readonly RuleBroken[], baselineRules: ReadonlySet<string>): string[] =>
  oncePerRule(findings).map(({ rule, what }) =>
    baselineRules.has(rule) ? `${rule}, as in the baseline run` : `${rule}: ${what}`,
  )

export const isExercised = (verdict: Verdict): verdict is Exercised => VERDICTS.includes(verdict as Exercised)

/** Whether it was tried and not survived. */
export const isFound = ({ verdict }: Pick<Judged, 'verdict'>): boolean =>
  isExercised(verdict) && verdict !== 'survived'

export const isWorse = (verdict: Exercised, than: Exercised): boolean =>
  VERDICTS.indexOf(verdict) > VERDICTS.indexOf(than)

/** A run shorter than this costs little to repeat. */
const SHORT_MS = 15_000

/**
 * Whether a failure is repeated before it counts: a suite that fails once, and not again, shows nothing about its client.
 * `asked` is `--confirm` or `--no-confirm`.
 */
export function isToBeConfirmed(result: TroubleResult, asked: boolean | undefined): boolean {
  const { verdict, orders, tookMs } = result
  if (asked === false || (asked === undefined && tookMs > SHORT_MS)) return false
  if (verdict === 'money wrong') return !orders.some(isMovedTwice)
  return verdict === 'failed loudly' || verdict === 'not judged' || hangsOnTime(result)
}

/** Whether the only findings are about timing. */
function hangsOnTime({ verdict, findings }: TroubleResult): boolean {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const isOfTime = (rule: string) => RULES.some(({ id, hangsOnTime }) => id === rule && hangsOnTime)
  return verdict === 'audit failed' && errors.every(({ rule }) => isOfTime(rule))
}

/** The result of two runs under one trouble, the first of which failed: the worse one, if both failed. */
export function confirmed(first: TroubleResult, second: TroubleResult): TroubleResult {
  if (second.verdict === 'not run') return first
  if (isLoud(first) ? isLoud(second) : second.verdict !== 'survived') {
    const isFirstWorse =
      !isExercised(second.verdict) || (isExercised(first.verdict) && isWorse(first.verdict, second.verdict))
    return { ...(isFirstWorse ? first : second), runs: 2 }
  }
  const once = `Only the first of two runs failed, so it is not counted: ${first.reasons[0]}`
  return { ...second, runs: 2, notes: [once] }
}

/** Whether more went wrong than a broken audit rule. */
const isLoud = ({ verdict }: TroubleResult) => verdict !== 'survived' && verdict !== 'audit failed'
