/** Every fault by the word that names it in a behavior's `do`. */
import { type Do, type FaultVerb, verbOf } from '../../scenario-file/do.ts'
import { connection } from './connection.ts'
import type { Fault, FaultServices, PreparedFault } from './fault.ts'
import { forward } from './forward.ts'
import { decision, transition } from './outcomes.ts'
import { rateLimit } from './rate-limit.ts'
import { respond } from './respond.ts'
import { delay, hold } from './waiting.ts'
import { webhook } from './webhook.ts'

export const FAULTS: { readonly [Verb in FaultVerb]: Fault<Verb> } = {
  respond,
  delay,
  hold,
  fault: connection,
  rateLimit,
  forward,
  transition,
  webhook,
  decision,
}

export const faultOf = (words: Do): Fault<FaultVerb> => FAULTS[verbOf(words)]

export const prepareFault = (words: Do, services: FaultServices): PreparedFault =>
  faultOf(words).prepare(words, services)
