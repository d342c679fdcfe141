/** Scripted trouble as a tester handles it. */
import { z } from 'zod'
import type { BehaviorEngine } from '../behaviors/engine.ts'
import type { WaitingRequest } from '../behaviors/held-requests.ts'
import { duration } from '../config.ts'
import { formatDuration } from '../contract/duration.ts'
import { notSettled } from '../contract/errors.ts'
import { within } from '../world/clock.ts'
import { type BehaviorDescription, HeldRequest } from './shapes.ts'
import { PATIENCE } from './waiting.ts'

export type BehaviorControls = Pick<
  BehaviorEngine,
  'arm' | 'replace' | 'list' | 'disarm' | 'reset' | 'release' | 'held' | 'whenHeld' | 'backgroundResults'
>

/** The armed ones in their order, with their counters. */
export const describeBehaviors = (behaviors: BehaviorControls): BehaviorDescription[] =>
  behaviors.list().map(({ id, explained, matched, fired, left, lastMiss }) => ({
    id,
    explained,
    matched,
    fired,
    left,
    lastMiss,
  }))

export const releaseGate = (behaviors: BehaviorControls, gate: string): HeldRequest[] =>
  told(behaviors.release(gate))

/** The requests that stand at a gate now, whichever it is. */
export const heldNow = (behaviors: BehaviorControls): HeldRequest[] => told(behaviors.held())

/** Resolves once a request stands at the gate. */
export async function waitForHeld(
  behaviors: BehaviorControls,
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

const told = (held: WaitingRequest[]): HeldRequest[] =>
  z.encode(
    z.array(HeldRequest),
    held.map(({ gate, ...rest }) => ({ ...rest, gate: gate ?? '' })),
  )
