/**
 * Slows down guessing of the admin token: after five wrong tokens from one address, each further one doubles its wait, from
 * one second to five minutes. While it waits even the right token is refused, so a guess in that time shows nothing.
 */
import { stopwatch } from '../../spec/world/clock.ts'

const FREE_ATTEMPTS = 5
const WAIT_MAX_MS = 300_000
/** Bounds the memory: beyond it, the address that failed first is removed. */
const ADDRESSES_MAX = 1_000

export class LogInAttempts {
  readonly #wrong = new Map<string, { count: number; waitUntil: number }>()
  readonly #now: () => number

  constructor(now: () => number = stopwatch) {
    this.#now = now
  }

  /** Whole seconds until the next attempt is allowed; 0 when it is allowed now. */
  waitSeconds(address: string): number {
    const { waitUntil = 0 } = this.#wrong.get(address) ?? {}
    return Math.max(0, Math.ceil((waitUntil - this.#now()) / 1_000))
  }

  failed(address: string): void {
    const count = (this.#wrong.get(address)?.count ?? 0) + 1
    const waitMs = count < FREE_ATTEMPTS ? 0 : Math.min(1_000 * 2 ** (count - FREE_ATTEMPTS), WAIT_MAX_MS)
    this.#wrong.delete(address)
    if (this.#wrong.size >= ADDRESSES_MAX) this.#wrong.delete(this.#wrong.keys().next().value!)
    this.#wrong.set(address, { count, waitUntil: this.#now() + waitMs })
  }

  succeeded(address: string): void {
    this.#wrong.delete(address)
  }
}
