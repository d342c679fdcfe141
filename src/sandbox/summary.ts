/** The summary of a sandbox for lists, which do not wake its database. */
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
export type StoredSummary = Omit<SandboxSummary, 'clock'>

/** The summary of a database that is not created yet. */
export const emptySummary = (endpoint: Endpoint | null | undefined): StoredSummary => ({
  dueAt: null,
  endpoint: endpoint ?? null,
})

/** The endpoint from the options. */
export const endpointOf = ({ webhook, signingSecret }: SandboxConfig): Endpoint | undefined =>
  webhook && { ...webhook, secret: signingSecret, disabledAt: null }
