/**
 * Decides whether a failure is repeated before it counts: a suite that fails once, and not again, shows
 * nothing about its client.
 */
import { RULES } from '../../tester/conduct/rules.ts'
import { isMovedTwice } from './money.ts'
import { isExercised, isWorse, type TroubleResult } from './verdict.ts'

/** A run shorter than this costs little to repeat. */
const SHORT_MS = 15_000

/** `asked` is `--confirm` or `--no-confirm`. */
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
