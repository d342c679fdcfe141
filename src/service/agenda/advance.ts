/**
 * A tester's advance, as far as it has come. It moves the clock from one due time to the next and waits at each for what is due
 * when it gets there, and once more for what requests have added meanwhile: a platform answers a webhook with a request. One
 * that never pauses always adds more. Then the clock goes to the end at once, and what was due on the way is done there.
 */
import type { DeliveryResult } from '../webhooks/webhooks.ts'

/** One item that ran, for the answer to a tester's advance. */
export interface FinishedWork {
  at: number
  what: 'refund.completed' | 'webhook.delivered' | 'webhook.attempt_failed'
  /** The refund, or the delivery. */
  id: string
  /** For a person. */
  detail: string
}

/** Requests may add so many items, and so many for each that was there without them, before there is too much. */
const ADDED = { atAll: 50, forEach: 3 }

/** So many of them are waited for a third time: a webhook, a request and the next webhook are done at one stop. */
const MORE_THAN_ONCE_MORE = 20

/** The clock stops for an item when it is due and at each retry, and so often for what requests add on the way. */
const STOPS = { forItem: 11, forRequests: 500 }

export class Advance {
  readonly finished: FinishedWork[] = []
  isCalledOff = false
  /** It no longer waits for what requests add. */
  isImpatient = false
  #added = 0
  /** Retries left out: those of what requests added would count as often as they fail. */
  #ran = 0
  #waitedForMore = 0
  #stopsLeft: number
  #awaited: Awaited | undefined

  /** `items` are due later, or wait for the clock. */
  constructor(items: number) {
    this.#stopsLeft = STOPS.forItem * items + STOPS.forRequests
  }

  get isOver(): boolean {
    return this.isImpatient || this.isCalledOff
  }

  stopped(): void {
    this.#stopsLeft -= 1
    if (this.#stopsLeft < 0) this.isImpatient = true
  }

  /** A request has added an item. */
  added(): void {
    this.#added += 1
  }

  /** Whether it waits at the same stop again, where so many items are due after it has waited so often. */
  waitsAgain(due: number, times: number): boolean {
    if (due === 0) return false
    if (times > 1) this.#waitedForMore += due
    const others = Math.max(0, this.#ran - this.#added)
    const isTooMuch = this.#added > ADDED.atAll + ADDED.forEach * others
    if (isTooMuch || this.#waitedForMore > MORE_THAN_ONCE_MORE) this.isImpatient = true
    return !this.isOver
  }

  /** Resolves when all of them are done, or when the advance is called off; rejects when that could not be written. */
  until(deliveries: readonly string[], others: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#awaited = { deliveries: new Set(deliveries), others: new Set(others), resolve, reject }
      this.#look()
    })
  }

  isAwaited(other: string): boolean {
    return this.#awaited?.others.has(other) ?? false
  }

  ran(work: FinishedWork): void {
    this.#ran += 1
    this.finished.push(work)
  }

  attempted({ delivery, text }: DeliveryResult, at: number): void {
    const what = delivery.status === 'delivered' ? 'webhook.delivered' : 'webhook.attempt_failed'
    if (delivery.attempts === 1) this.#ran += 1
    this.finished.push({ at, what, id: delivery.id, detail: text })
    this.#awaited?.deliveries.delete(delivery.id)
    this.#look()
  }

  /** All but the deliveries: some of them may have been done by a request. */
  othersAreDone(): void {
    this.#awaited?.others.clear()
    this.#look()
  }

  failed(cause: unknown): void {
    this.#awaited?.reject(cause)
  }

  /** The clock was put back, or the sandbox goes on with another database. */
  callOff(): void {
    this.isCalledOff = true
    this.#look()
  }

  #look(): void {
    if (!this.#awaited) return
    const { deliveries, others, resolve } = this.#awaited
    if (this.isCalledOff || (deliveries.size === 0 && others.size === 0)) resolve()
  }
}

interface Awaited {
  deliveries: Set<string>
  others: Set<string>
  resolve(): void
  reject(cause: unknown): void
}
