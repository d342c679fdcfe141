/**
 * Records how behaviors acted on refunds, deliveries and buyers. They act inside the operation or without any request, so the
 * journal entry gets these results afterwards.
 */
import type { BehaviorResult } from '../../service/door/journal-entry.ts'
import { WAITED_AFTER } from '../../spec/contract/resources/timed.ts'
import type { Do } from '../scenario-file/do.ts'
import type { Remembered, RememberedMap } from './remembered.ts'
import type { DeliveredEvent } from './trigger.ts'

interface BackgroundResult extends BehaviorResult {
  at: number
  /** The id of the event, the refund or the checkout. */
  subject: string
  /** The behavior's `do`; `did` is a sentence about it. */
  words: Do
}

const SUBJECTS_MAX = 1_000

export class BackgroundResults {
  readonly #bySubject: RememberedMap<BackgroundResult[]>

  constructor(remembered: Remembered) {
    this.#bySubject = remembered('done to')
  }

  /** All results, oldest first. */
  list(): BackgroundResult[] {
    return [...this.#bySubject].flatMap(([, results]) => results).sort((a, b) => a.at - b.at)
  }

  add(results: readonly Omit<BackgroundResult, 'at' | 'subject'>[], at: number, subject: string): void {
    const before = this.#bySubject.get(subject) ?? []
    this.#bySubject.set(subject, [...before, ...results.map((result) => ({ ...result, at, subject }))])
    this.#bySubject.keepNewest(SUBJECTS_MAX)
  }

  /** The results for these events, and for the resources whose timed moves now wait. */
  listFor(events: readonly DeliveredEvent[]): BehaviorResult[] {
    return events
      .flatMap(({ id, type, resourceId }) => (WAITED_AFTER.has(type) ? [id, resourceId] : [id]))
      .flatMap((subject) => this.#bySubject.get(subject) ?? [])
      .map(({ at: _, subject: __, words: ___, ...result }) => result)
  }
}
