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

/** One request and its response. Only the door, the journal and the faults write its fields. */
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
  answered: Answer | null = null
  /** Sandbox time, like `answeredAt`. */
  readonly at: number
  answeredAt: number | null = null
  /**
   * A reading of the machine's stopwatch, to measure how long the answer takes; the sandbox's clock may be
   * frozen.
   */
  readonly begunAt: number = stopwatch()
  took = 0
  /** The address that the platform used, such as http://127.0.0.1:4100. */
  readonly origin: string
  readonly ip: string
  readonly operation: OperationId | null
  /** Id of the resource that the path names, or that the body of a refund names. */
  subject: string | null
  /** The key that was sent, even if the request was refused before the key was read, such as with a 429. */
  readonly key: string | null
  /** Reads a body in the profile's words; undefined if the profile renames nothing. */
  readonly readBody: ((body: JsonObject) => JsonObject) | undefined
  /** The latest step reached; after the response, the step that answered. */
  step: DoorStep = 'outside /v1'
  /** How far the request had got when its client left. */
  clientLeftWhen: 'before the commit' | 'after the commit' | 'before the answer' | null = null
  /** Null without a limit. Stored here because a profile may omit the headers of the response. */
  rateLimit: RateLimitStatus | null = null
  idempotency: IdempotencyVerdict | null = null
  behaviors: readonly BehaviorResult[] = NONE
  /** The resource that the request is about, before the operation and after it. */
  before: Resource | null = null
  after: Resource | null = null
  events: readonly Pick<EventRow, 'id' | 'type' | 'resourceId'>[] = NONE
  /** The error behind a 500; shown to the tester, never to the platform. */
  bug: string | null = null

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

  behaved(results: readonly BehaviorResult[]): void {
    if (results.length > 0) this.behaviors = [...this.behaviors, ...results]
  }
}

const subjectOf = (route: Route<Answering> | undefined): string | null => {
  const name = route?.row?.subject
  return name === undefined ? null : (route!.params[name] ?? null)
}
