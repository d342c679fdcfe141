/**
 * Receivers that stand in for the endpoint for a while, such as `paysim listen`. Each renews its lease in
 * time; one whose process died expires. The endpoint is kept, and gets events again when no listener is left.
 */
import { wallClock } from '../../spec/world/clock.ts'

export interface Listener {
  url: string
  events: readonly string[]
  /** When it answered 410, which disables it. */
  disabledAt: number | null
}

interface Lease extends Listener {
  /** By the machine's clock, which its process uses: the sandbox's may stand still. */
  until: number
}

export class Listeners {
  /** By name, oldest first. */
  readonly #leases = new Map<string, Lease>()
  readonly #dismissed = new Set<string>()

  /** The latest one whose lease has not expired. */
  get latest(): Listener | undefined {
    for (const [name, { until }] of this.#leases) if (until <= wallClock()) this.#leases.delete(name)
    return [...this.#leases.values()].at(-1)
  }

  /** Renews a lease. False for a listener that was dismissed because a tester set an endpoint since. */
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
