/** The request to the tester's API for each verb of a `sim` step. */

import type { SimFields, SimStep } from '../../sandbox/scenario-file/step.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { type VerbRequest, verbRequest } from '../../tester/control/verb.ts'
import { SANDBOX_VERBS } from '../../tester/control/verbs.ts'
import type { Control } from './control.ts'

/** How long a gate is given to hold its first request. */
const HELD_WITHIN = '10s'

type Sim = SimStep['sim']
type KeysOf<Union> = Union extends unknown ? keyof Union : never
type Word = Exclude<KeysOf<Sim>, SimFields>
type ValueOf<Key extends Word> = Extract<Sim, Record<Key, unknown>>[Key]

const { clock, ...sandbox } = SANDBOX_VERBS

/** `fields` are the other fields of the step, beside the verb. */
const COMMANDS: { [Key in Word]: (value: ValueOf<Key>, fields: object) => VerbRequest } = {
  advance: (by) => verbRequest(clock.advance, formatDuration(by)),
  set: (to) => verbRequest(clock.set, to),
  freeze: () => verbRequest(clock.freeze),
  resume: () => verbRequest(clock.resume),
  settle: (within) => verbRequest(sandbox.settle, { within: formatDuration(within), held: false }),
  held: (gate) => verbRequest(sandbox.held, gate, { within: HELD_WITHIN }),
  release: (gate) => verbRequest(sandbox.release, gate),
  arm: (behaviors) => verbRequest(sandbox.arm, behaviors),
  disarm: (id) => verbRequest(sandbox.disarm, id === 'all' ? undefined : id),
  reset: (what) => verbRequest(sandbox.reset, what === true ? {} : { what }),
  approve: (checkout, fields) => verbRequest(sandbox.buyer.approve, checkout, fields),
  decline: (checkout, fields) => verbRequest(sandbox.buyer.decline, checkout, fields),
  attach: (customer, fields) => verbRequest(sandbox.paymentMethods.attach, customer, fields),
  complete: (refund) => verbRequest(sandbox.refunds.complete, refund),
}

export function simRequest(sim: Sim): VerbRequest {
  const word = Object.keys(sim).find((name) => Object.hasOwn(COMMANDS, name)) as Word
  const { [word]: value, ...fields } = sim as Record<string, unknown>
  return COMMANDS[word](value as never, fields)
}

/** Verbs whose effect takes real time at a service without a tester's API. */
export const movesTime = (sim: Sim): boolean =>
  ['advance', 'set', 'resume', 'settle', 'complete'].some((word) => word in sim)

export async function isClockFrozen(control: Control): Promise<boolean> {
  return (await control.must(verbRequest(clock.read))).frozen === true
}

export const advanceClock = (control: Control, ms: number): Promise<unknown> =>
  control.must(simRequest({ advance: ms }))
