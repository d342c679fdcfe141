/** Everything that a behavior can do: the list is closed, and each entry is a file of its own. */
import type { Do } from '../behavior.ts'
import { connection } from './connection.ts'
import { delay } from './delay.ts'
import type { Act, Fault, Stage } from './fault.ts'
import { hold } from './hold.ts'
import { rateLimit } from './rate-limit.ts'
import { respond } from './respond.ts'

export const FAULTS = { respond, delay, hold, fault: connection, rateLimit } as const

export type Verb = keyof typeof FAULTS

export const verbOf = (words: Do): Verb => Object.keys(FAULTS).find((verb) => verb in words) as Verb

export function prepare(words: Do, stage: Stage): Act {
  const fault: Fault<never> = FAULTS[verbOf(words)]
  return fault.prepare(words as never, stage)
}
