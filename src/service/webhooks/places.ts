/**
 * How many attempts all sandboxes of a process make at a time: each is a connection, and receivers that do not answer
 * would take every descriptor that clients need. What finds no place waits for one.
 */
import { WEBHOOK_CONCURRENCY_OF_PROCESS } from '../../spec/contract/limits.ts'

/** A sandbox's deliveries. */
export interface PlaceTaker {
  /** How many of its attempts are under way. */
  readonly underWayCount: number
  /** Called once after a place was refused, when there is one. It may take one, or leave it to the next. */
  placeIsFree(): void
}

export class DeliveryPlaces {
  readonly #most: number
  #taken = 0
  /** In the order in which they were refused. */
  readonly #waiting = new Set<PlaceTaker>()

  constructor(most = WEBHOOK_CONCURRENCY_OF_PROCESS) {
    this.#most = most
  }

  /** Whether there is one for this taker; it is called otherwise as soon as there is. */
  take(taker: PlaceTaker): boolean {
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
      taker.placeIsFree()
    }
  }

  /** It is not called any more. */
  leave(taker: PlaceTaker): void {
    this.#waiting.delete(taker)
  }

  /** Half of them are only for the first attempt of a sandbox: so the silent receivers of some do not hold up the others. */
  #isFreeFor({ underWayCount }: PlaceTaker): boolean {
    return this.#taken < (underWayCount === 0 ? this.#most : this.#most / 2)
  }
}
