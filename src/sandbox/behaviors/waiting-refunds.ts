/** Refunds that complete once a platform has read them so many times, or once a gate is released. */
import type { Remembered, RememberedMap } from './remembered.ts'
import type { TakeBack } from './take-back.ts'

export class WaitingRefunds {
  #complete: (id: string) => void = () => {}
  readonly #readsLeft: RememberedMap<number>
  readonly #gates: RememberedMap<string>

  constructor(remembered: Remembered) {
    this.#readsLeft = remembered.map('reads left of a refund')
    this.#gates = remembered.map('gate of a refund')
  }

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

  /** Called before the read, so that the last of the reads already sees the refund completed. */
  countRead(id: string): TakeBack | undefined {
    const left = this.#readsLeft.get(id)
    if (left === undefined) return undefined
    if (left === 1) {
      this.#finish(this.#readsLeft, id)
      return undefined
    }
    this.#readsLeft.set(id, left - 1)
    return () => {
      const now = this.#readsLeft.get(id)
      if (now !== undefined) this.#readsLeft.set(id, now + 1)
    }
  }

  /** Completes the refunds that wait for the gate. */
  release(gate: string): void {
    for (const [id, at] of [...this.#gates]) if (at === gate) this.#finish(this.#gates, id)
  }

  /** The gates that refunds wait for. */
  gates(): string[] {
    return [...this.#gates].map(([, gate]) => gate)
  }

  /** Forgets them; their state stays as it is. */
  clear(): void {
    this.#readsLeft.clear()
    this.#gates.clear()
  }

  /** It stops waiting in the commit that completes it, and goes on waiting where that fails. */
  #finish<Until>(waiting: RememberedMap<Until>, id: string): void {
    const until = waiting.get(id)!
    waiting.delete(id)
    try {
      this.#complete(id)
    } catch (cause) {
      waiting.set(id, until)
      throw cause
    }
  }
}
