/** Everything that a behavior can do: the list is closed, and each entry is a file of its own. */
import type { Do } from '../behavior.ts'
import { connection } from './connection.ts'
import { decision } from './decision.ts'
import { delay } from './delay.ts'
import type { Act, Fault, Stage } from './fault.ts'
import { hold } from './hold.ts'
import { rateLimit } from './rate-limit.ts'
import { respond } from './respond.ts'
import { transition } from './transition.ts'
import { webhook } from './webhook.ts'

export const FAULTS = {
  respond,
  delay,
  hold,
  fault: connection,
  rateLimit,
  transition,
  webhook,
  decision,
} as const

export type Verb = keyof typeof FAULTS

export const verbOf = (words: Do): Verb => Object.keys(FAULTS).find((verb) => verb in words) as Verb

export const faultOf = (words: Do): Fault<never> => FAULTS[verbOf(words)]

export const prepare = (words: Do, stage: Stage): Act => faultOf(words).prepare(words as never, stage)
