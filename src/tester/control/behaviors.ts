/** Arms, lists and disarms behaviors, and releases held requests. */
import { z } from 'zod'
import type { BehaviorEngine } from '../../sandbox/behaviors/engine.ts'
import type { WaitingRequest } from '../../sandbox/behaviors/held-requests.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { gateNotFound, notSettled } from '../../spec/contract/errors.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { within } from '../../spec/world/clock.ts'
import { Waiting, type WaitOptions } from './inputs.ts'
import { readParameters } from './read-input.ts'
import { DEFAULT_WITHIN_MS } from './settle.ts'
import { BehaviorDescription, BehaviorTrace, HeldRequest } from './shapes.ts'

/** The armed behaviors in order, with their counters. */
export const describeBehaviors = ({ armed }: BehaviorEngine): BehaviorDescription[] =>
  z.encode(z.array(BehaviorDescription), [...armed.list()])

/** From first to last. */
export const backgroundResults = (behaviors: BehaviorEngine): BehaviorTrace[] =>
  z.encode(z.array(BehaviorTrace), [...behaviors.backgroundResults.list()])

/** Refuses an unknown gate: with a misspelled name, the requests at the right one would wait forever. */
export function releaseGate(behaviors: BehaviorEngine, gate: string): HeldRequest[] {
  if (!behaviors.gates().has(gate)) throw gateNotFound(gate, didYouMean(gate, behaviors.gates()))
  return describeHeld(behaviors.release(gate))
}

/** The requests that any gate is holding. */
export const heldNow = (behaviors: BehaviorEngine): HeldRequest[] =>
  describeHeld(behaviors.heldRequests.heldAt())

/** Resolves once the gate holds a request. */
export async function waitForHeld(
  behaviors: BehaviorEngine,
  gate: string,
  given: WaitOptions,
): Promise<HeldRequest[]> {
  const { within: patienceMs = DEFAULT_WITHIN_MS } = readParameters(Waiting, given)
  const waiting = new AbortController()
  const held = behaviors.heldRequests.whenHeld(gate, waiting.signal).catch(() => undefined)
  const found = await within(patienceMs, held, undefined)
  waiting.abort()
  if (!found) {
    const gates = behaviors.gates()
    const unknown = gates.has(gate) ? '' : `, which no armed behavior names${didYouMean(gate, gates)}`
    throw notSettled(`No request came to ${gate} within ${formatDuration(patienceMs)}${unknown}`, {})
  }
  return describeHeld(found)
}

const describeHeld = (held: WaitingRequest[]): HeldRequest[] =>
  z.encode(
    z.array(HeldRequest),
    held.map(({ gate, ...rest }) => ({ ...rest, gate: gate ?? '' })),
  )
