/**
 * How much memory the journals and the snapshots of all sandboxes take together. What would go beyond the bound makes the
 * oldest go, whichever sandbox it belongs to: a sandbox's own bound says nothing where there are hundreds of sandboxes.
 */
export interface CountedItem {
  readonly bytes: number
  forget(): void
  /** Its neighbors, as {@link MemoryBound} sets them. */
  older?: CountedItem | undefined
  newer?: CountedItem | undefined
}

/** A linked list: with a Set, a GET of one resource takes 4 % more CPU time. */
export class MemoryBound {
  #oldest: CountedItem | undefined
  #latest: CountedItem | undefined
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
  add(item: CountedItem): void {
    item.older = this.#latest
    if (this.#latest) this.#latest.newer = item
    this.#latest = item
    this.#oldest ??= item
    this.#bytes += item.bytes
    while (this.#bytes > this.#maxBytes && this.#oldest !== item) this.#forget(this.#oldest)
  }

  /** No longer counted: its owner has removed it. */
  release(item: CountedItem): void {
    const { older, newer } = item
    if (!older && this.#oldest !== item) return
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#latest = older
    // Otherwise one that is dead and old keeps its neighbors alive until V8's next full collection.
    item.older = undefined
    item.newer = undefined
    this.#bytes -= item.bytes
  }

  #forget(oldest: CountedItem): void {
    this.release(oldest)
    oldest.forget()
    this.#onFull()
    this.#onFull = () => {}
  }
}
