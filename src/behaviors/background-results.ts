/**
 * What behaviors did to refunds, deliveries and buyers. It happens outside of a request or inside its transaction, so the
 * request's journal entry learns of it afterwards.
 */
import { type BehaviorResult, type JournalEntry, noteBehaviors } from '../gate/journal.ts'
import type { EventRow } from './trigger.ts'

export interface BackgroundResult extends BehaviorResult {
  at: number
  /** The id of the event, the refund or the checkout. */
  subject: string
}

const RESULTS_MAX = 1_000

export class BackgroundResults {
  #results: BackgroundResult[] = []

  /** From the first to the last. */
  list(): readonly BackgroundResult[] {
    return this.#results
  }

  add(results: readonly BehaviorResult[], at: number, subject: string): void {
    for (const result of results) this.#results.push({ ...result, at, subject })
    this.#results.splice(0, this.#results.length - RESULTS_MAX)
  }

  /** Notes in a request's entry what became of its refund and of its events. */
  noteIn(entry: JournalEntry, events: readonly EventRow[]): void {
    if (this.#results.length === 0) return
    const subjects = new Set<string>()
    for (const { id, type, resourceId } of events) {
      subjects.add(id)
      if (type === 'refund.created') subjects.add(resourceId)
    }
    for (const { at: _, subject, ...result } of this.#results) {
      if (subjects.has(subject)) noteBehaviors(entry, [result])
    }
  }

  clear(): void {
    this.#results = []
  }
}
