/** The state of a sandbox as a value: reset, saved under a name, restored, copied to another sandbox. */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { writeRandom } from '../../service/store/settings.ts'
import type { DatabaseSource } from '../../service/store/source.ts'
import { found } from '../../spec/contract/errors.ts'
import { RESET_KINDS, text } from '../../spec/contract/tester.ts'
import { Fixture } from '../../spec/options/fixture.ts'
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

const findSnapshot = ({ snapshots }: Sandbox, name: string): DatabaseSource =>
  found(snapshots.find(name), 'Snapshot')

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

/** Any object as a fixture: a wrong one is refused while seeding, with an error that names the item. */
export const AnyFixture = z.union([Fixture, z.record(z.string(), z.unknown())])

/** The forms of a source that JSON has. */
export const SourceBody = z.union(
  [
    z.string(),
    z.strictObject({ sandbox: text.optional(), snapshot: text }),
    z.strictObject({ fixture: AnyFixture }),
  ],
  'must be the name of a sandbox, { sandbox, snapshot } or { fixture }',
)

/** The database to start from, and its options, which the request may override. */
export function readSource(
  source: Source,
  find: (name: string) => Sandbox,
): { from?: DatabaseSource; options?: SandboxOptions } {
  const from = typeof source === 'object' && 'apiKey' in source ? source.name : source
  requireShape(z.object({ from: SourceBody }), { from })
  if (typeof from === 'string') {
    const sandbox = find(from)
    return { from: presentState(sandbox), options: copiedOptions(sandbox.config) }
  }
  if ('fixture' in from) return { options: { fixture: from.fixture } }
  const sandbox = find(from.sandbox ?? DEFAULT_SANDBOX)
  return { from: findSnapshot(sandbox, from.snapshot), options: copiedOptions(sandbox.config) }
}

export function removeSnapshot(internals: Sandbox, name: string): void {
  findSnapshot(internals, name)
  internals.snapshots.remove(name)
}
