/**
 * How much memory the journals and the snapshots of all sandboxes take together. What would go beyond the bound makes the
 * oldest go, whichever sandbox it belongs to: a sandbox's own bound says nothing where there are hundreds of sandboxes.
 */
export interface Kept {
  readonly bytes: number
  forget(): void
}

export class KeptMemory {
  /** From the oldest to the latest. */
  readonly #kept = new Set<Kept>()
  #bytes = 0
  readonly #maxBytes: number
  /** Called once, when something goes for the first time. */
  #onFull: () => void

  constructor(maxBytes = Number.POSITIVE_INFINITY, onFull: () => void = () => {}) {
    this.#maxBytes = maxBytes
    this.#onFull = onFull
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The latest stays, be it larger than the bound. */
  add(kept: Kept): void {
    this.#kept.add(kept)
    this.#bytes += kept.bytes
    while (this.#bytes > this.#maxBytes && this.#kept.size > 1)
      this.#forget(this.#kept.values().next().value!)
  }

  /** It is gone already. */
  release(kept: Kept): void {
    if (this.#kept.delete(kept)) this.#bytes -= kept.bytes
  }

  #forget(oldest: Kept): void {
    this.release(oldest)
    oldest.forget()
    this.#onFull()
    this.#onFull = () => {}
  }
}
