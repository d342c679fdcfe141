/**
 * What only a neighbor in the same process can see of a sandbox, because it would be too much to ask for over HTTP or
 * too often. The dashboard draws with it; it changes nothing.
 */

import { heldNow } from './behaviors.ts'
import type { Inside } from './inside.ts'
import { type FoundResource, type Reading, read, resource } from './lookup.ts'
import { due, type Overview, overview } from './overview.ts'
import { summarize } from './requests.ts'
import type { DueWork, HeldRequest, RequestSummary } from './shapes.ts'

export interface Insight {
  /** What is due, how much of the rate limit is used, and how much there is of everything. */
  overview(): Overview
  /** What falls due, the next first. */
  due(limit: number): DueWork[]
  /** Any resource by its id. */
  resource(id: string): FoundResource
  /** The body of what a GET under `/v1` would answer, such as `checkouts.list`, without being a platform's request. */
  read(operation: string, asked?: Reading): string
  /** What behaviors did to refunds, deliveries and buyers, where no request was looking. */
  deeds(): readonly { behavior: string; did: string; fired: boolean; subject: string }[]
  /** The requests that stand at a gate now. */
  standing(): HeldRequest[]
  /** Calls back whenever a request has been answered, until told to stop; what it was is only written if asked for. */
  watch(callback: (request: () => RequestSummary) => void): () => void
}

export const insight = (inside: Inside): Insight => ({
  overview: () => overview(inside),
  due: (limit) => due(inside, limit),
  resource: (id) => resource(inside, id),
  read: (operation, asked) => read(inside, operation, asked),
  deeds: () => inside.scenarios.deeds(),
  standing: () => heldNow(inside.scenarios),
  watch: (callback) => inside.journal.watch((entry) => callback(() => summarize(entry))),
})
