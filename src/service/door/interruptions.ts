/**
 * The two points at which a fault can be injected: before the operation, when nothing has been written, and after the
 * commit, when everything has. The door does not know which faults exist.
 */

import type { JsonObject } from '../../spec/contract/wire.ts'
import type { Answering } from '../operations/operation.ts'
import type { EventRow } from '../store/events.ts'
import type { BehaviorResult, JournalEntry } from './journal-entry.ts'
import type { Answer, PlatformRequest } from './request.ts'

export interface MatchedRequest {
  request: PlatformRequest
  operation: Answering
  params: Readonly<Record<string, string>>
  body: JsonObject
  key: string | undefined
  entry: JournalEntry
  /** Whether the response is already known, because the Idempotency-Key has one. */
  isReplay: boolean
}

/** A response instead of the operation's. */
export interface ReplacementAnswer extends Answer {
  /** Whether the Idempotency-Key keeps it, like the operation's own response. */
  stored?: boolean
}

/** What the behaviors do to one request. */
export interface InterruptionPlan {
  /** If set, the response to send instead of running the operation. */
  readonly instead?: ReplacementAnswer
  /** Gets the committed answer, and returns the one to send. */
  readonly afterCommit?: (answer: Answer) => Promise<Answer>
}

/** What behaviors do to requests. `BehaviorEngine` in `sandbox/behaviors/engine.ts` implements it. */
export interface Interruptions {
  /** Whether the sandbox is removed: requests in flight can no longer be answered. */
  readonly abandoned: boolean
  /** Undefined for most requests; a promise where a behavior makes the request wait. */
  beforeOperation(
    matched: MatchedRequest,
  ): Promise<InterruptionPlan | undefined> | InterruptionPlan | undefined
  /** What behaviors did to the refunds and deliveries of these events. */
  resultsFor(events: readonly EventRow[]): readonly BehaviorResult[]
}
