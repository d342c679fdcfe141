/** The parts of a sandbox that its verbs work on. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Browse } from './browse.ts'
import { Waiting } from './inputs.ts'
import { verbsOf } from './route.ts'

/** What a verb works on. */
export interface Steered {
  /** Its name at the address of the tester's request. */
  readonly name: string
  readonly internals: Sandbox
  readonly browse: Browse
  /** Removes the sandbox. */
  remove(): void
}

export const { verb, methodOnly, routeOnly } = verbsOf<Steered>()

/** `within` in a query: only a text with a unit, because a plain number would be a text without one. */
export const WaitingText = Waiting.extend({
  within: z.string().optional().meta({ description: 'How long to wait, in real time', example: '5s' }),
})
