/**
 * The state of one advance, in which a tester moves the clock forward. The clock stops at each due time and waits for the items
 * due there, and once more for items that requests added meanwhile (a platform may answer a webhook with a request). A platform
 * that never pauses would add work forever, so beyond a limit the advance becomes impatient: the clock jumps to the end, and the
 * items due on the way run there.
 */
import type { TimedEvent } from '../../spec/contract/resources/timed.ts'
import type { DeliveryResult } from '../webhooks/webhooks.ts'

/** One item that ran, for the response to a tester's advance. */
export interface FinishedWork {
  at: number
  what: TimedEvent | 'webhook.delivered' | 'webhook.attempt_failed'
  /** The id of the resource or the delivery. */
  id: string
  /** What happened, as text for a person. */
  detail: string
}

/**
 * The advance becomes impatient when requests have added more items than `atAll` plus `forEach` times the
 * other items.
 */
const ADDED = { atAll: 50, forEach: 3 }

/**
 * It also becomes impatient after this many items in later waits at one stop. The first wait and one more are free, because a
 * webhook, the request sent in response and the next webhook need them.
 */
const MORE_THAN_ONCE_MORE = 20

/**
 * How often the clock may stop: once per item, ten times more for its retries, and 500 times more for items that requests add.
 */
const STOPS = { forItem: 11, forRequests: 500 }

export class Advance {
  readonly finished: FinishedWork[] = []
  /** The ids of the deliveries of work that this advance has run. */
  readonly caused = new Set<string>()
  isCalledOff = false
  /** The clock goes to the end without waiting for the items that requests add. */
  isImpatient = false
  #added = 0
  /**
   * Items that ran, without the retries of deliveries: failing deliveries that requests added would otherwise
   * raise the bound of `waitsAgain`.
   */
  #ran = 0
  #waitedForMore = 0
  #stopsLeft: number
  #awaited: Awaited | undefined

  /** `items`: how many items the agenda has when the advance starts. */
  constructor(items: number) {
    this.#stopsLeft = STOPS.forItem * items + STOPS.forRequests
  }

  get waitsNoLonger(): boolean {
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

  /** Whether to wait once more at this stop, which has `due` items left after `times` waits. */
  waitsAgain(due: number, times: number): boolean {
    if (due === 0) return false
    if (times > 1) this.#waitedForMore += due
    const others = Math.max(0, this.#ran - this.#added)
    const isTooMuch = this.#added > ADDED.atAll + ADDED.forEach * others
    if (isTooMuch || this.#waitedForMore > MORE_THAN_ONCE_MORE) this.isImpatient = true
    return !this.waitsNoLonger
  }

  /**
   * Resolves when all of these items are done, or the advance is called off; rejects when a result could not
   * be written.
   */
  until(deliveries: readonly string[], moves: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#awaited = { deliveries: new Set(deliveries), moves: new Set(moves), resolve, reject }
      this.#look()
    })
  }

  isAwaited(id: string): boolean {
    return this.#awaited?.moves.has(id) ?? false
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

  /** Called when none of the awaited moves is due any more: a request may have made some of them. */
  movesAreMade(): void {
    this.#awaited?.moves.clear()
    this.#look()
  }

  failed(cause: unknown): void {
    this.#awaited?.reject(cause)
  }

  /** Called if the clock is set back or the sandbox's database is replaced. */
  callOff(): void {
    this.isCalledOff = true
    this.#look()
  }

  #look(): void {
    if (!this.#awaited) return
    const { deliveries, moves, resolve } = this.#awaited
    if (this.isCalledOff || (deliveries.size === 0 && moves.size === 0)) resolve()
  }
}

interface Awaited {
  deliveries: Set<string>
  moves: Set<string>
  resolve(): void
  reject(cause: unknown): void
}
