/**
 * Bounds the memory that the journals and snapshots of all sandboxes take together. When it is exceeded, the
 * oldest items are forgotten, in any sandbox: with hundreds of sandboxes a bound for each would say nothing
 * about the sum.
 */
export interface CountedItem {
  readonly bytes: number
  forget(): void
  /** Neighbors in the list of {@link MemoryBound}, which sets them. */
  older?: CountedItem | undefined
  newer?: CountedItem | undefined
}

/** A linked list from oldest to latest: a Set would cost a GET of one resource 4 % more CPU time. */
export class MemoryBound {
  #oldest: CountedItem | undefined
  #latest: CountedItem | undefined
  #bytes = 0
  readonly #maxBytes: number
  /** Called once, when an item is forgotten for the first time. */
  #onFull: () => void

  constructor(maxBytes = Number.POSITIVE_INFINITY, onFull: () => void = () => {}) {
    this.#maxBytes = maxBytes
    this.#onFull = onFull
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The new item is kept even if it alone exceeds the bound. */
  add(item: CountedItem): void {
    item.older = this.#latest
    if (this.#latest) this.#latest.newer = item
    this.#latest = item
    this.#oldest ??= item
    this.#bytes += item.bytes
    while (this.#bytes > this.#maxBytes && this.#oldest !== item) this.#forget(this.#oldest)
  }

  /** Called by an item's owner that has removed it: it no longer counts. */
  release(item: CountedItem): void {
    const { older, newer } = item
    if (!older && this.#oldest !== item) return
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#latest = older
    // Otherwise a removed item in V8's old generation would keep its neighbors alive until the next full
    // collection.
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
