/**
 * Every request from its arrival, with why it was answered as it was. It is kept in memory, outside of transactions, so
 * that a refused request is seen too; the oldest are removed first. API keys are never kept.
 */
import { requestId, requestNumber } from '../contract/ids.ts'
import { JOURNAL_MAX_CHARS, JOURNAL_MAX_REQUESTS } from '../contract/limits.ts'
import { JOURNALED_HEADERS } from '../contract/tester.ts'
import type { Resource } from '../operations/resources.ts'
import type { EventRow } from '../store/events.ts'
import { stopwatch } from '../world/clock.ts'
import type { IdempotencyVerdict } from './idempotency.ts'
import { type CountedItem, MemoryBound } from './memory-bound.ts'
import type { RateLimitStatus } from './rate-limit.ts'
import { type Answer, NO_STATUS, type PlatformRequest } from './request.ts'

/** The steps of §2, in order; a request is answered by the last one that it reached. */
export const GATE_STEPS = [
  'rate limit',
  'api key',
  'route',
  'body and media type',
  'idempotency key syntax',
  'json',
  'idempotency',
  'input',
  'behaviors',
  'operation',
  'commit',
] as const

export type GateStep = (typeof GATE_STEPS)[number]

/** A behavior that acted on a request, or nearly did. */
export interface BehaviorResult {
  behavior: string
  did: string
  fired: boolean
  why: string
}

/** Shared by thousands of entries, most of which have nothing to say here. */
const NONE: readonly never[] = []
const NO_HEADERS = {}

/** One request and what became of it. The gate tells it by its verbs; its fields are for reading. */
export class JournalEntry {
  readonly id: string
  /** Its place among all that arrived. */
  readonly number: number
  /** How often the sandbox's state had been replaced: the same id means another resource in another state. */
  readonly stateNumber: number
  readonly arrivedAt: number
  readonly answeredAt: number | null = null
  /** By the machine's stopwatch, which is not the sandbox's clock. */
  readonly begunAt: number = stopwatch()
  readonly durationMs: number = 0
  readonly method: string
  readonly target: string
  /** The address that the platform used, such as http://127.0.0.1:4100. */
  readonly origin: string
  readonly ip: string
  readonly operation: string | null
  /** The resource that the path names, or the body of a refund. */
  readonly subject: string | null
  readonly key: string | null = null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The step that answered. */
  readonly step: GateStep = 'rate limit'
  readonly status: number | null = null
  readonly answer: string | null = null
  readonly answerHeaders: Readonly<Record<string, string>> = NO_HEADERS
  readonly fault: string | null = null
  readonly clientLeft: boolean = false
  /** Where the request stood when its client was seen to have left. */
  readonly clientLeftWhen: 'before the commit' | 'after the commit' | 'before the answer' | null = null
  readonly rateLimit: RateLimitStatus | null = null
  readonly idempotency: IdempotencyVerdict | null = null
  readonly behaviors: readonly BehaviorResult[] = NONE
  /** The subject as the operation found it and as it left it. */
  readonly before: Resource | null = null
  readonly after: Resource | null = null
  readonly events: readonly Pick<EventRow, 'id' | 'type' | 'resourceId'>[] = NONE
  /** Why a 500 was answered; shown to the tester, never to the platform. */
  readonly bug: string | null = null

  constructor(
    number: number,
    stateNumber: number,
    request: PlatformRequest,
    now: number,
    origin: string,
    headers: JournalEntry['headers'],
  ) {
    const { method, target, ip, route, body } = request
    this.id = requestId(number)
    this.number = number
    this.stateNumber = stateNumber
    this.arrivedAt = now
    this.method = method
    this.target = target
    this.origin = origin
    this.ip = ip
    this.operation = route?.operation?.id ?? null
    this.subject = route?.params.paymentMethodId ?? route?.params.id ?? null
    this.headers = headers
    this.body = body === 'too large' ? '' : body.toString('utf8')
  }

  reached(step: GateStep): void {
    writable(this).step = step
  }

  counted(status: RateLimitStatus): void {
    writable(this).rateLimit = status
  }

  carriedKey(key: string): void {
    writable(this).key = key
  }

  decided(verdict: IdempotencyVerdict): void {
    writable(this).idempotency = verdict
  }

  /** The body of a refund names its subject where the path does not. */
  namedSubject(subject: string | null): void {
    writable(this).subject ??= subject
  }

  foundSubject(subject: Resource | null): void {
    writable(this).before = subject
  }

  leftSubject(subject: Resource | null): void {
    writable(this).after = subject
  }

  causedEvents(events: readonly EventRow[]): void {
    // Without their bodies, which the store has.
    writable(this).events = events.map(({ id, type, resourceId }) => ({ id, type, resourceId }))
  }

  behaved(results: readonly BehaviorResult[]): void {
    if (results.length > 0) writable(this).behaviors = [...this.behaviors, ...results]
  }

  /** The resource is as it was found. */
  rolledBack(): void {
    writable(this).after = this.before
  }

  /** Its transaction, if it had one, was rolled back. */
  failed(cause: unknown): void {
    this.rolledBack()
    writable(this).bug = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  }

  answered({ status, body, headers, fault }: Answer, now: number): void {
    const entry = writable(this)
    entry.status = status === NO_STATUS ? null : status
    entry.answer = body
    entry.answerHeaders = headers
    entry.fault = fault?.kind ?? null
    entry.answeredAt = now
    entry.durationMs = stopwatch() - this.begunAt
  }

  /** The platform had closed its connection before the answer was ready. */
  leftByClient(): void {
    const entry = writable(this)
    entry.clientLeft = true
    entry.clientLeftWhen ??= LEFT_WHEN[this.step] ?? 'before the answer'
  }
}

/** The same entry with fields that its verbs may assign. */
const writable = (entry: JournalEntry): { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] } =>
  entry

function recordedHeaders({ header }: PlatformRequest, names: readonly string[]): Record<string, string> {
  const recorded: Record<string, string> = {}
  for (const name of names) {
    const value = header(name)
    if (value !== undefined) recorded[name] = value
  }
  return recorded
}

function hasHeaders(
  { header }: PlatformRequest,
  recorded: JournalEntry['headers'],
  names: readonly string[],
): boolean {
  for (const name of names) if (header(name) !== recorded[name]) return false
  return true
}

/** By the step that a request had reached; a read and a refusal have no commit. */
const LEFT_WHEN: Partial<Record<GateStep, JournalEntry['clientLeftWhen']>> = {
  behaviors: 'before the commit',
  commit: 'after the commit',
}

export class Journal {
  /** A ring buffer: entry `number` is at `(number - 1 - #clearedAt) % capacity`. */
  #ring: (JournalEntry | undefined)[] = []
  /** What each answered entry of the ring takes, at the same index. */
  #counted: (CountedItem | undefined)[] = []
  /** How many had arrived when the journal was last cleared. */
  #clearedAt = 0
  #arrived = 0
  #forgotten = 0
  #stateNumber = 0
  #chars = 0
  /** Mostly few, so an array is faster than a Set. */
  readonly #inFlight: JournalEntry[] = []
  /** Shared by the entries of a client that always sends the same: what entries hold is what a GET makes V8 copy. */
  #latestOrigin = ''
  #latestHeaders: JournalEntry['headers'] = NO_HEADERS
  #watchers = new Set<(entry: JournalEntry) => void>()
  readonly capacity: number
  readonly maxChars: number
  /** The headers that are kept of each request, in lower case. */
  readonly headers: readonly string[]

  readonly #memory: MemoryBound
  readonly #forget = (index: number) => this.#forgetAt(index)

  constructor(
    capacity = JOURNAL_MAX_REQUESTS,
    maxChars = JOURNAL_MAX_CHARS,
    memory: MemoryBound = new MemoryBound(),
    moreHeaders: readonly string[] = [],
  ) {
    this.headers = [...new Set([...JOURNALED_HEADERS, ...moreHeaders.map((name) => name.toLowerCase())])]
    this.capacity = capacity
    this.maxChars = maxChars
    this.#memory = memory
  }

  open(request: PlatformRequest, now: number): JournalEntry {
    this.#arrived += 1
    if (this.#latestOrigin !== request.origin) this.#latestOrigin = request.origin
    if (!hasHeaders(request, this.#latestHeaders, this.headers)) {
      this.#latestHeaders = recordedHeaders(request, this.headers)
    }
    const entry = new JournalEntry(
      this.#arrived,
      this.#stateNumber,
      request,
      now,
      this.#latestOrigin,
      this.#latestHeaders,
    )
    if (this.#arrived - this.#forgotten > this.capacity) this.#forgetOldest()
    this.#ring[this.#indexOf(this.#arrived)] = entry
    this.#inFlight.push(entry)
    return entry
  }

  /** Another database is in place: what came before was about another one. */
  stateReplaced(): void {
    this.#stateNumber += 1
  }

  close(entry: JournalEntry, answer: Answer, now: number): void {
    entry.answered(answer, now)
    this.#inFlight.splice(this.#inFlight.indexOf(entry), 1)
    if (entry.number > this.#forgotten) this.#keep(entry)
    while (this.#chars > this.maxChars && this.#forgotten < this.#arrived) this.#forgetOldest()
    for (const watch of this.#watchers) watch(entry)
  }

  /** In the order in which they arrived. */
  get inFlight(): readonly JournalEntry[] {
    return this.#inFlight
  }

  get stateNumber(): number {
    return this.#stateNumber
  }

  get arrived(): number {
    return this.#arrived
  }

  /** How many of those that arrived are not here any more. */
  get forgotten(): number {
    return this.#forgotten
  }

  find(id: string): JournalEntry | undefined {
    const entry = this.#ring[this.#indexOf(requestNumber(id))]
    return entry?.id === id ? entry : undefined
  }

  /** Newest first. */
  *newestFirst(): Generator<JournalEntry> {
    for (let number = this.#arrived; number > this.#forgotten; number -= 1) {
      const entry = this.#ring[this.#indexOf(number)]
      if (entry) yield entry
    }
  }

  /** Removes every entry. Numbers go on, so an id is never used twice. */
  clear(): void {
    this.#clearedAt = this.#arrived
    this.#forgotten = this.#arrived
    for (const counted of this.#counted) if (counted) this.#memory.release(counted)
    this.#ring = []
    this.#counted = []
    this.#chars = 0
  }

  #keep(entry: JournalEntry): void {
    const index = this.#indexOf(entry.number)
    const chars = charsOf(entry)
    this.#chars += chars
    const counted = new CountedEntry(ENTRY_BYTES + chars, index, this.#forget)
    this.#counted[index] = counted
    this.#memory.add(counted)
  }

  #forgetOldest(): void {
    this.#forgotten += 1
    this.#forgetAt(this.#indexOf(this.#forgotten))
  }

  #forgetAt(index: number): void {
    const counted = this.#counted[index]
    if (counted) {
      this.#chars -= counted.bytes - ENTRY_BYTES
      this.#memory.release(counted)
    }
    this.#counted[index] = undefined
    this.#ring[index] = undefined
  }

  #indexOf(number: number): number {
    return (number - 1 - this.#clearedAt) % this.capacity
  }

  /** How many callbacks are registered. */
  get watchers(): number {
    return this.#watchers.size
  }

  /** Calls back with every request as it is answered; what it returns ends that. */
  watch(callback: (entry: JournalEntry) => void): () => void {
    this.#watchers.add(callback)
    return () => this.#watchers.delete(callback)
  }
}

/** A class, as a closure for each of ten thousand entries would be three objects for the garbage collector. */
class CountedEntry implements CountedItem {
  older: CountedItem | undefined
  newer: CountedItem | undefined
  readonly bytes: number
  readonly #index: number
  readonly #forget: (index: number) => void

  constructor(bytes: number, index: number, forget: (index: number) => void) {
    this.bytes = bytes
    this.#index = index
    this.#forget = forget
  }

  forget(): void {
    this.#forget(this.#index)
  }
}

/** What an entry takes beside its texts: measured, with the resource as it was before and after. */
const ENTRY_BYTES = 2_000

/** The parts of an entry that may be long. */
function charsOf({ body, answer, target, headers }: JournalEntry): number {
  let chars = body.length + (answer?.length ?? 0) + target.length
  for (const name in headers) chars += headers[name]!.length
  return chars
}
