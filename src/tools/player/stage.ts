/** What the steps of a scenario share while it is played. */
import type { ScenarioStep } from '../../sandbox/scenario-file/step.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import type { Translation } from '../../spec/contract/translation.ts'
import type { Buyer } from './buyer.ts'
import type { Control } from './control.ts'
import type { Receiver } from './receiver.ts'
import type { StepResult } from './result.ts'
import { NotPossible, type Variables } from './variables.ts'
import type { PlayedExchange, Sent } from './wire.ts'

/** How long and how often a call is repeated, in milliseconds. */
export interface Patience {
  within: number
  every: number
}

/** The place of a step in the file, and the list for its result. */
export interface StepPosition {
  place: string
  results: StepResult[]
  signal?: AbortSignal | undefined
  together?: boolean
  repeated?: boolean
}

/** The names that a service uses: those of a profile, or those learned while it is played. */
export interface ServiceWords {
  /** Undefined if the service uses the default names, as the steps do. */
  readonly words: Translation | undefined
  /** Called with each raw response before parsing: it may reveal more names. */
  hear?(heard: HeardResponse): void
}

export interface HeardResponse {
  /** Of the step. */
  place: string
  /** The request in default names; `sentTo` is the path and query that were sent. */
  asked: Sent
  sentTo: string
  exchange: PlayedExchange
}

export interface Stage {
  base: URL
  apiKey: string
  /** Undefined for a service without a tester's API. */
  control: Control | undefined
  /** Undefined if the scenario cannot receive webhooks. */
  receiver: Receiver | undefined
  /** Why a call must not be sent to a shared service. Checked after captured values are filled in. */
  refusal?: ((call: string) => string | undefined) | undefined
  service: ServiceWords
  /** The contract for refusing an unknown API key. */
  unknownKey: Contract
  variables: Variables
  onStep(result: StepResult): void
  keepGoing: boolean
  /** How long a service without a tester's API may take to reach what moving the clock would have caused. */
  patience: Patience
  /** Prints that a service's rate limit makes the run wait. */
  say?: ((line: string) => void) | undefined
  /** By checkout id. */
  readonly buyers: Map<string, Buyer>
  /** True after a skipped step that would have moved the clock: the next request is retried until its response matches. */
  timeMoved: boolean
  /** Runs an inner step. */
  run(step: ScenarioStep, position: StepPosition): Promise<StepResult>
}

/** The tester's API; without one, the step is skipped. */
export function testersApi({ control }: Stage, whySkipped: string): Control {
  if (!control) throw new NotPossible(whySkipped)
  return control
}
