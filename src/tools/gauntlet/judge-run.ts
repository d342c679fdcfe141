/**
 * Makes the verdict of a run from the facts of its sandboxes. A failed test that armed faults of its own says
 * nothing about the run's trouble: if both acted, it is reported and not counted as a failure. Money that
 * moved twice counts in any case.
 */
import { counted } from '../../spec/contract/counted.ts'
import type { TellingFacts } from './facts.ts'
import { compareMoney, differenceText, isMovedTwice, type OrderDifference, type Yardstick } from './money.ts'
import type { Ran } from './suite.ts'
import { findingsOfAll, firedInAll, moneyOfAll, testOf } from './together.ts'
import { joinedTrail, ofTest, type Trail, wrongText } from './trail.ts'
import { isExercised, type Judged, judge, type RuleBroken, type TroubleResult } from './verdict.ts'

type JudgedRun = Judged & Pick<TroubleResult, 'fired' | 'findings' | 'trail' | 'notes'>

/** What is compared with the calm run, apart from money. */
interface Calm {
  findings: readonly RuleBroken[]
  lost: number
}

export function judgeRun(ran: Ran, calm: Calm, yardstick: Yardstick): JudgedRun {
  const all = [...ran.ours, ...ran.theirs]
  const failure = failureOf(ran, all, calm)
  const excused = excusedIn(ran, all, yardstick)
  const isExcused = ({ test }: { test?: string | undefined }) => excused.tests.has(test)
  const counting = all.filter((one) => !isExcused({ test: testOf(one) }))
  const findings = findingsOfAll(counting)
  const fired = firedInAll(counting)
  const judged = judge({
    failure: excused.isFailure ? undefined : failure,
    fired,
    money: moneyOfAll(counting),
    calm: {
      ...yardstick,
      orders: yardstick.orders.filter((order) => !isExcused(order)),
      kinds: yardstick.kinds.filter((order) => !isExcused(order)),
    },
    findings,
    calmRules: new Set(calm.findings.map(({ rule }) => rule)),
    tell: (difference) => wrongText(difference, storiesOf(all, difference)),
  })
  const notes = [...excused.tests].map(([test, why]) =>
    ofTest(test, `not counted, as it makes trouble of its own beside this one: ${why}`),
  )
  const isTold = judged.reasons.length > 0 || !isExercised(judged.verdict)
  return { ...judged, fired, findings, notes, trail: isTold ? trailOf(all, judged) : undefined }
}

const FAILED_SHOWN = 2

/** How the run failed, with the failed tests if a test runner has named them, and what it printed of it. */
function failureOf({ child, said, lost }: Ran, all: readonly TellingFacts[], calm: Calm): string | undefined {
  const more = lost - calm.lost
  if (child.failure === undefined) {
    return more > 0
      ? `${counted(more, 'sandbox', 'sandboxes')} of the tests ended with the process, so nothing is known of what moved there`
      : undefined
  }
  const failed = failedIn(all).map((one) => `"${testOf(one)}"`)
  const shown = failed.slice(0, FAILED_SHOWN).join(' and ')
  const others = failed.length > FAILED_SHOWN ? ` and ${failed.length - FAILED_SHOWN} more` : ''
  return failureText(child.failure, failed.length === 0 ? undefined : `${shown}${others} failed`, said)
}

/** Such as `exit code 1: "refund.test.js > a refund" failed: AssertionError: expected 2 to be 1`. */
export const failureText = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(': ')

const failedIn = (all: readonly TellingFacts[]) => all.filter(({ label }) => label?.failed)

interface Excused {
  /** Tests with a difference to the calm run, and the difference. */
  tests: ReadonlyMap<string | undefined, string>
  /** Whether the command failed, and only because of these tests. */
  isFailure: boolean
}

function excusedIn({ child }: Ran, all: readonly TellingFacts[], yardstick: Yardstick): Excused {
  const hit = all.filter((one) => firedInAll([one]) > 0)
  const isMixed = ({ ownFired }: TellingFacts) => ownFired > 0
  // Sandboxes without a test's name cannot be told apart.
  const unnamed = hit.filter(({ label }) => label === null)
  const mixed = new Set(hit.filter((one) => (one.label ? isMixed(one) : unnamed.every(isMixed))).map(testOf))

  const tests = new Map<string | undefined, string>()
  const failed = failedIn(all).length > 0 ? failedIn(all).map(testOf) : hit.map(testOf)
  const mayBeTheirs =
    child.failure !== undefined && !child.wasCutOff && failed.every((test) => mixed.has(test))
  if (mayBeTheirs) for (const test of failed) tests.set(test, child.failure!)
  const differences = compareMoney(yardstick, moneyOfAll(all)).differences
  for (const one of differences) if (mixed.has(one.test)) tests.set(one.test, differenceText(one))
  for (const one of differences) if (isMovedTwice(one)) tests.delete(one.test)
  const isFailure = mayBeTheirs && failed.length > 0 && failed.every((test) => tests.has(test))
  return { tests, isFailure }
}

/** The trails of the sandboxes in which something went wrong; where there are none, of those in which the trouble acted. */
function trailOf(all: readonly TellingFacts[], { orders }: Judged): Trail {
  const isWrong = (one: TellingFacts) =>
    one.label?.failed || one.conduct.errors > 0 || orders.some(({ test }) => test === testOf(one))
  const wrong = all.filter(isWrong)
  const shown = (wrong.length > 0 ? wrong : all.filter((one) => firedInAll([one]) > 0)).slice(0, TRAILS_SHOWN)
  return joinedTrail(shown.map((one) => ({ test: testOf(one), trail: one.details().trail })))
}

const TRAILS_SHOWN = 5

/** The stories of all orders in the sandboxes of the same test. */
const storiesOf = (all: readonly TellingFacts[], { test }: OrderDifference) =>
  all.filter((one) => testOf(one) === test).map((one) => one.details().stories)
