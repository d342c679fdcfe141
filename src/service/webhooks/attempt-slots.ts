/**
 * Limits the attempts that all sandboxes of a process make at a time. Each is a connection, and receivers that do not answer
 * would take every descriptor that clients need. A delivery without a slot waits for one.
 */
import { WEBHOOK_CONCURRENCY_OF_PROCESS } from '../../spec/contract/limits.ts'

/** The delivery queue of a sandbox. */
export interface SlotTaker {
  /** How many of its attempts are in flight. */
  readonly underWayCount: number
  /** Called once when a slot is free after a refusal. Taking it is optional. */
  slotIsFree(): void
}

export class AttemptSlots {
  readonly #most: number
  #taken = 0
  /** Queues that were refused, in order. */
  readonly #waiting = new Set<SlotTaker>()

  constructor(most = WEBHOOK_CONCURRENCY_OF_PROCESS) {
    this.#most = most
  }

  /** Takes a slot if one is free. If not, `slotIsFree` is called as soon as one is. */
  take(taker: SlotTaker): boolean {
    if (!this.#isFreeFor(taker)) {
      this.#waiting.add(taker)
      return false
    }
    this.#waiting.delete(taker)
    this.#taken += 1
    return true
  }

  giveBack(): void {
    this.#taken -= 1
    for (const taker of [...this.#waiting]) {
      if (!this.#isFreeFor(taker)) continue
      this.#waiting.delete(taker)
      taker.slotIsFree()
    }
  }

  /** Stops `slotIsFree` from being called for it. */
  leave(taker: SlotTaker): void {
    this.#waiting.delete(taker)
  }

  /**
   * Half of the slots are reserved for queues without an attempt in flight, so that a few sandboxes with silent receivers do not
   * block the others.
   */
  #isFreeFor({ underWayCount }: SlotTaker): boolean {
    return this.#taken < (underWayCount === 0 ? this.#most : this.#most / 2)
  }
}
