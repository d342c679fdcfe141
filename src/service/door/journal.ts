/**
 * The requests of a sandbox, each from its arrival on, with the reason for its response. Kept in memory, outside of transactions,
 * so that it has refused requests too. The oldest are removed first, also if the requests and snapshots of all sandboxes exceed
 * {@link MemoryBound}.
 */

import type { Route } from '../../spec/contract/endpoints.ts'
import { requestNumber } from '../../spec/contract/ids.ts'
import { JOURNAL_MAX_CHARS, JOURNAL_MAX_REQUESTS } from '../../spec/contract/limits.ts'
import { JOURNALED_HEADERS } from '../../spec/contract/tester.ts'
import { stopwatch } from '../../spec/world/clock.ts'
import type { Answering } from '../operations/operation.ts'
import { JournalEntry } from './journal-entry.ts'
import type { Answer, PlatformRequest } from './request.ts'

interface JournalSetup {
  /** The limits on kept requests and on the characters of their texts. */
  capacity?: number
  maxChars?: number
  memory?: MemoryBound
  /** Additional headers to keep. */
  moreHeaders?: readonly string[]
}

/** An entry, and the memory it takes once it is answered. */
interface KeptEntry extends CountedItem {
  readonly entry: JournalEntry
  chars: number
}

export class Journal {
  /** By number, in the order of arrival. The oldest are removed first; the memory bound may remove any of them. */
  readonly #kept = new Map<number, KeptEntry>()
  /** Requests up to this number are forgotten. */
  #droppedUpTo = 0
  #arrived = 0
  #stateNumber = 0
  #chars = 0
  readonly #inFlight = new Set<JournalEntry>()
  readonly #watchers = new Set<(entry: JournalEntry) => void>()
  readonly capacity: number
  readonly maxChars: number
  /** The headers stored with each request, in lower case. */
  readonly headers: readonly string[]
  readonly #memory: MemoryBound

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
    const { number } = entry
    this.#kept.set(number, { entry, chars: 0, bytes: 0, forget: () => this.#drop(number) })
    this.#inFlight.add(entry)
    return entry
  }

  /** Called when the database is replaced: earlier and later entries are about different states. */
  stateReplaced(): void {
    this.#stateNumber += 1
  }

  close(entry: JournalEntry, answer: Answer, now: number): void {
    entry.answered = answer
    entry.answeredAt = now
    entry.took = stopwatch() - entry.begunAt
    this.#inFlight.delete(entry)
    this.#count(entry)
    while (this.#chars > this.maxChars && this.#droppedUpTo < this.#arrived) this.#dropOldest()
    for (const watch of this.#watchers) watch(entry)
  }

  /** Requests in flight, in order of arrival. */
  get inFlight(): readonly JournalEntry[] {
    return [...this.#inFlight]
  }

  get stateNumber(): number {
    return this.#stateNumber
  }

  get arrived(): number {
    return this.#arrived
  }

  /** How many requests were dropped from the journal. */
  get forgotten(): number {
    return this.#arrived - this.#kept.size
  }

  find(id: string): JournalEntry | undefined {
    const entry = this.#kept.get(requestNumber(id))?.entry
    return entry?.id === id ? entry : undefined
  }

  /** Newest first. */
  *newestFirst(): Generator<JournalEntry> {
    for (let number = this.#arrived; number > this.#droppedUpTo; number -= 1) {
      const kept = this.#kept.get(number)
      if (kept) yield kept.entry
    }
  }

  /** Removes every entry. Numbering continues, so an id is never reused. */
  clear(): void {
    while (this.#droppedUpTo < this.#arrived) this.#dropOldest()
  }

  #count(entry: JournalEntry): void {
    const kept = this.#kept.get(entry.number)
    if (!kept) return
    kept.chars = charsOf(entry)
    kept.bytes = ENTRY_BYTES + kept.chars
    this.#chars += kept.chars
    this.#memory.add(kept)
  }

  #dropOldest(): void {
    this.#droppedUpTo += 1
    this.#drop(this.#droppedUpTo)
  }

  #drop(number: number): void {
    const kept = this.#kept.get(number)
    if (!kept) return
    this.#kept.delete(number)
    this.#chars -= kept.chars
    this.#memory.release(kept)
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

/** Measured size of an entry without its texts, with the resource before and after. */
const ENTRY_BYTES = 2_000

/** The parts of an entry that may be long. */
function charsOf({ asked: { body, headers, target }, answered }: JournalEntry): number {
  let chars = body.length + (answered?.body.length ?? 0) + target.length
  for (const name in headers) chars += headers[name]!.length
  return chars
}

export interface CountedItem {
  bytes: number
  forget(): void
}

/**
 * Bounds the memory of all sandboxes' journals and snapshots together. When it is exceeded, the oldest items of any sandbox are
 * dropped: with hundreds of sandboxes, a bound for each would not limit the total.
 */
export class MemoryBound {
  /** Oldest first. */
  readonly #items = new Set<CountedItem>()
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

  /** The new item is stored even if it alone exceeds the bound. */
  add(item: CountedItem): void {
    this.#items.add(item)
    this.#bytes += item.bytes
    if (this.#bytes <= this.#maxBytes) return
    for (const oldest of this.#items) {
      if (this.#bytes <= this.#maxBytes || oldest === item) break
      // Before `forget`, in which its owner releases it too: that does nothing then.
      this.release(oldest)
      oldest.forget()
      this.#onFull()
      this.#onFull = () => {}
    }
  }

  /** Called by an item's owner that has removed it: it no longer counts. */
  release(item: CountedItem): void {
    if (this.#items.delete(item)) this.#bytes -= item.bytes
  }
}
