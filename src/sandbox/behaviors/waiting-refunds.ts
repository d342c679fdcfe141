/** Refunds that complete after a number of reads by the platform, or when a gate is released. */
import type { Remembered, RememberedMap, Write } from './remembered.ts'

/**
 * Completes a refund, unless it is completed already, and runs `write` in the same transaction, which is
 * committed when it returns.
 */
type Complete = (id: string, write: () => void) => void

export class WaitingRefunds {
  #complete: Complete = () => {}
  readonly #readsLeft: RememberedMap<number>
  readonly #gates: RememberedMap<string>

  constructor(remembered: Remembered) {
    this.#readsLeft = remembered('reads left of a refund')
    this.#gates = remembered('gate of a refund')
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

  /** Called before each read, so that the last counted read already shows the refund as completed. */
  countRead(id: string, write: Write): void {
    const left = this.#readsLeft.get(id)
    if (left === 1) this.#complete(id, () => this.#readsLeft.delete(id))
    else if (left !== undefined) write(() => this.#readsLeft.set(id, left - 1))
  }

  /** Completes the refunds waiting for the gate. */
  release(gate: string): void {
    for (const [id, at] of this.#gates) if (at === gate) this.#complete(id, () => this.#gates.delete(id))
  }

  /** The gates that refunds wait for. */
  gates(): string[] {
    return [...this.#gates].map(([, gate]) => gate)
  }
}
