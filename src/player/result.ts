/** What playing came to: what is printed, reported and compared is made from this. */
import type { MatchDifference } from '../scenario-file/matcher.ts'
import type { PlayedRequest, ReceivedAnswer } from './wire.ts'

export type StepOutcome = 'passed' | 'failed' | 'skipped'

export interface StepResult {
  /** Its place: `3`, or `3.1` for the first step inside the third. */
  place: string
  id: string | undefined
  /** Whether it was taken at once with others, so that chance says which of them came first. */
  together: boolean
  /** What the step does, as it is written. */
  label: string
  outcome: StepOutcome
  /** What came of it, in a word or two. */
  saw: string
  /** Why it was skipped or could not be taken. */
  reason: string | undefined
  tookMs: number
  request: PlayedRequest | undefined
  expected: unknown
  received: readonly ReceivedAnswer[]
  differences: readonly MatchDifference[]
}

export interface FileResult {
  file: string
  name: string
  outcome: StepOutcome
  reason: string | undefined
  steps: readonly StepResult[]
  /** How many steps the file has, played or not. */
  stepCount: number
  /** Behaviors that were armed and never acted. */
  unfired: readonly string[]
  tookMs: number
}
