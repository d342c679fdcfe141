/** Stays below a rate limit: before a request that would exceed it, it waits and prints that it does. */

interface PaceClock {
  /** A monotonic clock, in milliseconds. */
  now(): number
  sleep(ms: number): Promise<unknown>
}

/** A minute and a second, because an earlier request may have arrived late. */
const WINDOW_MS = 61_000

export class RequestPace {
  readonly limit: number
  readonly say: (line: string) => void
  readonly #clock: PaceClock
  /** When each of the last `limit` requests was sent. */
  readonly #sentAt: number[] = []
  /** Resolves when all earlier callers have had their turn. */
  #turn: Promise<void> = Promise.resolve()

  constructor(limit: number, clock: PaceClock, say: (line: string) => void) {
    this.limit = limit
    this.#clock = clock
    this.say = say
  }

  /** Resolves when `count` requests may be sent at once; `count` is at most the limit. */
  take(count: number): Promise<void> {
    this.#turn = this.#turn.then(() => this.#wait(count))
    return this.#turn
  }

  async #wait(count: number): Promise<void> {
    const { now, sleep } = this.#clock
    const tooMany = this.#sentAt.length + count - this.limit
    if (tooMany > 0) {
      const wait = this.#sentAt[tooMany - 1]! + WINDOW_MS - now()
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1000)
        this.say(`the target allows ${this.limit} requests a minute: sending the next in ${seconds} s`)
        await sleep(wait)
      }
      this.#sentAt.splice(0, tooMany)
    }
    for (let sent = 0; sent < count; sent += 1) this.#sentAt.push(now())
  }
}
