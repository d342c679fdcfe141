/** Scripted trouble as a tester handles it. What a behavior is, and what arms it, is no concern of this side. */
import { invalidField } from '../contract/errors.ts'
import type { ArmedBehavior } from './shapes.ts'

export interface Behaviors {
  /** Reads a scenario, or behaviors, and arms them after those that are armed already. */
  arm(given: unknown): void
  /** The armed ones in their order, with their counters. */
  list(): ArmedBehavior[]
  /** Takes one back, or all of them; false when there is none of that id. */
  disarm(id?: string): boolean
  /** Lets go the requests that a gate holds; their ids. */
  release(gate: string): string[]
}

export const noBehaviors: Behaviors = {
  arm() {
    throw invalidField('behaviors', 'cannot be armed here')
  },
  list: () => [],
  disarm: (id) => id === undefined,
  release: () => [],
}
