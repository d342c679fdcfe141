/**
 * The `X-Sim` headers that have acted on requests with an Idempotency-Key: a client that sends the request again with all of
 * its headers gets through, whether the fault came before the operation or after its commit.
 */
import type { Clock } from '../../spec/world/clock.ts'
import type { Remembered, RememberedMap } from './remembered.ts'

/** A client retries within minutes; the oldest are forgotten. */
const KEYS_MAX = 1_000

export class ActedHeaders {
  /** By the key and its scope. */
  readonly #byKey: RememberedMap<{ header: string; at: number }>
  readonly #clock: Clock
  readonly #keptMs: number

  constructor(remembered: Remembered, clock: Clock, keptMs: number) {
    this.#byKey = remembered('X-Sim of a key')
    this.#clock = clock
    this.#keptMs = keptMs
  }

  hasActed(key: string, header: string): boolean {
    const acted = this.#byKey.get(key)
    return acted?.header === header && this.#clock.now() - acted.at < this.#keptMs
  }

  remember(key: string, header: string): void {
    this.#byKey.set(key, { header, at: this.#clock.now() })
    this.#byKey.keepNewest(KEYS_MAX)
  }
}
