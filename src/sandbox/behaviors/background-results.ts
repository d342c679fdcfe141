/**
 * What behaviors did to refunds, deliveries and buyers. It happens outside of a request or inside its transaction, so the
 * request's journal entry learns of it afterwards.
 */
import type { BehaviorResult } from '../../service/gate/journal-entry.ts'
import type { Do } from '../scenario-file/behavior.ts'
import type { TakeBack } from './take-back.ts'
import type { DeliveredEvent } from './trigger.ts'

export interface BackgroundResult extends BehaviorResult {
  at: number
  /** The id of the event, the refund or the checkout. */
  subject: string
  /** What the behavior was told to do; `did` is a sentence about it. */
  words: Do
}

const RESULTS_MAX = 1_000

export class BackgroundResults {
  #results: BackgroundResult[] = []

  /** From the first to the last. */
  list(): readonly BackgroundResult[] {
    return this.#results
  }

  /** Returns what removes them again. */
  add(results: readonly Omit<BackgroundResult, 'at' | 'subject'>[], at: number, subject: string): TakeBack {
    const added = new Set(results.map((result) => ({ ...result, at, subject })))
    this.#results.push(...added)
    this.#results.splice(0, this.#results.length - RESULTS_MAX)
    return () => {
      this.#results = this.#results.filter((result) => !added.has(result))
    }
  }

  /** What became of the events, and of the refunds that they report as created. */
  listFor(events: readonly DeliveredEvent[]): BehaviorResult[] {
    if (this.#results.length === 0) return []
    const subjects = new Set<string>()
    for (const { id, type, resourceId } of events) {
      subjects.add(id)
      if (type === 'refund.created') subjects.add(resourceId)
    }
    return this.#results
      .filter(({ subject }) => subjects.has(subject))
      .map(({ at: _, subject: __, words: ___, ...result }) => result)
  }

  clear(): void {
    this.#results = []
  }
}
