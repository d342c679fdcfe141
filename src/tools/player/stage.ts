/** What the steps of a scenario share while it is played. */
import type { ScenarioStep } from '../../sandbox/scenario-file/step.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import type { Buyer } from './buyer.ts'
import type { Control } from './control.ts'
import type { Receiver } from './receiver.ts'
import type { ServiceWords } from './request.ts'
import type { RequestPace } from './request-pace.ts'
import type { StepResult } from './result.ts'
import { NotPossible, type Variables } from './variables.ts'

export interface PlayContext {
  base: URL
  apiKey: string
  /** Undefined at a service without a tester's API. */
  control: Control | undefined
  /** Undefined where no webhook of the scenario can arrive. */
  receiver: Receiver | undefined
  /** Set at a service whose rate limit cannot be changed. */
  pace?: RequestPace | undefined
  /** Why a call must not be sent to a service that others use, checked with its captured values. */
  refusal?: ((call: string) => string | undefined) | undefined
  service: ServiceWords
  /** By which the service refuses an unknown key. */
  unknownKey: Contract
}

/** How often a call is repeated, in milliseconds. */
export interface Patience {
  within: number
  every: number
}

export interface RunOptions {
  variables: Variables
  /** Called with every step as it ends. */
  onStep(result: StepResult): void
  /** Continues after a failed step. */
  keepGoing: boolean
  /** How long a service without a tester's API may take for what a moved clock would have caused. */
  patience: Patience
}

/** Where a step is in the file, and the list that its result is added to. */
export interface StepPosition {
  place: string
  results: StepResult[]
  signal?: AbortSignal | undefined
  together?: boolean
  repeated?: boolean
}

export interface Stage extends PlayContext, RunOptions {
  /** By the ids of their checkouts. */
  readonly buyers: Map<string, Buyer>
  /**
   * True after a skipped step that would have moved the clock: the next request is retried until it is
   * answered as expected.
   */
  timeMoved: boolean
  /** Runs a step inside of another one. */
  run(step: ScenarioStep, position: StepPosition): Promise<StepResult>
}

/** The tester's API; without one, the step is skipped. */
export function testersApi({ control }: Stage, whySkipped: string): Control {
  if (!control) throw new NotPossible(whySkipped)
  return control
}
