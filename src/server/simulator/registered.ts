/** A sandbox as the registry knows it, opened or not yet, and the registry's settings. */

import type { Forgotten, Sandbox, SandboxSetup } from '../../sandbox/sandbox.ts'
import { emptySummary, endpointOf } from '../../sandbox/summary.ts'
import type { MemoryBound } from '../../service/door/journal.ts'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import type { Durability } from '../../service/store/files.ts'
import { initialClock } from '../../service/store/settings.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { type Environment, environmentOfKey } from '../../spec/environments/environment.ts'
import type { Log } from '../../spec/log.ts'
import { WrongOption } from '../../spec/options/read.ts'
import type { SandboxConfig, SandboxOptions } from '../../spec/options/sandbox.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { configOfKept, type KnownSandbox } from './data-folder.ts'

export interface RegistrySettings {
  /** The folder with the sandboxes' databases; without it, they are in memory. */
  data: string | undefined
  durability: Durability
  /** How many databases are open at a time. */
  openDatabases: number | undefined
  publicUrl: Readonly<Record<Environment, string | undefined>>
  address(environment: Environment): string | undefined
  memory: MemoryBound
  log: Log
  /** The default options of new sandboxes. */
  defaults: SandboxOptions
  /** The options of the sandbox `default` of each environment. */
  ofDefault: Readonly<Record<Environment, SandboxOptions>>
  /** Whether production is created at the start; false without an address for it. */
  production: boolean | undefined
  /** Called with every request that a sandbox has answered. */
  onAnswer: ((sandbox: Sandbox, entry: JournalEntry) => void) | undefined
  attendant: Attendant | undefined
}

/** Called for each sandbox when it opens and before it ends. */
export interface Attendant {
  /** Takes precedence over the profile of each sandbox. */
  readonly profile?: ProfileChanges | undefined
  opened(sandbox: Opened): void
  /** Called before a part of a sandbox is removed, while it can still be read. The returned function is called afterwards. */
  forgetting(sandbox: Sandbox, what: Forgotten): () => void
  /** Called before a sandbox is removed, or its simulator closed; everything in it can still be read. */
  ending(sandbox: Sandbox): void
}

export interface Registered {
  /** Its full name. */
  name: string
  apiKey: string
  /** Its position in the order of creation. */
  number: number
  /** Most sandboxes are opened at their first use, or when their work is due. */
  state: Opened | Unopened
  /** Cancels the removal at the end of its lifetime. */
  cancelRemoval: () => void
}

/** A sandbox opened since the start, whether its database is open now or asleep. */
export class Opened {
  readonly internals: Sandbox
  /** Removes the sandbox, unless it is removed already. */
  readonly remove: () => void
  /** The sandbox as testers control it, by the address at which they see it. */
  readonly controls: Partial<Record<Environment, SandboxControl>> = {}

  constructor(internals: Sandbox, remove: () => void) {
    this.internals = internals
    this.remove = remove
  }
}

/**
 * A sandbox whose parts are not created yet: a kept one, or an empty one in memory. The parts take 25 KB, and many are never
 * used.
 */
interface Unopened extends KnownSandbox {
  start: SandboxStart
}

/** What a sandbox needs to open, apart from its options. */
export type SandboxStart = Pick<SandboxSetup, 'isKept' | 'from' | 'carried'>

/** A frozen clock starts at the creation of the sandbox, not at its first request. */
export function unopened(config: SandboxConfig, { carried, ...start }: SandboxStart): Unopened {
  const clock = carried?.clock ?? initialClock(config.clock)
  const summary = { ...emptySummary(endpointOf(config)), clock }
  return { config, summary, start: { ...start, carried: { ...carried, clock } } }
}

export const configOfUnopened = (name: string, { config, start }: Unopened): SandboxConfig =>
  start.isKept ? configOfKept(name, config) : config

/** Refuses a new sandbox with a key of the other environment. A kept sandbox is not checked. */
export function withOwnKey(config: SandboxConfig): SandboxConfig {
  const ofKey = environmentOfKey(config.apiKey) ?? config.environment
  if (ofKey === config.environment) return config
  const rule = `must not start like a ${ofKey} key: this is a ${config.environment} sandbox`
  throw new WrongOption('apiKey', rule)
}
