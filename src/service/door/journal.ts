/**
 * The requests of a sandbox, each from its arrival on, with the reason for its answer. Kept in memory,
 * outside of transactions, so that refused requests are here too; the oldest are removed first, also where the
 * requests and snapshots of all sandboxes take more than {@link MemoryBound} allows.
 */

import type { Route } from '../../spec/contract/endpoints.ts'
import { requestNumber } from '../../spec/contract/ids.ts'
import { JOURNAL_MAX_CHARS, JOURNAL_MAX_REQUESTS } from '../../spec/contract/limits.ts'
import { JOURNALED_HEADERS } from '../../spec/contract/tester.ts'
import type { Answering } from '../operations/operation.ts'
import { JournalEntry } from './journal-entry.ts'
import type { Answer, PlatformRequest } from './request.ts'

export interface JournalSetup {
  /** The most requests that it keeps, and the most characters of their texts. */
  capacity?: number
  maxChars?: number
  memory?: MemoryBound
  /** Headers that are kept beside the usual ones. */
  moreHeaders?: readonly string[]
}

export class Journal {
  /** A ring buffer: entry `number` is at `(number - 1 - #clearedAt) % capacity`. */
  #ring: (JournalEntry | undefined)[] = []
  /** The memory that each answered entry takes, at the same index as in the ring. */
  #counted: (CountedEntry | undefined)[] = []
  /** How many had arrived when the journal was last cleared. */
  #clearedAt = 0
  #arrived = 0
  /** No request up to this number is kept; of those after it the memory bound may have dropped some. */
  #droppedUpTo = 0
  #kept = 0
  #stateNumber = 0
  #chars = 0
  /** An array: with the few requests that are usually in flight it is faster than a Set. */
  readonly #inFlight: JournalEntry[] = []
  #watchers = new Set<(entry: JournalEntry) => void>()
  readonly capacity: number
  readonly maxChars: number
  /** The headers that are kept of each request, in lower case. */
  readonly headers: readonly string[]

  readonly #memory: MemoryBound
  readonly #drop = (index: number) => this.#dropAt(index)

  constructor({
    capacity = JOURNAL_MAX_REQUESTS,
    maxChars = JOURNAL_MAX_CHARS,
    memory = new MemoryBound(),
    moreHeaders = [],
  }: JournalSetup = {}) {
    this.headers = [...new Set([...JOURNALED_HEADERS, ...moreHeaders.map((name) => name.toLowerCase())])]
    this.capacity = capacity
    this.maxChars = maxChars
    this.#memory = memory
  }

  open(request: PlatformRequest, route: Route<Answering> | undefined, now: number): JournalEntry {
    this.#arrived += 1
    const headers = recordedHeaders(request, this.headers)
    const entry = new JournalEntry(this.#arrived, this.#stateNumber, request, route, now, headers)
    if (this.#arrived - this.#droppedUpTo > this.capacity) this.#dropOldest()
    this.#ring[this.#indexOf(this.#arrived)] = entry
    this.#kept += 1
    this.#inFlight.push(entry)
    return entry
  }

  /** Called when another database is in place: entries before and after are about different states. */
  stateReplaced(): void {
    this.#stateNumber += 1
  }

  close(entry: JournalEntry, answer: Answer, now: number): void {
    entry.answeredWith(answer, now)
    this.#inFlight.splice(this.#inFlight.indexOf(entry), 1)
    if (entry.number > this.#droppedUpTo) this.#keep(entry)
    while (this.#chars > this.maxChars && this.#droppedUpTo < this.#arrived) this.#dropOldest()
    for (const watch of this.#watchers) watch(entry)
  }

  /** Requests that are not answered yet, in the order in which they arrived. */
  get inFlight(): readonly JournalEntry[] {
    return this.#inFlight
  }

  get stateNumber(): number {
    return this.#stateNumber
  }

  get arrived(): number {
    return this.#arrived
  }

  /** How many requests arrived that are no longer kept. */
  get forgotten(): number {
    return this.#arrived - this.#kept
  }

  find(id: string): JournalEntry | undefined {
    const entry = this.#ring[this.#indexOf(requestNumber(id))]
    return entry?.id === id ? entry : undefined
  }

  /** Newest first. */
  *newestFirst(): Generator<JournalEntry> {
    for (let number = this.#arrived; number > this.#droppedUpTo; number -= 1) {
      const entry = this.#ring[this.#indexOf(number)]
      if (entry) yield entry
    }
  }

  /** Removes every entry. Numbers go on, so an id is never used twice. */
  clear(): void {
    this.#clearedAt = this.#arrived
    this.#droppedUpTo = this.#arrived
    this.#kept = 0
    for (const counted of this.#counted) if (counted) this.#memory.release(counted)
    this.#ring = []
    this.#counted = []
    this.#chars = 0
  }

  #keep(entry: JournalEntry): void {
    const index = this.#indexOf(entry.number)
    const chars = charsOf(entry)
    this.#chars += chars
    const counted = new CountedEntry(chars, index, this.#drop)
    this.#counted[index] = counted
    this.#memory.add(counted)
  }

  #dropOldest(): void {
    this.#droppedUpTo += 1
    this.#dropAt(this.#indexOf(this.#droppedUpTo))
  }

  /** Called where the journal is full, also for an entry that the memory bound has dropped before, and by that bound. */
  #dropAt(index: number): void {
    if (this.#ring[index]) this.#kept -= 1
    const counted = this.#counted[index]
    if (counted) {
      this.#chars -= counted.chars
      this.#memory.release(counted)
    }
    this.#counted[index] = undefined
    this.#ring[index] = undefined
  }

  #indexOf(number: number): number {
    return (number - 1 - this.#clearedAt) % this.capacity
  }

  /** How many callbacks of `watch` are registered. */
  get watchers(): number {
    return this.#watchers.size
  }

  /** Calls back with every request when it is answered; the returned function ends that. */
  watch(callback: (entry: JournalEntry) => void): () => void {
    this.#watchers.add(callback)
    return () => this.#watchers.delete(callback)
  }
}

function recordedHeaders({ header }: PlatformRequest, names: readonly string[]): Record<string, string> {
  const recorded: Record<string, string> = {}
  for (const name of names) {
    const value = header(name)
    if (value !== undefined) recorded[name] = value
  }
  return recorded
}

/** A class: a closure for each of ten thousand entries would be three objects for the garbage collector. */
class CountedEntry implements CountedItem {
  older: CountedItem | undefined
  newer: CountedItem | undefined
  readonly chars: number
  readonly #index: number
  readonly #drop: (index: number) => void

  constructor(chars: number, index: number, drop: (index: number) => void) {
    this.chars = chars
    this.#index = index
    this.#drop = drop
  }

  get bytes(): number {
    return ENTRY_BYTES + this.chars
  }

  forget(): void {
    this.#drop(this.#index)
  }
}

/** Measured size of an entry without its texts, with the resource before and after. */
const ENTRY_BYTES = 2_000

/** The parts of an entry that may be long. */
function charsOf({ asked: { body, headers, target }, answered }: JournalEntry): number {
  let chars = body.length + (answered?.body.length ?? 0) + target.length
  for (const name in headers) chars += headers[name]!.length
  return chars
}

export interface CountedItem {
  readonly bytes: number
  forget(): void
  /** Neighbors in the list of {@link MemoryBound}, which sets them. */
  older?: CountedItem | undefined
  newer?: CountedItem | undefined
}

/**
 * Bounds the memory that the journals and snapshots of all sandboxes take together. When it is exceeded, the
 * oldest items are forgotten, in any sandbox: with hundreds of sandboxes a bound for each would say nothing
 * about the sum. A linked list from oldest to latest: a Set would cost a GET of one resource 4 % more CPU time.
 */
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
    // Before `forget`, in which its owner releases it too: that does nothing then.
    this.release(oldest)
    oldest.forget()
    this.#onFull()
    this.#onFull = () => {}
  }
}
