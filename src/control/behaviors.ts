/** Scripted trouble as a tester handles it. What a behavior is, and what arms it, is no concern of this side. */
import { z } from 'zod'
import { duration } from '../config.ts'
import { formatDuration } from '../contract/duration.ts'
import { invalidField, notSettled } from '../contract/errors.ts'
import { within } from '../world/clock.ts'
import { type ArmedBehavior, HeldRequest } from './shapes.ts'
import { PATIENCE } from './waiting.ts'

export interface Behaviors {
  /** Reads a scenario, as text or as an object, and arms its behaviors after those that are armed already. */
  arm(scenario: unknown): void
  /** The same, with no others; what cannot be read leaves those that are armed. */
  replace(scenario: unknown): void
  /** The armed ones in their order, with their counters. */
  list(): ArmedBehavior[]
  /** Takes one back, or all of them; false when there is none of that id. */
  disarm(id?: string): boolean
  /** Lets go the requests that stand at a gate. */
  release(gate: string): Held[]
  /** Resolves once a request stands at the gate; rejects with the signal. */
  whenHeld(gate: string, signal: AbortSignal): Promise<Held[]>
}

interface Held {
  request: string
  gate: string | undefined
  since: number
}

const refuse = () => {
  throw invalidField('behaviors', 'cannot be armed here')
}

export const noBehaviors: Behaviors = {
  arm: refuse,
  replace: refuse,
  list: () => [],
  disarm: (id) => id === undefined,
  release: () => [],
  whenHeld: (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
}

export const release = (behaviors: Behaviors, gate: string): HeldRequest[] => told(behaviors.release(gate))

/** Resolves once a request stands at the gate. */
export async function held(
  behaviors: Behaviors,
  gate: string,
  patience: string | number = PATIENCE,
): Promise<HeldRequest[]> {
  const patienceMs = duration(patience, 'within')
  const waiting = new AbortController()
  const standing = behaviors.whenHeld(gate, waiting.signal).catch(() => undefined)
  const found = await within(patienceMs, standing, undefined)
  waiting.abort()
  if (!found) throw notSettled(`No request came to ${gate} within ${formatDuration(patienceMs)}`, {})
  return told(found)
}

const told = (held: Held[]): HeldRequest[] =>
  z.encode(
    z.array(HeldRequest),
    held.map(({ gate, ...rest }) => ({ ...rest, gate: gate ?? '' })),
  )
