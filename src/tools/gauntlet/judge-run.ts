/**
 * Gathers the evidence of a run from the facts of its sandboxes. A failed test that armed its own faults says nothing about the
 * run's trouble: if both acted, it is reported and not counted as a failure. Money that moved twice counts in any case.
 */
import { counted } from '../../spec/contract/counted.ts'
import { groupBy } from '../../spec/grouping.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import type { SandboxFacts } from './facts.ts'
import { compareMoney, differenceText, isMovedTwice, type OrderDifference, type Yardstick } from './money.ts'
import type { Ran } from './suite.ts'
import { findingsOfAll, firedInAll, isHit, moneyOfAll, testOf } from './together.ts'
import { explained, joinedTrail, ofTest, type Trail } from './trail.ts'
import { suspectIn, suspiciousOf } from './trouble-file.ts'
import { isExercised, isFound, type Judged, judge, type RuleBroken, type TroubleResult } from './verdict.ts'
import { plus } from './watched-sandbox.ts'

type JudgedRun = Judged & Omit<TroubleResult, 'trouble' | 'outputFile' | 'tookMs' | 'runs'>

/** Each part of a pair was survived alone, so a pair of which one part never acted was not tried. */
export function judgeRun(
  ran: Ran,
  baseline: { findings: readonly RuleBroken[]; lost: number },
  yardstick: Yardstick,
  { parts = [], mayStop }: Pick<Trouble, 'parts' | 'mayStop'> = {},
): JudgedRun {
  const { facts, child, waiting } = ran
  const excused = excusedIn(ran, yardstick)
  const isCounted = ({ test }: { test?: string | undefined }) => !excused.has(test)
  const counting = facts.filter((sandbox) => isCounted({ test: testOf(sandbox) }))
  const findings = findingsOfAll(counting)
  const fired = firedInAll(counting)
  const firedEach = facts.reduce<readonly number[]>((sum, sandbox) => plus(sandbox.fired, sum), [])
  const failed = failedIn(facts)
  const isFailureExcused = failed.length > 0 && !child.wasCutOff && failed.every((test) => excused.has(test))
  const judged = judge({
    failure: isFailureExcused ? undefined : failureOf(ran, baseline.lost),
    wasCutOff: child.wasCutOff,
    ...{ mayStop, fired },
    money: moneyOfAll(counting),
    yardstick: { ...yardstick, orders: yardstick.orders.filter(isCounted) },
    findings,
    baselineRules: new Set(baseline.findings.map(({ rule }) => rule)),
    explain: (difference) => explained(difference, storiesOf(facts, difference)),
  })
  const notes = [...excused].map(([test, why]) =>
    ofTest(test, `not counted, as it makes trouble of its own beside this one: ${why}`),
  )
  const isWrong = isFound(judged)
  const suspect = isWrong ? suspectIn(suspiciousOf(facts, judged), judged) : undefined
  const trail = isWrong || !isExercised(judged.verdict) ? trailOf(facts, judged) : undefined
  const isIdle = parts.length > 0 && judged.verdict === 'survived' && firedEach.includes(0)
  const path = facts.flatMap((sandbox) => sandbox.path)
  return {
    ...judged,
    ...(isIdle && { verdict: 'not exercised' }),
    ...{ fired, firedEach, path, findings, notes, trail, suspect, hasNoTimeout: waiting !== undefined },
  }
}

const FAILED_SHOWN = 2

/** How the run failed, with the failed tests if a test runner has named them, and what it printed about that. */
function failureOf({ child, said, lost, facts }: Ran, lostBefore: number): string | undefined {
  const more = lost - lostBefore
  if (child.failure === undefined) {
    return more > 0
      ? `${counted(more, 'sandbox', 'sandboxes')} of the tests ended with the process, so nothing is known of what moved there`
      : undefined
  }
  const failed = facts.flatMap((sandbox) => (sandbox.label?.failed ? [`"${testOf(sandbox)}"`] : []))
  const shown = failed.slice(0, FAILED_SHOWN).join(' and ')
  const others = failed.length > FAILED_SHOWN ? ` and ${failed.length - FAILED_SHOWN} more` : ''
  return failureText(child.failure, failed.length === 0 ? undefined : `${shown}${others} failed`, said)
}

/** Such as `exit code 1: "refund.test.js > a refund" failed: AssertionError: expected 2 to be 1`. */
export const failureText = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(': ')

/** The tests that failed, by the test runner; if it names none, those that the trouble has hit. */
function failedIn(facts: readonly SandboxFacts[]): (string | undefined)[] {
  const failed = facts.filter(({ label }) => label?.failed)
  return (failed.length > 0 ? failed : facts.filter(isHit)).map(testOf)
}

/** The tests that failed, or moved other money, where their own faults acted beside the trouble; with what went wrong. */
function excusedIn({ child, facts }: Ran, yardstick: Yardstick): Map<string | undefined, string> {
  const differences = compareMoney(yardstick, moneyOfAll(facts))
  const doubled = new Set(differences.filter(isMovedTwice).map(({ test }) => test))
  const hit = groupBy(facts.filter(isHit), (sandbox) => testOf(sandbox) ?? '')
  const isMixed = (test: string | undefined) =>
    !doubled.has(test) && (hit.get(test ?? '')?.every(({ ownFired }) => ownFired > 0) ?? false)
  const wrong = [
    ...(child.failure === undefined || child.wasCutOff
      ? []
      : failedIn(facts).map((test) => [test, child.failure!] as const)),
    ...differences.map((difference) => [difference.test, differenceText(difference)] as const),
  ]
  return new Map(wrong.filter(([test]) => isMixed(test)))
}

/** The trails of the sandboxes in which something went wrong; without any, of those in which the trouble acted. */
function trailOf(facts: readonly SandboxFacts[], { orders }: Judged): Trail {
  const wrong = facts.filter(
    ({ label, audit }) =>
      label?.failed || audit.errors > 0 || orders.some(({ test }) => test === testOf({ label })),
  )
  const shown = (wrong.length > 0 ? wrong : facts.filter(isHit)).slice(0, TRAILS_SHOWN)
  return joinedTrail(shown.map((sandbox) => ({ test: testOf(sandbox), trail: sandbox.details.trail })))
}

const TRAILS_SHOWN = 5

/** The stories of all orders in the sandboxes of the same test. */
const storiesOf = (facts: readonly SandboxFacts[], { test }: OrderDifference) =>
  facts.filter((sandbox) => testOf(sandbox) === test).map((sandbox) => sandbox.details.stories)
