/** The summary of a sandbox for lists. It is cached while the database sleeps, so that these do not wake it. */
import type { CurrentStore } from '../service/store/current-store.ts'
import type { Store } from '../service/store/store.ts'
import type { Endpoint } from '../service/webhooks/webhooks.ts'
import type { SandboxConfig } from '../spec/options/sandbox.ts'
import type { ClockState } from '../spec/world/clock.ts'

export interface SandboxSummary {
  /** When its next work is due; null if there is none. */
  dueAt: number | null
  clock: ClockState
  endpoint: Endpoint | null
}

/** The part that is in the database. */
type StoredSummary = Omit<SandboxSummary, 'clock'>

/** The summary of a database that is not created yet. */
export const emptySummary = (endpoint: Endpoint | null | undefined): StoredSummary => ({
  dueAt: null,
  endpoint: endpoint ?? null,
})

/** The endpoint from the options. */
export const endpointOf = ({ webhook, signingSecret }: SandboxConfig): Endpoint | undefined =>
  webhook && { ...webhook, secret: signingSecret, disabledAt: null }

/** The latest summary of a database: read again after writes, and cached while it sleeps. */
export class LastSeen {
  readonly #endpointIn: (store: Store) => Endpoint | undefined
  #summary: StoredSummary | undefined
  #version: number | undefined

  constructor(endpointIn: (store: Store) => Endpoint | undefined) {
    this.#endpointIn = endpointIn
  }

  /** Sets the summary of a database that is not created yet. */
  expect(summary: StoredSummary): void {
    this.#summary = summary
  }

  look(store: Store): StoredSummary {
    const { version } = store
    if (this.#version !== version) {
      this.#summary = { dueAt: store.committedDueAt(), endpoint: this.#endpointIn(store) ?? null }
      this.#version = version
    }
    return this.#summary!
  }

  /** The summary; a sleeping database is not woken for it. */
  summaryOf(database: CurrentStore): StoredSummary {
    const store = database.storeIfOpen
    return store ? this.look(store) : this.#summary!
  }
}
