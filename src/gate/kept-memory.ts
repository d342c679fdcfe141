/**
 * How much memory the journals and the snapshots of all sandboxes take together. What would go beyond the bound makes the
 * oldest go, whichever sandbox it belongs to: a sandbox's own bound says nothing where there are hundreds of sandboxes.
 */
export interface Kept {
  readonly bytes: number
  forget(): void
  /** Its neighbors, as {@link KeptMemory} sets them. */
  older?: Kept | undefined
  newer?: Kept | undefined
}

/** A linked list: with a Set, a GET of one resource takes 4 % more CPU time. */
export class KeptMemory {
  #oldest: Kept | undefined
  #latest: Kept | undefined
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

  /** The latest stays, even where it alone is larger than the bound. */
  add(kept: Kept): void {
    kept.older = this.#latest
    if (this.#latest) this.#latest.newer = kept
    this.#latest = kept
    this.#oldest ??= kept
    this.#bytes += kept.bytes
    while (this.#bytes > this.#maxBytes && this.#oldest !== kept) this.#forget(this.#oldest)
  }

  /** No longer counted: its owner has removed it. */
  release(kept: Kept): void {
    const { older, newer } = kept
    if (!older && this.#oldest !== kept) return
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#latest = older
    // Otherwise one that is dead and old keeps its neighbors alive until V8's next full collection.
    kept.older = undefined
    kept.newer = undefined
    this.#bytes -= kept.bytes
  }

  #forget(oldest: Kept): void {
    this.release(oldest)
    oldest.forget()
    this.#onFull()
    this.#onFull = () => {}
  }
}
