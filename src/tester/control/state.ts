/** The state of a sandbox as a value: reset, saved under a name, restored, copied to another sandbox. */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { writeRandom } from '../../service/store/settings.ts'
import type { DatabaseSource } from '../../service/store/source.ts'
import { notFound } from '../../spec/contract/errors.ts'
import { RESET_KINDS } from '../../spec/contract/tester.ts'
import type { Fixture } from '../../spec/options/fixture.ts'
import { copiedOptions, DEFAULT_SANDBOX, type SandboxOptions } from '../../spec/options/sandbox.ts'
import { sandboxName } from '../../spec/options/values.ts'
import { Reset, type ResetOptions } from './inputs.ts'
import { requireShape } from './read-input.ts'
import { runUnit } from './run-unit.ts'
import type { SnapshotDescription } from './shapes.ts'

/** The whole database, with the current state of the clock and the generator. */
export function presentState(internals: Sandbox): DatabaseSource {
  runUnit(internals, ({ store, services }) => writeRandom(store.settings, services.parts.random))
  // Gets the store each time, because it may have fallen asleep since.
  return {
    bytes: () => internals.committedStore().source.bytes(),
    writeTo: (file) => internals.committedStore().source.writeTo(file),
  }
}

/** The key, the settings and the webhook endpoint stay; the same seed then makes the same ids again. */
export function reset(internals: Sandbox, given: ResetOptions): void {
  requireShape(Reset, given)
  const { agenda, clock, rateLimit, behaviors, initialClock, webhooks } = internals
  const chosen = new Set(given.what ?? RESET_KINDS)
  if (chosen.has('state')) {
    const clockAfter = chosen.has('clock') ? initialClock : clock.state()
    internals.exchange(undefined, { clock: clockAfter, webhook: webhooks.ownEndpoint ?? null })
  } else if (chosen.has('clock')) {
    clock.restore(initialClock)
    runUnit(internals, () => {})
    agenda.clockPutBack()
  }
  if (chosen.has('behaviors')) behaviors.reset()
  if (chosen.has('journal')) internals.clearJournal()
  if (chosen.has('limits')) rateLimit.reset()
}

/** Default name: the next free number. */
export function takeSnapshot(internals: Sandbox, given: string | undefined): SnapshotDescription {
  const name = given === undefined ? nextName(internals) : sandboxName(given)
  return { name, bytes: internals.snapshots.put(name, presentState(internals)) }
}

function nextName({ snapshots }: Sandbox): string {
  const taken = new Set(snapshots.list().map(({ name }) => name))
  for (let number = 1; ; number += 1) {
    if (!taken.has(`snapshot-${number}`)) return `snapshot-${number}`
  }
}

export const restore = (internals: Sandbox, name: string): void =>
  internals.exchange(findSnapshot(internals, name))

function findSnapshot({ snapshots }: Sandbox, name: string): DatabaseSource {
  const found = snapshots.find(name)
  if (!found) throw notFound('Snapshot')
  return found
}

/** What a sandbox can start from: another sandbox's current state, a snapshot, or seed data. */
export type Source =
  | string
  | { readonly name: string; readonly apiKey: string }
  | { sandbox?: string | undefined; snapshot: string }
  | { fixture: Fixture }

/** A text for a source, the same for equal sources. Seed data is hashed. */
export function sourceText(source: Source): string {
  if (typeof source === 'string') return `sandbox ${source}`
  if ('apiKey' in source) return `sandbox ${source.name}`
  if ('fixture' in source) {
    const hash = createHash('sha256').update(JSON.stringify(source.fixture)).digest('hex')
    return `fixture ${hash}`
  }
  return `snapshot ${source.snapshot} of ${source.sandbox ?? DEFAULT_SANDBOX}`
}

/** `{ name, apiKey }` identifies a sandbox object: these two fields distinguish it from the other forms. */
const StartFrom = z.union(
  [
    z.string(),
    z.object({ name: z.string(), apiKey: z.string() }),
    z.strictObject({ sandbox: z.string().optional(), snapshot: z.string() }),
    z.strictObject({ fixture: z.unknown() }),
  ],
  'must be the name of a sandbox, { sandbox, snapshot } or { fixture }',
)

/** The database to start from, and its options, which the request may override. */
export function readSource(
  source: Source,
  find: (name: string) => Sandbox,
): { from?: DatabaseSource; options?: SandboxOptions } {
  requireShape(z.object({ from: StartFrom }), { from: source })
  if (typeof source === 'string' || 'apiKey' in source) {
    const sandbox = find(typeof source === 'string' ? source : source.name)
    return { from: presentState(sandbox), options: copiedOptions(sandbox.config) }
  }
  if ('fixture' in source) return { options: { fixture: source.fixture } }
  const sandbox = find(source.sandbox ?? DEFAULT_SANDBOX)
  return { from: findSnapshot(sandbox, source.snapshot), options: copiedOptions(sandbox.config) }
}

export function removeSnapshot(internals: Sandbox, name: string): void {
  findSnapshot(internals, name)
  internals.snapshots.remove(name)
}
