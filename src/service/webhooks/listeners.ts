/**
 * Who listens in place of the endpoint, such as `paysim listen`. Each says again that it does before its time is over, so that
 * one that died is gone by itself; the endpoint is kept beside them, and comes back when the last has left.
 */
import { wallClock } from '../../spec/world/clock.ts'

export interface Listener {
  url: string
  events: readonly string[]
  /** When it answered 410. */
  disabledAt: number | null
}

interface Lease extends Listener {
  /** By the machine's clock: a process lives by that, also beside a sandbox whose clock stands still. */
  until: number
}

export class Listeners {
  /** In the order in which they came. */
  readonly #leases = new Map<string, Lease>()
  readonly #dismissed = new Set<string>()

  /** The latest that is still there. */
  get latest(): Listener | undefined {
    for (const [name, { until }] of this.#leases) if (until <= wallClock()) this.#leases.delete(name)
    return [...this.#leases.values()].at(-1)
  }

  /** False where it was dismissed: what a tester has set since then stays. */
  keep(
    name: string,
    { url, events, forMs }: { url: string; events: readonly string[]; forMs: number },
  ): boolean {
    if (this.#dismissed.has(name)) return false
    const { disabledAt = null } = this.#leases.get(name) ?? {}
    this.#leases.set(name, { url, events, disabledAt, until: wallClock() + forMs })
    return true
  }

  leave(name: string): void {
    this.#leases.delete(name)
  }

  dismissAll(): void {
    for (const name of this.#leases.keys()) this.#dismissed.add(name)
    this.#leases.clear()
  }
}
