/** The verdict on the run under one trouble. */
import { counted } from '../../spec/contract/counted.ts'
import type { Trouble } from '../../tester/conduct/arms.ts'
import type { Finding } from '../../tester/conduct/judge.ts'
import { RULES } from '../../tester/conduct/rules.ts'
import {
  compareMoney,
  differenceText,
  isMovedTwice,
  type OrderDifference,
  type OrderMoney,
  type Yardstick,
} from './money.ts'
import { oncePerRule } from './together.ts'
import type { Trail } from './trail.ts'

/** From the best to the worst. */
export const VERDICTS = ['survived', 'bad conduct', 'failed loudly', 'money wrong'] as const
/**
 * Outcomes without a verdict: the failure may be the tests' own, the trouble never acted, or it was not
 * tried.
 */
export const NO_VERDICTS = ['not judged', 'not exercised', 'not run'] as const

export type Exercised = (typeof VERDICTS)[number]
export type NoVerdict = (typeof NO_VERDICTS)[number]
export type Verdict = Exercised | NoVerdict

/** What the client did that would hurt in production, and in which requests. */
export type RuleBroken = Pick<Finding, 'rule' | 'severity' | 'what' | 'requests' | 'about' | 'money'>

export interface Evidence {
  /** How the command ended, in words: undefined when it passed. */
  failure: string | undefined
  /** How often the trouble's behaviors acted. */
  fired: number
  money: readonly OrderMoney[]
  calm: Yardstick
  findings: readonly RuleBroken[]
  /** The rules that were broken in calm, which are not reported again. */
  calmRules?: ReadonlySet<string>
  /** What is wrong with an order, in a sentence. */
  tell?: (difference: OrderDifference) => string
}

export interface Judged {
  verdict: Verdict
  reasons: string[]
  /** The orders whose money is not that of the calm run. */
  orders: readonly OrderDifference[]
}

export interface TroubleResult extends Judged {
  trouble: Trouble
  fired: number
  tookMs: number
  outputFile: string | undefined
  /** What the client did that would hurt in production. */
  findings: readonly RuleBroken[]
  /** Undefined where the run was survived. */
  trail: Trail | undefined
  /** How many runs there were under this trouble. */
  runs: number
  /** Sentences that stand beside the reasons. */
  notes: readonly string[]
}

/**
 * A command that passed must have moved exactly the money of the calm run. One that failed may have moved a
 * part of it, as it reported that it is not done. Anything more or different is wrong in either case.
 */
export function judge({ failure, fired, money, calm, findings, ...words }: Evidence): Judged {
  const { calmRules = new Set(), tell = differenceText } = words
  const failed = failure === undefined ? [] : [failure]
  if (fired === 0) {
    if (failure === undefined) return { verdict: 'not exercised', reasons: [], orders: [] }
    const why = `the trouble never happened, so the tests fail by themselves: ${failure}`
    return { verdict: 'not judged', reasons: [why], orders: [] }
  }
  // A warning is worth a look; only an error would hurt in production for certain.
  const conduct = sentencesOf(
    findings.filter(({ severity }) => severity === 'error'),
    calmRules,
  )
  const { isRight, isUnfinished, differences } = compareMoney(calm, money)
  const isExpected = failure === undefined ? isRight : isUnfinished
  const told = isExpected ? undoneIn(differences, tell) : differences.map(tell)
  // Left out: rules that a sentence about an order names already.
  const others = conduct.filter((one) => !told.some((text) => text.endsWith(`(${one.split(/[:,]/, 1)[0]}).`)))
  if (!isExpected) {
    return { verdict: 'money wrong', reasons: [...told, ...failed, ...others], orders: differences }
  }
  const verdict = failure !== undefined ? 'failed loudly' : conduct.length > 0 ? 'bad conduct' : 'survived'
  return { verdict, reasons: [...failed, ...told, ...others], orders: differences }
}

const UNDONE_SHOWN = 2

/** How far a command came that failed: of the orders that it left undone the first ones. */
function undoneIn(differences: readonly OrderDifference[], tell: (difference: OrderDifference) => string) {
  const others = differences.length - UNDONE_SHOWN
  const more = others > 0 ? [`${counted(others, 'more order')} left undone`] : []
  return [...differences.slice(0, UNDONE_SHOWN).map(tell), ...more]
}

/** One for each rule: a client that breaks one does so with each retry. */
function sentencesOf(findings: readonly RuleBroken[], calmRules: ReadonlySet<string>): string[] {
  return oncePerRule(findings).map(({ rule, what }) =>
    calmRules.has(rule) ? `${rule}, as in calm` : `${rule}: ${what}`,
  )
}

export const isExercised = (verdict: Verdict): verdict is Exercised => VERDICTS.some((one) => one === verdict)

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
  return verdict === 'bad conduct' && errors.every(({ rule }) => isOfTime(rule))
}

/** The result of one run. It says how to repeat a failure that is believed at once only because its run took long. */
export const believed = (result: TroubleResult, asked: boolean | undefined): TroubleResult =>
  asked === undefined && isToBeConfirmed(result, true)
    ? { ...result, notes: [...result.notes, NOT_REPEATED] }
    : result

const NOT_REPEATED =
  'The run took long, so it was not repeated; --confirm repeats a failure before it is believed.'

/** The result of two runs under one trouble, the first of which failed. */
export function confirmed(first: TroubleResult, second: TroubleResult): TroubleResult {
  if (second.verdict === 'not run') return first
  const both = { ...second, runs: 2 }
  const [was] = first.reasons
  if (first.verdict === 'bad conduct') {
    return second.verdict === 'survived'
      ? { ...both, notes: [`Only the first of two runs showed it, so it is not counted: ${was}`] }
      : both
  }
  if (second.verdict === 'survived' || second.verdict === 'bad conduct') {
    const once = `It failed in the first of two runs (${was}) and not in the second, so the failure is not counted.`
    return { ...both, notes: [once] }
  }
  if (!isExercised(second.verdict)) return { ...first, runs: 2 }
  if (!isExercised(first.verdict) || !isWorse(first.verdict, second.verdict)) return both
  return { ...first, runs: 2 }
}
