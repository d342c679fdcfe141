/** The results of playing, from which the output, the reports and the comparison are made. */
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import type { Unfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import { counted } from '../../spec/contract/counted.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import type { Exchange } from '../../spec/exchange.ts'
import type { CheckOutcome } from '../checks/check.ts'
import { type PlayedExchange, type Sent, withSingleValues } from './wire.ts'

export interface StepResult {
  /** Its place in the file: `3`, or `3.1` for the first step inside the third. */
  place: string
  id: string | undefined
  /** Whether it ran at once with others, so that the order of their effects is random. */
  together: boolean
  /** Whether it is one of the steps of an `each` or a `use`, which are shown only when they do not pass. */
  repeated: boolean
  /** What the step does, in one line. */
  label: string
  outcome: CheckOutcome
  /** What was received, in one or two words. */
  saw: string
  /** Why it was skipped, or the error that made it fail. */
  reason: string | undefined
  /** On the machine's clock, in ISO 8601. */
  startedAt: string
  tookMs: number
  /** What was sent to the service; undefined for a step of the tester's. */
  request: Sent | undefined
  expected: unknown
  received: readonly PlayedExchange[]
  differences: readonly StepDifference[]
}

export interface StepDifference extends MatchDifference {
  /** If the path begins with the number of one of several answers: its index, and the path in it. */
  inAnswer?: { index: number; path: string }
  /** If it is about a step inside this one: that step, and the item that it was run with. */
  inner?: { place: string; item: string }
}

/** Whether it is a step of a step. */
export const isInner = ({ place }: Pick<StepResult, 'place'>): boolean => place.includes('.')

/** What a step sent to the service and received: several where it asked several times at once. */
export const exchangesOfStep = ({ request, received }: StepResult): Exchange[] =>
  request === undefined ? [] : received.map((one) => ({ ...one, asked: withSingleValues(one.asked) }))

/** Passed steps of an `each` or a `use` are not shown. */
export const isShown = ({ repeated, outcome }: StepResult): boolean => !repeated || outcome !== 'passed'

/** The result of a step without its name, place and time. */
export type StepFindings = Pick<StepResult, 'saw'> &
  Partial<Pick<StepResult, 'request' | 'expected' | 'received' | 'differences'>>

export interface FileResult {
  file: string
  /** With the name of the case, where the file has cases. */
  name: string
  case: string | undefined
  outcome: CheckOutcome
  reason: string | undefined
  steps: readonly StepResult[]
  /** How many steps the file has, played or not. */
  stepCount: number
  /** The behaviors that were armed and never acted, and what came nearest. */
  unfired: readonly Unfired[]
  /** On the machine's clock, in ISO 8601. */
  startedAt: string
  tookMs: number
  /** The seed that was drawn, if the file states none; undefined otherwise. */
  seed: number | undefined
  /** Of the service where it was played, as far as it is known. */
  profile: ProfileChanges | undefined
  /** The sandbox's journal as text, if a report shows it. */
  journal: string | undefined
}

/** How many steps were skipped, of how many. An `each`, `use` or `parallel` counts as the steps in it. */
export function skippedSteps({ steps, stepCount }: Pick<FileResult, 'steps' | 'stepCount'>) {
  const outer = new Set(steps.map(({ place }) => place.slice(0, Math.max(0, place.lastIndexOf('.')))))
  // A call with `meanwhile` steps counts as a step of its own.
  const single = steps.filter(({ place, request }) => request !== undefined || !outer.has(place))
  const notPlayed = stepCount - steps.filter((step) => !isInner(step)).length
  return {
    count: single.filter(({ outcome }) => outcome === 'skipped').length,
    of: single.length + notPlayed,
  }
}

/** Such as `3 of 4 steps were skipped`, in all these files together; undefined where none was. */
export function skippedText(results: readonly Pick<FileResult, 'steps' | 'stepCount'>[]): string | undefined {
  const all = results.map(skippedSteps)
  const count = all.reduce((sum, one) => sum + one.count, 0)
  const of = all.reduce((sum, one) => sum + one.of, 0)
  return count === 0
    ? undefined
    : `${count} of ${counted(of, 'step')} ${count === 1 ? 'was' : 'were'} skipped`
}

/** Such as `2 passed (3 of 40 steps were skipped)` and `1 failed`. */
export const outcomeCounts = (results: readonly FileResult[]): [outcome: CheckOutcome, text: string][] =>
  (['passed', 'failed', 'skipped'] as const).flatMap((outcome) => {
    const those = results.filter((one) => one.outcome === outcome)
    if (those.length === 0) return []
    const skipped = outcome === 'passed' ? skippedText(those) : undefined
    return [[outcome, `${those.length} ${outcome}${skipped ? ` (${skipped})` : ''}`]]
  })
