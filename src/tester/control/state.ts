/** The state of a sandbox as a value: reset, saved under a name, restored, copied to another sandbox. */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isRemembered } from '../../sandbox/behaviors/remembered-values.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { inMemoryForm } from '../../service/store/database.ts'
import { writeRandom } from '../../service/store/settings.ts'
import { bytesSource, type DatabaseSource } from '../../service/store/source.ts'
import { Database } from '../../service/store/sqlite.ts'
import { type SettingSchemas, whyNoSnapshot } from '../../service/store/uploaded.ts'
import { invalidSnapshot, notFound } from '../../spec/contract/errors.ts'
import { CLOCK_MAX_MS, TESTER_LIMITS } from '../../spec/contract/limits.ts'
import { RESET_KINDS } from '../../spec/contract/tester.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import type { Fixture } from '../../spec/options/fixture.ts'
import { copiedOptions, DEFAULT_SANDBOX, type SandboxOptions } from '../../spec/options/sandbox.ts'
import { EventPatterns, HttpUrl, SigningSecret, sandboxName } from '../../spec/options/values.ts'
import { Reset, type ResetOptions } from './inputs.ts'
import { requireShape } from './read-input.ts'
import { runUnit } from './run-unit.ts'
import type { SnapshotDescription } from './shapes.ts'

/** The whole database, with the clock and the generator as they are now. */
export function presentState(internals: Sandbox): DatabaseSource {
  runUnit(internals, ({ store, services }) => writeRandom(store.settings, services.parts.random))
  // Asks for the store each time: it may have fallen asleep since.
  return {
    bytes: () => internals.committedStore().source.bytes(),
    parts: () => internals.committedStore().source.parts(),
    writeTo: (file) => internals.committedStore().source.writeTo(file),
  }
}

/** The key, the settings and the webhook endpoint stay; the same seed then gives the same ids again. */
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

/** Without a name it takes the next number that is free. */
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

const Word32 = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1)

/** The schemas of a snapshot's settings, by name. */
const SETTINGS: SettingSchemas = {
  clock: z.strictObject({
    frozenAt: z.int().min(0).max(CLOCK_MAX_MS).nullable(),
    offsetMs: z.int().min(-CLOCK_MAX_MS).max(CLOCK_MAX_MS),
  }),
  random: z.tuple([Word32, Word32, Word32, Word32]),
  webhook: z
    .strictObject({
      url: HttpUrl,
      secret: SigningSecret,
      previous: z.strictObject({ secret: SigningSecret, until: z.int().min(0).max(CLOCK_MAX_MS) }).nullish(),
      events: EventPatterns,
      disabledAt: z.int().min(0).max(CLOCK_MAX_MS).nullable(),
    })
    .nullish(),
  sessionSecret: z.string().min(1).max(TESTER_LIMITS.nameChars.max).optional(),
}

/**
 * The schema of a snapshot's `config`. The sandbox keeps its own, so only the environment is checked: data of
 * one environment never gets into the other (D61). Snapshots from before D61 have none and are staging's.
 */
const configOf = (environment: Environment) =>
  z
    .looseObject({})
    .refine(
      ({ environment: its = 'staging' }) => its === environment,
      `it is not of ${environment}, and data of one environment never gets into the other`,
    )

/** Checks uploaded bytes before they are used. */
function requireSnapshot(given: Uint8Array, environment: Environment): Buffer {
  const bytes = inMemoryForm(Buffer.from(given))
  requireGoodSnapshot(() => new Database(bytes), environment)
  return bytes
}

function requireGoodSnapshot(open: () => Database, environment: Environment): void {
  const why = whyNoSnapshot(open, { settings: { ...SETTINGS, config: configOf(environment) }, isRemembered })
  if (why !== undefined) throw invalidSnapshot(why)
}

/** A snapshot that leaves in parts, or arrives in them: one that is kept in a file does not pass through memory. */
export const readSnapshot = (internals: Sandbox, name: string): AsyncIterable<Uint8Array> =>
  findSnapshot(internals, name).parts()

export async function writeSnapshot(
  { snapshots, config }: Sandbox,
  given: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<SnapshotDescription> {
  const name = sandboxName(given)
  const check = (open: () => Database) => requireGoodSnapshot(open, config.environment)
  return { name, bytes: await snapshots.receive(name, parts, check) }
}

/** Where a sandbox can start from: another one as it is now, a snapshot of one, a snapshot's bytes, or seed data. */
export type Source =
  | string
  | { readonly name: string; readonly apiKey: string }
  | { sandbox?: string | undefined; snapshot: string }
  | { fixture: Fixture }
  | Uint8Array

/** A text for a source, the same for equal ones; bytes and seed data are hashed. */
export function sourceText(source: Source): string {
  if (source instanceof Uint8Array) return `bytes ${hashOf(source)}`
  if (typeof source === 'string') return `sandbox ${source}`
  if ('apiKey' in source) return `sandbox ${source.name}`
  if ('fixture' in source) return `fixture ${hashOf(JSON.stringify(source.fixture))}`
  return `snapshot ${source.snapshot} of ${source.sandbox ?? DEFAULT_SANDBOX}`
}

const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

/** `{ name, apiKey }` stands for a sandbox object: these two fields tell it from the other forms. */
const StartFrom = z.union(
  [
    z.string(),
    z.object({ name: z.string(), apiKey: z.string() }),
    z.strictObject({ sandbox: z.string().optional(), snapshot: z.string() }),
    z.strictObject({ fixture: z.unknown() }),
  ],
  'must be the name of a sandbox, { sandbox, snapshot } or { fixture }',
)

/** The database to start from, and the options that hold unless it is said otherwise. */
export function readSource(
  source: Source,
  find: (name: string) => Sandbox,
  environment: Environment,
): { from?: DatabaseSource; options?: SandboxOptions } {
  if (source instanceof Uint8Array) return { from: bytesSource(requireSnapshot(source, environment)) }
  requireShape(z.object({ from: StartFrom }), { from: source })
  if (typeof source === 'string' || 'apiKey' in source) {
    const sandbox = find(typeof source === 'string' ? source : source.name)
    return { from: presentState(sandbox), options: copiedOptions(sandbox.config) }
  }
  if ('fixture' in source) return { options: { fixture: source.fixture } }
  const sandbox = find(source.sandbox ?? DEFAULT_SANDBOX)
  return { from: findSnapshot(sandbox, source.snapshot), options: copiedOptions(sandbox.config) }
}

export const snapshotBytes = (internals: Sandbox, name: string): Uint8Array =>
  new Uint8Array(findSnapshot(internals, name).bytes())

export function putSnapshot(
  { snapshots, config }: Sandbox,
  given: string,
  bytes: Uint8Array,
): SnapshotDescription {
  const name = sandboxName(given)
  return { name, bytes: snapshots.put(name, bytesSource(requireSnapshot(bytes, config.environment))) }
}

export function removeSnapshot(internals: Sandbox, name: string): void {
  findSnapshot(internals, name)
  internals.snapshots.remove(name)
}
