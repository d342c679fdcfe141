/** A sandbox as the registry knows it: opened or not yet. */

import type { Sandbox, SandboxSetup } from '../../sandbox/sandbox.ts'
import { emptySummary, endpointOf } from '../../sandbox/summary.ts'
import { initialClock } from '../../service/store/settings.ts'
import type { SandboxConfig } from '../../spec/options/sandbox.ts'
import { configOfKept, type KnownSandbox } from './data-folder.ts'

export interface Registered {
  /** Its full name. */
  name: string
  apiKey: string
  /** Its place in the order in which they were made. */
  number: number
  /** Most sandboxes are opened at their first use, or when their work is due. */
  state: Opened | Unopened
  /** Cancels the removal at the end of its lifetime. */
  cancelRemoval: () => void
}

/** A sandbox that has been opened since the start, whether its database is open now or sleeps. */
export class Opened {
  readonly internals: Sandbox
  /** Removes the sandbox, unless that has happened. */
  readonly remove: () => void

  constructor(internals: Sandbox, remove: () => void) {
    this.internals = internals
    this.remove = remove
  }
}

/**
 * A sandbox whose parts are not made yet: one that was kept, or an empty one in memory. The parts are 25 KB,
 * and many are never used.
 */
export interface Unopened extends KnownSandbox {
  start: SandboxStart
}

/** What a sandbox is opened with, beside its options. */
export type SandboxStart = Pick<SandboxSetup, 'isKept' | 'from' | 'carried'>

/** A frozen clock stands at the instant at which the sandbox was made, not at that of its first request. */
export function unopened(config: SandboxConfig, { carried, ...start }: SandboxStart): Unopened {
  const clock = carried?.clock ?? initialClock(config.clock)
  const summary = { ...emptySummary(endpointOf(config)), clock }
  return { config, summary, start: { ...start, carried: { ...carried, clock } } }
}

export const configOfUnopened = (name: string, { config, start }: Unopened): SandboxConfig =>
  start.isKept ? configOfKept(name, config) : config
