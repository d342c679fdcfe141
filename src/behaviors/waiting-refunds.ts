/** Refunds that complete once a platform has read them so many times, or once a gate is released. */
export class WaitingRefunds {
  readonly #complete: (id: string) => void
  readonly #readsLeft = new Map<string, number>()
  readonly #gates = new Map<string, string>()

  /** `complete` does nothing to a refund that is completed already. */
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

  /** Called before the read, so that the last of the reads already sees the refund completed. */
  countRead(id: string): void {
    const left = this.#readsLeft.get(id)
    if (left === undefined) return
    if (left > 1) this.#readsLeft.set(id, left - 1)
    else {
      this.#readsLeft.delete(id)
      this.#complete(id)
    }
  }

  /** Completes the refunds that wait for the gate. */
  release(gate: string): void {
    for (const [id, at] of this.#gates) {
      if (at !== gate) continue
      this.#gates.delete(id)
      this.#complete(id)
    }
  }

  /** Forgets them; their state stays as it is. */
  clear(): void {
    this.#readsLeft.clear()
    this.#gates.clear()
  }
}
