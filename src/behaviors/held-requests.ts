/**
 * Requests that stand still, until the sandbox's clock has come so far or until a tester opens a gate. Whoever moves the
 * clock has to know how many there are: a request is parked from the moment it stops to the moment it is let go, and
 * not an instant longer.
 */
import type { Clock } from '../world/clock.ts'

export interface WaitingRequest {
  /** The request's name in the journal. */
  readonly request: string
  readonly gate: string | undefined
  readonly since: number
}

interface Spot extends WaitingRequest {
  readonly go: () => void
}

export class HeldRequests {
  readonly #clock: Clock
  readonly #spots = new Set<Spot>()
  readonly #watchers = new Set<() => void>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#spots.size
  }

  /** Resolves when the gate is opened or the time is over, whichever is first. */
  park(request: string, until: { gate?: string; forMs?: number | undefined }): Promise<void> {
    if (this.#closed) return Promise.resolve()
    const { gate, forMs } = until
    const since = this.#clock.now()
    return new Promise((resolve) => {
      let cancelAlarm = () => {}
      const go = () => {
        cancelAlarm()
        this.#spots.delete(spot)
        resolve()
      }
      const spot: Spot = { request, gate, since, go }
      this.#spots.add(spot)
      if (forMs !== undefined) cancelAlarm = this.#clock.at(since + forMs, go, { keepsProcess: true })
      for (const look of this.#watchers) look()
    })
  }

  /** Everyone at a gate, or at any, in the order in which they came. */
  heldAt(gate?: string): WaitingRequest[] {
    return [...this.#spots]
      .filter((spot) => spot.gate !== undefined && (gate === undefined || spot.gate === gate))
      .map(({ go: _, ...parked }) => parked)
  }

  /** Resolves once somebody stands at the gate. */
  whenHeld(gate: string, signal?: AbortSignal): Promise<WaitingRequest[]> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const held = this.heldAt(gate)
        if (held.length === 0) return
        forget()
        resolve(held)
      }
      const giveUp = () => {
        forget()
        reject(signal?.reason)
      }
      const forget = () => {
        this.#watchers.delete(look)
        signal?.removeEventListener('abort', giveUp)
      }
      this.#watchers.add(look)
      signal?.addEventListener('abort', giveUp)
      if (signal?.aborted) giveUp()
      else look()
    })
  }

  /** Opens a gate for those who stand at it now; who comes later is held again. */
  release(gate: string): WaitingRequest[] {
    const held = this.heldAt(gate)
    for (const spot of this.#spots) if (spot.gate === gate) spot.go()
    return held
  }

  releaseAll(): void {
    for (const spot of this.#spots) spot.go()
  }

  /** Lets everybody go, and stops nobody any more. */
  close(): void {
    this.#closed = true
    this.releaseAll()
  }
}
