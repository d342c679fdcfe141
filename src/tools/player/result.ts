/** The results of playing, which the output, the reports and the comparison are made from. */
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
  /** Whether it ran concurrently with others, so that the order of their effects is random. */
  together: boolean
  /** Whether it is inside an `each` or a `use`, whose steps are shown only if they do not pass. */
  repeated: boolean
  /** A one-line description. */
  label: string
  outcome: CheckOutcome
  /** What was received, in a word or two. */
  saw: string
  /** Why it was skipped, or the error that made it fail. */
  reason: string | undefined
  /** Wall-clock time in ISO 8601. */
  startedAt: string
  tookMs: number
  /** What was sent to the service; undefined for a tester's step. */
  request: Sent | undefined
  expected: unknown
  received: readonly PlayedExchange[]
  differences: readonly StepDifference[]
}

export interface StepDifference extends MatchDifference {
  /** If the difference is in one of several responses: its index, and the path inside it. */
  inAnswer?: { index: number; path: string }
  /** If the difference is in an inner step: that step, and the item it ran with. */
  inner?: { place: string; item: string }
}

export const isInner = ({ place }: Pick<StepResult, 'place'>): boolean => place.includes('.')

/** What a step sent and received: several exchanges if it sent concurrent requests. */
export const exchangesOfStep = ({ request, received }: StepResult): Exchange[] =>
  request === undefined
    ? []
    : received.map((exchange) => ({ ...exchange, asked: withSingleValues(exchange.asked) }))

export const isShown = ({ repeated, outcome }: StepResult): boolean => !repeated || outcome !== 'passed'

/** The result of a step without its name, place and time. */
export type StepFindings = Pick<StepResult, 'saw'> &
  Partial<Pick<StepResult, 'request' | 'expected' | 'received' | 'differences'>>

export interface FileResult {
  file: string
  /** Includes the name of the case, if the file has cases. */
  name: string
  case?: string | undefined
  outcome: CheckOutcome
  reason: string | undefined
  steps: readonly StepResult[]
  /** The number of steps in the file, played or not. */
  stepCount: number
  /** The behaviors that were armed and never acted, with their nearest misses. */
  unfired: readonly Unfired[]
  /** Wall-clock time in ISO 8601. */
  startedAt: string
  tookMs: number
  /** The random seed, if the file sets none; undefined otherwise. */
  seed?: number | undefined
  /** The profile of the service it was played at, as far as it is known. */
  profile?: ProfileChanges | undefined
  /** The sandbox's journal as text, if a report shows it. */
  journal?: string | undefined
}

/** How many steps were skipped, and of how many. For an `each`, `use` or `parallel`, the steps inside are counted. */
export function skippedSteps({ steps, stepCount }: Pick<FileResult, 'steps' | 'stepCount'>) {
  const outer = new Set(steps.map(({ place }) => place.slice(0, Math.max(0, place.lastIndexOf('.')))))
  // A call with `meanwhile` steps counts in addition to them.
  const single = steps.filter(({ place, request }) => request !== undefined || !outer.has(place))
  const notPlayed = stepCount - steps.filter((step) => !isInner(step)).length
  return {
    count: single.filter(({ outcome }) => outcome === 'skipped').length,
    of: single.length + notPlayed,
  }
}

/** Such as `3 of 4 steps were skipped`, for all files together; undefined if none was skipped. */
export function skippedText(results: readonly Pick<FileResult, 'steps' | 'stepCount'>[]): string | undefined {
  const all = results.map(skippedSteps)
  const count = all.reduce((sum, file) => sum + file.count, 0)
  const of = all.reduce((sum, file) => sum + file.of, 0)
  return count === 0
    ? undefined
    : `${count} of ${counted(of, 'step')} ${count === 1 ? 'was' : 'were'} skipped`
}

/** Such as `2 passed (3 of 40 steps were skipped)` and `1 failed`. */
export const outcomeCounts = (results: readonly FileResult[]): [outcome: CheckOutcome, text: string][] =>
  (['passed', 'failed', 'skipped'] as const).flatMap((outcome) => {
    const those = results.filter((result) => result.outcome === outcome)
    if (those.length === 0) return []
    const skipped = outcome === 'passed' ? skippedText(those) : undefined
    return [[outcome, `${those.length} ${outcome}${skipped ? ` (${skipped})` : ''}`]]
  })
