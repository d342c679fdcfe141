/**
 * The two places where trouble can be put: before the operation, when nothing has happened yet, and after the commit,
 * when everything has. Nothing here knows what trouble there is.
 */
import type { Operation } from '../operations/operation.ts'
import type { EventRow } from '../store/events.ts'
import type { JsonObject } from './input.ts'
import type { JournalEntry } from './journal.ts'
import type { Answer, ConnectionFault, PlatformRequest } from './request.ts'

export interface MatchedRequest {
  request: PlatformRequest
  operation: Operation
  params: Readonly<Record<string, string>>
  body: JsonObject
  key: string | undefined
  entry: JournalEntry
}

/** An answer in the operation's place. */
export interface ReplacementAnswer {
  status: number
  body: string
  headers: Record<string, string>
  fault?: ConnectionFault
  /** Whether an Idempotency-Key keeps it, as it would an answer of the operation's own. */
  stored: boolean
}

export interface Interruptions {
  /** How many requests stand still, waiting for the clock or for a tester. */
  readonly parked: number
  /** Nothing, at no cost; or a promise of either nothing or another answer. */
  beforeOperation(matched: MatchedRequest): Promise<ReplacementAnswer | undefined> | undefined
  afterCommit(
    matched: MatchedRequest,
    answer: Answer,
    events: readonly EventRow[],
  ): Promise<Answer> | undefined
}
