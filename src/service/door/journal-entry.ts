/** One journaled request: the steps that it passed and the reason for its response. API keys are never kept. */
import {
  type AnswerLoss,
  CLIENT_LEFT,
  type ConnectionFaultKind,
} from '../../spec/contract/connection-fault.ts'
import { type OperationId, type Route, writes } from '../../spec/contract/endpoints.ts'
import { requestId } from '../../spec/contract/ids.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'
import type { Asked, Exchange } from '../../spec/exchange.ts'
import { stopwatch } from '../../spec/world/clock.ts'
import type { Answering } from '../operations/operation.ts'
import type { Resource } from '../operations/unit.ts'
import type { EventRow } from '../store/events.ts'
import { type IdempotencyVerdict, keyIn } from './idempotency.ts'
import type { RateLimitStatus } from './rate-limit.ts'
import { type Answer, NO_STATUS, type PlatformRequest } from './request.ts'

/**
 * The steps of §2, in order; the last step that a request reaches answers it. A request outside /v1 reaches only the first step,
 * which other requests skip.
 */
export const DOOR_STEPS = [
  'outside /v1',
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

export type DoorStep = (typeof DOOR_STEPS)[number]

/** A behavior that acted on a request, or matched it and did not act (`why`). */
export interface BehaviorResult {
  behavior: string
  did: string
  fired: boolean
  why: string
  /** If the request waits: the gate, or the duration. */
  waits?: { gate: string | null; for: string | null } | undefined
}

/** A shared empty value, because thousands of entries have no behaviors and no events. */
const NONE: readonly never[] = []

/** One request and its response. Only the door's methods write its fields. */
export class JournalEntry implements Exchange<Asked, AnswerLoss> {
  readonly id: string
  /** Its number among all requests of the sandbox, from 1. */
  readonly number: number
  /**
   * How often the sandbox's state had been replaced before this request. The same id may mean different resources in different
   * states.
   */
  readonly stateNumber: number
  /** With the stored headers. */
  readonly asked: Asked & { readonly body: string }
  /** The response as created; a fault may have kept it from the client. */
  readonly answered: Answer | null = null
  /** Sandbox time, like `answeredAt`. */
  readonly at: number
  readonly answeredAt: number | null = null
  /**
   * A reading of the machine's stopwatch, to measure how long the answer takes; the sandbox's clock may be
   * frozen.
   */
  readonly begunAt: number = stopwatch()
  readonly took: number = 0
  /** The address that the platform used, such as http://127.0.0.1:4100. */
  readonly origin: string
  readonly ip: string
  readonly operation: OperationId | null
  /** Id of the resource that the path names, or that the body of a refund names. */
  readonly subject: string | null
  /** The key that was sent, even if the request was refused before the key was read, such as with a 429. */
  readonly key: string | null
  /** Reads a body in the profile's words; undefined if the profile renames nothing. */
  readonly readBody: ((body: JsonObject) => JsonObject) | undefined
  /** The latest step reached; after the response, the step that answered. */
  readonly step: DoorStep = 'outside /v1'
  /** How far the request had got when its client left. */
  readonly clientLeftWhen: 'before the commit' | 'after the commit' | 'before the answer' | null = null
  /** Null without a limit. Stored here because a profile may omit the headers of the response. */
  readonly rateLimit: RateLimitStatus | null = null
  readonly idempotency: IdempotencyVerdict | null = null
  readonly behaviors: readonly BehaviorResult[] = NONE
  /** The resource that the request is about, before the operation and after it. */
  readonly before: Resource | null = null
  readonly after: Resource | null = null
  readonly events: readonly Pick<EventRow, 'id' | 'type' | 'resourceId'>[] = NONE
  /** The error behind a 500; shown to the tester, never to the platform. */
  readonly bug: string | null = null

  constructor(
    number: number,
    stateNumber: number,
    request: PlatformRequest,
    route: Route<Answering> | undefined,
    now: number,
    headers: Asked['headers'],
  ) {
    const { method, target, origin, ip, body } = request
    this.id = requestId(number)
    this.number = number
    this.stateNumber = stateNumber
    this.at = now
    this.asked = { method, target, headers, body: body === 'too large' ? '' : body.toString('utf8') }
    this.origin = origin
    this.ip = ip
    this.operation = route?.row?.id ?? null
    this.key = writes(method) ? keyIn(request.idempotencyKeys) : null
    this.subject = subjectOf(route)
    this.readBody = route?.row?.reads?.body
  }

  /** Null while the request is in flight, or if its connection broke before the operation. */
  get status(): number | null {
    return this.answered === null || this.answered.status === NO_STATUS ? null : this.answered.status
  }

  get fault(): ConnectionFaultKind | null {
    return this.answered?.fault?.kind ?? null
  }

  get clientLeft(): boolean {
    return this.clientLeftWhen !== null
  }

  get ending(): AnswerLoss | null {
    return this.fault ?? (this.clientLeft ? CLIENT_LEFT : null)
  }

  reached(step: DoorStep): void {
    writable(this).step = step
  }

  counted(status: RateLimitStatus): void {
    writable(this).rateLimit = status
  }

  decided(verdict: IdempotencyVerdict): void {
    writable(this).idempotency = verdict
  }

  /** Sets the resource that a refund's body names, unless the path has named one. */
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
    // Without the bodies, which the database has.
    writable(this).events = events.map(({ id, type, resourceId }) => ({ id, type, resourceId }))
  }

  behaved(results: readonly BehaviorResult[]): void {
    if (results.length > 0) writable(this).behaviors = [...this.behaviors, ...results]
  }

  /** The transaction was rolled back, so the resource is as before. */
  rolledBack(): void {
    writable(this).after = this.before
  }

  /** An unexpected error; its transaction, if there was one, was rolled back. */
  failed(cause: unknown): void {
    this.rolledBack()
    writable(this).bug = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  }

  answeredWith(answer: Answer, now: number): void {
    const entry = writable(this)
    entry.answered = answer
    entry.answeredAt = now
    entry.took = stopwatch() - this.begunAt
  }

  /** The platform closed its connection before the response was ready. */
  leftByClient(when: NonNullable<JournalEntry['clientLeftWhen']>): void {
    writable(this).clientLeftWhen = when
  }
}

const subjectOf = (route: Route<Answering> | undefined): string | null => {
  const name = route?.row?.subject
  return name === undefined ? null : (route!.params[name] ?? null)
}

/** The same entry with assignable fields, for its own methods. */
const writable = (entry: JournalEntry): { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] } =>
  entry
