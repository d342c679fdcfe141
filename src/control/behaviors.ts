/** Scripted trouble as a tester handles it. */
import { z } from 'zod'
import { duration } from '../config.ts'
import { formatDuration } from '../contract/duration.ts'
import { notSettled } from '../contract/errors.ts'
import type { Parked } from '../scenarios/parking.ts'
import type { Scenarios } from '../scenarios/scenarios.ts'
import { within } from '../world/clock.ts'
import { type ArmedBehavior, HeldRequest } from './shapes.ts'
import { PATIENCE } from './waiting.ts'

export type Behaviors = Pick<
  Scenarios,
  'arm' | 'replace' | 'list' | 'disarm' | 'reset' | 'release' | 'held' | 'whenHeld' | 'deeds'
>

/** The armed ones in their order, with their counters. */
export const armed = (behaviors: Behaviors): ArmedBehavior[] =>
  behaviors.list().map(({ id, explained, matched, fired, left, lastMiss }) => ({
    id,
    explained,
    matched,
    fired,
    left,
    lastMiss,
  }))

export const release = (behaviors: Behaviors, gate: string): HeldRequest[] => told(behaviors.release(gate))

/** The requests that stand at a gate now, whichever it is. */
export const heldNow = (behaviors: Behaviors): HeldRequest[] => told(behaviors.held())

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

const told = (held: Parked[]): HeldRequest[] =>
  z.encode(
    z.array(HeldRequest),
    held.map(({ gate, ...rest }) => ({ ...rest, gate: gate ?? '' })),
  )
