/**
 * Every request from its arrival, with why it was answered as it was. Kept in memory, outside every transaction, so a
 * refused request is seen too; the oldest go first. API keys are never written here.
 */
import { JOURNAL_MAX_CHARS, JOURNAL_MAX_REQUESTS } from '../contract/limits.ts'
import type { Resource } from '../operations/resources.ts'
import type { EventRow } from '../store/events.ts'
import { stopwatch } from '../world/clock.ts'
import type { RateLimitStatus } from './rate-limit.ts'
import type { PlatformRequest } from './request.ts'

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

export type IdempotencyVerdict =
  | { verdict: 'no key' | 'not honored' | 'first use' | 'in flight' }
  | { verdict: 'replayed'; firstUsedAt: number }
  | { verdict: 'reused with another body'; firstUsedAt: number; recorded: string; given: string }

/** A behavior that acted on a request, or nearly did. */
export interface BehaviorResult {
  behavior: string
  did: string
  fired: boolean
  why: string
}

export interface JournalEntry {
  id: string
  /** Its place among all that arrived. */
  number: number
  arrivedAt: number
  answeredAt: number | null
  /** How long it took by the machine's clock, whatever the sandbox's says; until then, when it began. */
  durationMs: number
  method: string
  target: string
  /** What the platform addressed us by. */
  origin: string
  ip: string
  operation: string | null
  /** The resource that the path names, or the body of a refund. */
  subject: string | null
  key: string | null
  headers: Record<string, string>
  body: string
  /** The step that answered. */
  step: GateStep
  status: number | null
  answer: string | null
  answerHeaders: Readonly<Record<string, string>>
  fault: string | null
  rateLimit: RateLimitStatus | null
  idempotency: IdempotencyVerdict | null
  behaviors: readonly BehaviorResult[]
  /** The subject as the operation found it and as it left it. */
  before: Resource | null
  after: Resource | null
  events: readonly Pick<EventRow, 'id' | 'type' | 'resourceId'>[]
  /** Why a 500 was answered; for the tester's eyes only. */
  bug: string | null
}

/** Whatever else a platform sends may be a secret. */
export const KEPT_HEADERS: readonly string[] = ['content-type', 'idempotency-key', 'user-agent', 'x-sim']

export class Journal {
  /** A ring: a request's place is its number, counted from the last time that all were forgotten. */
  #ring: (JournalEntry | undefined)[] = []
  #from = 0
  #arrived = 0
  #forgotten = 0
  #chars = 0
  #inFlight = new Set<JournalEntry>()
  #watchers = new Set<(entry: JournalEntry) => void>()
  readonly capacity: number
  readonly maxChars: number

  constructor(capacity = JOURNAL_MAX_REQUESTS, maxChars = JOURNAL_MAX_CHARS) {
    this.capacity = capacity
    this.maxChars = maxChars
  }

  open(request: PlatformRequest, now: number): JournalEntry {
    this.#arrived += 1
    const headers: Record<string, string> = {}
    for (const name of KEPT_HEADERS) {
      const value = request.header(name)
      if (value !== undefined) headers[name] = value
    }
    const entry: JournalEntry = {
      id: `req_${this.#arrived}`,
      number: this.#arrived,
      arrivedAt: now,
      answeredAt: null,
      durationMs: stopwatch(),
      method: request.method,
      target: request.target,
      origin: request.origin,
      ip: request.ip,
      operation: request.route?.operation?.id ?? null,
      subject: request.route?.params.paymentMethodId ?? request.route?.params.id ?? null,
      key: null,
      headers,
      body: request.body === 'too large' ? '' : request.body.toString('utf8'),
      step: 'rate limit',
      status: null,
      answer: null,
      answerHeaders: NO_HEADERS,
      fault: null,
      rateLimit: null,
      idempotency: null,
      behaviors: NONE,
      before: null,
      after: null,
      events: NONE,
      bug: null,
    }
    if (this.#arrived - this.#forgotten > this.capacity) this.#forgetOldest()
    this.#ring[this.#placeOf(this.#arrived)] = entry
    this.#inFlight.add(entry)
    return entry
  }

  /** Completes an entry with the answer that was given. */
  close(entry: JournalEntry, now: number): void {
    entry.answeredAt = now
    entry.durationMs = stopwatch() - entry.durationMs
    this.#inFlight.delete(entry)
    if (entry.number > this.#forgotten) this.#chars += charsOf(entry)
    while (this.#chars > this.maxChars && this.#forgotten < this.#arrived) this.#forgetOldest()
    for (const watch of this.#watchers) watch(entry)
  }

  get inFlight(): ReadonlySet<JournalEntry> {
    return this.#inFlight
  }

  get arrived(): number {
    return this.#arrived
  }

  find(id: string): JournalEntry | undefined {
    const number = /^req_(\d+)$/.exec(id)?.[1]
    const entry = number && this.#ring[this.#placeOf(Number(number))]
    return entry && entry.id === id ? entry : undefined
  }

  /** Newest first. */
  *newestFirst(): Generator<JournalEntry> {
    for (let number = this.#arrived; number > this.#forgotten; number -= 1) {
      const entry = this.#ring[this.#placeOf(number)]
      if (entry) yield entry
    }
  }

  /** Forgets everything; numbers go on, so an id is never used twice. */
  clear(): void {
    this.#from = this.#arrived
    this.#forgotten = this.#arrived
    this.#ring = []
    this.#chars = 0
  }

  #forgetOldest(): void {
    this.#forgotten += 1
    const place = this.#placeOf(this.#forgotten)
    const entry = this.#ring[place]
    if (entry && entry.answeredAt !== null) this.#chars -= charsOf(entry)
    this.#ring[place] = undefined
  }

  #placeOf(number: number): number {
    return (number - 1 - this.#from) % this.capacity
  }

  /** How many are told of every answer: what nobody watches costs nothing. */
  get watchers(): number {
    return this.#watchers.size
  }

  /** Calls back with every request as it is answered, until told to stop. */
  watch(callback: (entry: JournalEntry) => void): () => void {
    this.#watchers.add(callback)
    return () => this.#watchers.delete(callback)
  }
}

/** Writes down what behaviors did to a request. */
export function noteBehaviors(entry: JournalEntry, firings: readonly BehaviorResult[]): void {
  if (firings.length > 0) entry.behaviors = [...entry.behaviors, ...firings]
}

/** Thousands of requests are kept, and most have nothing to say here. */
const NONE: readonly never[] = []
const NO_HEADERS = {}

/** What a request takes up that can be of any size. */
const charsOf = ({ body, answer }: JournalEntry) => body.length + (answer?.length ?? 0)
