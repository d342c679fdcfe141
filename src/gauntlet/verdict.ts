/** What the run under one trouble comes to. */
import { compareMoney, type OrderMoney } from './money.ts'

/** From the best to the worst. */
export const VERDICTS = ['survived', 'bad conduct', 'failed loudly', 'money wrong'] as const
/** Of a trouble that never happened, or was not tried, nothing is known. */
export const NO_VERDICTS = ['not exercised', 'not run'] as const

export type Exercised = (typeof VERDICTS)[number]
export type Verdict = Exercised | (typeof NO_VERDICTS)[number]

export interface Evidence {
  /** How the command ended, in words: undefined when it passed. */
  failure: string | undefined
  /** How often the trouble's behaviors acted. */
  fired: number
  money: readonly OrderMoney[]
  calm: readonly OrderMoney[]
  /** What the client did that would hurt in production, a sentence each. */
  conduct: readonly string[]
}

export interface Judged {
  verdict: Verdict
  reasons: string[]
}

/**
 * A command that passed must have moved exactly the money of the calm run. One that failed may have moved a part of it: it
 * said that it is not done. More, twice or otherwise is wrong in either case.
 */
export function judge({ failure, fired, money, calm, conduct }: Evidence): Judged {
  const failed = failure === undefined ? [] : [failure]
  if (fired === 0) {
    const why = failure && `${failure}, although the trouble never happened: the tests fail by themselves`
    return { verdict: 'not exercised', reasons: why ? [why] : [] }
  }
  const { isRight, isUnfinished, differences } = compareMoney(calm, money)
  const isExpected = failure === undefined ? isRight : isUnfinished
  if (!isExpected) return { verdict: 'money wrong', reasons: [...differences, ...failed] }
  if (failure !== undefined) return { verdict: 'failed loudly', reasons: failed }
  return conduct.length > 0
    ? { verdict: 'bad conduct', reasons: [...conduct] }
    : { verdict: 'survived', reasons: [] }
}

export const isExercised = (verdict: Verdict): verdict is Exercised => VERDICTS.some((one) => one === verdict)

export const isWorse = (verdict: Exercised, than: Exercised): boolean =>
  VERDICTS.indexOf(verdict) > VERDICTS.indexOf(than)
