/**
 * Bounds the attempts that all sandboxes of a process make at a time: each is a connection, and receivers
 * that do not answer would take every descriptor that clients need. A delivery without a slot waits for one.
 */
import { WEBHOOK_CONCURRENCY_OF_PROCESS } from '../../spec/contract/limits.ts'

/** The delivery queue of a sandbox. */
export interface SlotTaker {
  /** How many of its attempts are under way. */
  readonly underWayCount: number
  /** Called once when there is a slot again after a refusal. It may take one or not. */
  slotIsFree(): void
}

export class AttemptSlots {
  readonly #most: number
  #taken = 0
  /** Queues that were refused, in that order. */
  readonly #waiting = new Set<SlotTaker>()

  constructor(most = WEBHOOK_CONCURRENCY_OF_PROCESS) {
    this.#most = most
  }

  /** Takes a slot if there is one. If not, `slotIsFree` is called as soon as there is. */
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

  /** `slotIsFree` is not called for it any more. */
  leave(taker: SlotTaker): void {
    this.#waiting.delete(taker)
  }

  /**
   * Half of the slots are kept for queues without an attempt under way: so some sandboxes with silent
   * receivers do not hold up the others.
   */
  #isFreeFor({ underWayCount }: SlotTaker): boolean {
    return this.#taken < (underWayCount === 0 ? this.#most : this.#most / 2)
  }
}
