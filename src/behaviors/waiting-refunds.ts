/**
 * Refunds that move on when somebody says so: a platform by reading them often enough, or a tester by opening a gate.
 */
export class WaitingRefunds {
  readonly #complete: (id: string) => void
  readonly #readsLeft = new Map<string, number>()
  readonly #gates = new Map<string, string>()

  /** `complete` finishes a refund, unless it is finished already. */
  constructor(complete: (id: string) => void) {
    this.#complete = complete
  }

  waitForReads(id: string, reads: number): void {
    this.#readsLeft.set(id, reads)
  }

  waitAtGate(id: string, gate: string): void {
    this.#gates.set(id, gate)
  }

  get awaitsReads(): boolean {
    return this.#readsLeft.size > 0
  }

  /** A platform is about to read it: the last of the reads sees it completed. */
  read(id: string): void {
    const left = this.#readsLeft.get(id)
    if (left === undefined) return
    if (left > 1) this.#readsLeft.set(id, left - 1)
    else {
      this.#readsLeft.delete(id)
      this.#complete(id)
    }
  }

  /** Completes those that wait at the gate. */
  release(gate: string): void {
    for (const [id, at] of this.#gates) {
      if (at !== gate) continue
      this.#gates.delete(id)
      this.#complete(id)
    }
  }

  /** Nobody waits for them any more; they stay as they are. */
  clear(): void {
    this.#readsLeft.clear()
    this.#gates.clear()
  }
}
