/**
 * What only a neighbor in the same process can see of a sandbox, because it would be too much to ask for over HTTP or
 * too often. The dashboard draws with it; it changes nothing.
 */

import { heldNow } from './behaviors.ts'
import type { SandboxInternals } from './internals.ts'
import { type FoundResource, findAnyResource, type ReadOptions, readOperation } from './lookup.ts'
import { due, type Overview, overview } from './overview.ts'
import { summarize } from './requests.ts'
import type { DueWork, HeldRequest, RequestSummary } from './shapes.ts'

export interface Inspector {
  /** What is due, how much of the rate limit is used, and how much there is of everything. */
  overview(): Overview
  /** What falls due, the next first. */
  due(limit: number): DueWork[]
  /** Any resource by its id. */
  resource(id: string): FoundResource
  /** The body of what a GET under `/v1` would answer, such as `checkouts.list`, without being a platform's request. */
  read(operation: string, asked?: ReadOptions): string
  /** What behaviors did to refunds, deliveries and buyers, where no request was looking. */
  backgroundResults(): readonly { behavior: string; did: string; fired: boolean; subject: string }[]
  /** The requests that stand at a gate now. */
  standing(): HeldRequest[]
  /** Calls back whenever a request has been answered, until told to stop; what it was is only written if asked for. */
  watch(callback: (request: () => RequestSummary) => void): () => void
}

export const inspect = (internals: SandboxInternals): Inspector => ({
  overview: () => overview(internals),
  due: (limit) => due(internals, limit),
  resource: (id) => findAnyResource(internals, id),
  read: (operation, asked) => readOperation(internals, operation, asked),
  backgroundResults: () => internals.behaviors.backgroundResults(),
  standing: () => heldNow(internals.behaviors),
  watch: (callback) => internals.journal.watch((entry) => callback(() => summarize(entry))),
})
