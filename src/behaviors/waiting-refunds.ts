/** Refunds that complete once a platform has read them so many times, or once a gate is released. */
import type { TakeBack } from './take-back.ts'

export class WaitingRefunds {
  #complete: (id: string) => void = () => {}
  readonly #readsLeft = new Map<string, number>()
  readonly #gates = new Map<string, string>()

  /** `complete` commits before it returns, and does nothing to a refund that is completed already. */
  completeWith(complete: (id: string) => void): void {
    this.#complete = complete
  }

  waitForReads(id: string, reads: number): void {
    this.#readsLeft.set(id, reads)
  }

  waitAtGate(id: string, gate: string): void {
    this.#gates.set(id, gate)
  }

  /** The refund's transaction was not committed: there is no such refund. */
  remove(id: string): void {
    this.#readsLeft.delete(id)
    this.#gates.delete(id)
  }

  get awaitsReads(): boolean {
    return this.#readsLeft.size > 0
  }

  /** Called before the read, so that the last of the reads already sees the refund completed. */
  countRead(id: string): TakeBack {
    const left = this.#readsLeft.get(id)
    if (left === undefined) return () => {}
    if (left > 1) this.#readsLeft.set(id, left - 1)
    else {
      this.#complete(id)
      this.#readsLeft.delete(id)
    }
    return () => {
      const now = this.#readsLeft.get(id)
      if (now !== undefined) this.#readsLeft.set(id, now + 1)
    }
  }

  /** Completes the refunds that wait for the gate. */
  release(gate: string): void {
    for (const [id, at] of this.#gates) {
      if (at !== gate) continue
      this.#complete(id)
      this.#gates.delete(id)
    }
  }

  /** Forgets them; their state stays as it is. */
  clear(): void {
    this.#readsLeft.clear()
    this.#gates.clear()
  }
}
