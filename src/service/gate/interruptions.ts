/**
 * The two points at which a fault can be injected: before the operation, when nothing has been written, and after the
 * commit, when everything has. The gate does not know which faults exist.
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
}

/** An answer that is given instead of the operation's. */
export interface ReplacementAnswer extends Answer {
  /** Whether an Idempotency-Key keeps it, as it would an answer of the operation's own. */
  stored: boolean
}

/** What is to be done to one request. */
export interface InterruptionPlan {
  /** Without it the operation runs. */
  readonly instead?: ReplacementAnswer
  /** Gets the answer once it is committed, and returns the one that goes out. */
  readonly afterCommit?: (answer: Answer) => Promise<Answer>
}

/** What behaviors do to requests. `BehaviorEngine` in `sandbox/behaviors/engine.ts` implements it. */
export interface Interruptions {
  /** How many requests are held until the clock is moved or a tester releases them. */
  readonly heldCount: number
  /** Whether the sandbox is removed: a request that is still in flight cannot be answered any more. */
  readonly abandoned: boolean
  /** Undefined for most requests; a promise where the request has to wait before it goes on. */
  beforeOperation(
    matched: MatchedRequest,
  ): Promise<InterruptionPlan | undefined> | InterruptionPlan | undefined
  /** What behaviors did to the refunds and deliveries that these events caused. */
  resultsFor(events: readonly EventRow[]): readonly BehaviorResult[]
}
