/** Behaviors as written in code. */
import type { Written } from '../../spec/contract/written.ts'
import type { Behavior } from './behavior.ts'

/** A fault: when it acts, how often, and what it does. Only `do` is required. */
export type Armable = Written<typeof Behavior>

/** The input of `arm`: one behavior, a list of them, or an object with `behaviors`, such as a scenario. */
export type BehaviorInput = Armable | readonly Armable[] | ArmableScenario

interface ArmableScenario {
  /** What happens, in one line. */
  readonly name?: string | undefined
  /** The bug that it reveals in a client. */
  readonly why?: string | undefined
  /** What the environment does. */
  readonly behaviors?: readonly Armable[] | undefined
}
