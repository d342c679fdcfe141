/**
 * Every request from its arrival, with why it was answered as it was. Kept in memory, outside every transaction, so a
 * refused request is seen too; the oldest go first. API keys are never written here.
 */
import { JOURNAL_MAX_REQUESTS } from '../contract/limits.ts'
import type { Resource } from '../operations/resources.ts'
import type { EventRow } from '../store/events.ts'
import { stopwatch } from '../world/clock.ts'
import type { Standing } from './rate-limit.ts'
import type { PlatformRequest } from './request.ts'

/** The steps of §2, in order; a request is answered by the last one that it reached. */
export const STEPS = [
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

export type Step = (typeof STEPS)[number]

export type IdempotencyVerdict =
  | { verdict: 'no key' | 'not honored' | 'first use' | 'in flight' }
  | { verdict: 'replayed'; firstUsedAt: number }
  | { verdict: 'reused with another body'; firstUsedAt: number; recorded: string; given: string }

/** A behavior that acted on a request, or nearly did. */
export interface Firing {
  behavior: string
  did: string
  fired: boolean
  why: string
}

export interface Entry {
  id: string
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
  step: Step
  status: number | null
  answer: string | null
  answerHeaders: Record<string, string>
  fault: string | null
  rateLimit: Standing | null
  idempotency: IdempotencyVerdict | null
  behaviors: Firing[]
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
  #entries: (Entry | undefined)[]
  #arrived = 0
  #dropped = 0
  #inFlight = new Set<Entry>()
  #watchers = new Set<(entry: Entry) => void>()
  readonly capacity: number

  constructor(capacity = JOURNAL_MAX_REQUESTS) {
    this.capacity = capacity
    this.#entries = []
  }

  open(request: PlatformRequest, now: number): Entry {
    this.#arrived += 1
    const headers: Record<string, string> = {}
    for (const name of KEPT_HEADERS) {
      const value = request.header(name)
      if (value !== undefined) headers[name] = value
    }
    const entry: Entry = {
      id: `req_${this.#arrived}`,
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
      body: request.body === 'too large' ? '' : textOf(request.body),
      step: 'rate limit',
      status: null,
      answer: null,
      answerHeaders: {},
      fault: null,
      rateLimit: null,
      idempotency: null,
      behaviors: [],
      before: null,
      after: null,
      events: [],
      bug: null,
    }
    this.#entries[(this.#arrived - 1) % this.capacity] = entry
    this.#inFlight.add(entry)
    return entry
  }

  /** Completes an entry with the answer that was given. */
  close(entry: Entry, now: number): void {
    entry.answeredAt = now
    entry.durationMs = stopwatch() - entry.durationMs
    this.#inFlight.delete(entry)
    for (const watch of this.#watchers) watch(entry)
  }

  get inFlight(): ReadonlySet<Entry> {
    return this.#inFlight
  }

  get arrived(): number {
    return this.#arrived
  }

  find(id: string): Entry | undefined {
    const number = /^req_(\d+)$/.exec(id)?.[1]
    const entry = number && this.#entries[(Number(number) - 1) % this.capacity]
    return entry && entry.id === id ? entry : undefined
  }

  /** Newest first. */
  *newestFirst(): Generator<Entry> {
    for (let number = this.#arrived; number > this.#oldest; number -= 1) {
      const entry = this.#entries[(number - 1) % this.capacity]
      if (entry) yield entry
    }
  }

  get #oldest(): number {
    return Math.max(this.#dropped, this.#arrived - this.capacity)
  }

  /** Forgets what has been answered; numbers go on, so an id is never used twice. */
  clear(): void {
    this.#dropped = this.#arrived
    this.#entries = []
  }

  /** Calls back with every request as it is answered, until told to stop. */
  watch(callback: (entry: Entry) => void): () => void {
    this.#watchers.add(callback)
    return () => this.#watchers.delete(callback)
  }
}

const textOf = (bytes: Uint8Array) =>
  bytes.length === 0 ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
