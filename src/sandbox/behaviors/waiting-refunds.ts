/** Refunds that complete once a platform has read them so many times, or once a gate is released. */
import type { Remembered, RememberedMap, Write } from './remembered.ts'

/** Completes a refund unless it is completed already, together with what `write` writes; both are committed when it returns. */
type Complete = (id: string, write: () => void) => void

export class WaitingRefunds {
  #complete: Complete = () => {}
  readonly #readsLeft: RememberedMap<number>
  readonly #gates: RememberedMap<string>

  constructor(remembered: Remembered) {
    this.#readsLeft = remembered.map('reads left of a refund')
    this.#gates = remembered.map('gate of a refund')
  }

  completeWith(complete: Complete): void {
    this.#complete = complete
  }

  waitForReads(id: string, reads: number): void {
    this.#readsLeft.set(id, reads)
  }

  waitAtGate(id: string, gate: string): void {
    this.#gates.set(id, gate)
  }

  /** Called before the read, so that the last of the reads already sees the refund completed. */
  countRead(id: string, write: Write): void {
    const left = this.#readsLeft.get(id)
    if (left === 1) this.#complete(id, () => this.#readsLeft.delete(id))
    else if (left !== undefined) write(() => this.#readsLeft.set(id, left - 1))
  }

  /** Completes the refunds that wait for the gate. */
  release(gate: string): void {
    for (const [id, at] of this.#gates) if (at === gate) this.#complete(id, () => this.#gates.delete(id))
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
}
