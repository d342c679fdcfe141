/** What is known of a sandbox without its database, so that lists and metrics wake none. */

import type { CurrentStore } from '../service/store/current-store.ts'
import type { Store } from '../service/store/store.ts'
import { NO_WORK, type WorkCounts } from '../service/store/work-counts.ts'
import type { Endpoint } from '../service/webhooks/webhooks.ts'
import type { SandboxConfig } from '../spec/options/sandbox.ts'
import type { ClockState } from '../spec/world/clock.ts'

export interface SandboxSummary extends WorkCounts {
  clock: ClockState
  endpoint: Endpoint | null
}

/** What of it is in the database. */
type StoredSummary = Omit<SandboxSummary, 'clock'>

/** Of a database that is not made yet. */
export const emptySummary = (endpoint: Endpoint | null | undefined): StoredSummary => ({
  ...NO_WORK,
  endpoint: endpoint ?? null,
})

/** Where webhooks go at first. */
export const endpointOf = ({ webhook, signingSecret }: SandboxConfig): Endpoint | undefined =>
  webhook && { ...webhook, secret: signingSecret, disabledAt: null }

/** A sandbox's database as it was seen last: made anew once something was written, and kept while it sleeps. */
export class LastSeen {
  readonly #endpoint: () => Endpoint | undefined
  #summary: StoredSummary | undefined
  #version: number | undefined

  constructor(endpoint: () => Endpoint | undefined) {
    this.#endpoint = endpoint
  }

  /** Nothing was seen yet: this is what it will be. */
  expect(summary: StoredSummary): void {
    this.#summary = summary
  }

  look(store: Store): StoredSummary {
    const { version } = store
    if (this.#version !== version) {
      this.#summary = { ...store.counts(), endpoint: this.#endpoint() ?? null }
      this.#version = version
    }
    return this.#summary!
  }

  /** Without waking it. */
  summaryOf(database: CurrentStore): StoredSummary {
    return database.isOpen ? this.look(database.store) : this.#summary!
  }
}
