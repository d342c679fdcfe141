/**
 * The steps that every /v1 request takes, in the order in which their refusals win (D20). One plain function: what a
 * middleware throws cannot be rolled back by the one around it, and a transaction has to be.
 */
import {
  ApiError,
  internalError,
  methodNotAllowed,
  routeNotFound,
  tooManyRequests,
} from '../contract/errors.ts'
import type { Input, Operation, Performed } from '../operations/operation.ts'
import { findResource } from '../operations/resources.ts'
import { Unit, type UnitServices } from '../operations/unit.ts'
import type { EventRow } from '../store/events.ts'
import type { Clock } from '../world/clock.ts'
import { authenticate } from './authenticate.ts'
import { type Idempotency, type KeyClaim, parseKey } from './idempotency.ts'
import { type JsonObject, parseBody, parseInput, requireReadable } from './input.ts'
import type { Interruptions, MatchedRequest, ReplacementAnswer } from './interruptions.ts'
import type { IdempotencyVerdict, Journal, JournalEntry } from './journal.ts'
import { chain, type MaybePromise } from './maybe-promise.ts'
import { type RateLimit, rateLimitHeaders, retryAfterSeconds } from './rate-limit.ts'
import type { ReadCache } from './read-cache.ts'
import { type Answer, NO_STATUS, type PlatformRequest, type Route } from './request.ts'

/** What the gate guards. */
export interface GateServices {
  readonly apiKey: string
  readonly clock: Clock
  readonly services: UnitServices
  readonly rateLimit: RateLimit
  readonly idempotency: Idempotency
  readonly reads: ReadCache
  readonly journal: Journal
  readonly interruptions: Interruptions
  /** Told under which address the operation that comes next was asked for. */
  addressedAt(origin: string): void
  /** Told of every request that the rate limit refuses, and of every bug. */
  readonly report: {
    rateLimited(entry: JournalEntry, limit: number): void
    bug(entry: JournalEntry, cause: unknown): void
  }
}

/** One request on its way through the steps. */
interface GateVisit {
  readonly gateServices: GateServices
  readonly request: PlatformRequest
  readonly entry: JournalEntry
  claim: KeyClaim | undefined
}

export function handleRequest(gateServices: GateServices, request: PlatformRequest): MaybePromise<Answer> {
  const entry = gateServices.journal.open(request, gateServices.clock.now())
  const visit: GateVisit = { gateServices, request, entry, claim: undefined }
  const answer = answerTo(visit)
  if (!(answer instanceof Promise)) return finish(visit, answer)
  return answer.then(
    (given) => finish(visit, given),
    (cause) => finish(visit, refusal(visit, cause)),
  )
}

function answerTo(visit: GateVisit): MaybePromise<Answer> {
  try {
    return steps(visit)
  } catch (cause) {
    return refusal(visit, cause)
  }
}

function finish({ gateServices, entry, claim }: GateVisit, answer: Answer): Answer {
  claim?.release()
  answer.headers['content-type'] ??= 'application/json'
  if (entry.rateLimit) Object.assign(answer.headers, rateLimitHeaders(entry.rateLimit))
  answer.headers['x-sim-request'] = entry.id

  entry.status = answer.status === NO_STATUS ? null : answer.status
  entry.answer = answer.body
  entry.answerHeaders = answer.headers
  entry.fault = answer.fault?.kind ?? null
  gateServices.journal.close(entry, gateServices.clock.now())
  return answer
}

function steps(visit: GateVisit): MaybePromise<Answer> {
  const { gateServices, request, entry } = visit

  entry.step = 'rate limit'
  countRequest(gateServices, request, entry) // 429

  entry.step = 'api key'
  authenticate(request.apiKey, gateServices.apiKey) // 401

  entry.step = 'route'
  const { operation, params } = requireRoute(request.route) // 404, 405

  entry.step = 'body and media type'
  requireReadable(request) // 413, 415

  entry.step = 'idempotency key syntax'
  const key = operation.idempotent ? parseKey(request.idempotencyKeys) : undefined // 400
  entry.key = key ?? null

  entry.step = 'json'
  const body = operation.method === 'POST' ? parseBody(request.body as Buffer, entry.body) : {} // 400

  entry.step = 'idempotency'
  if (key !== undefined) visit.claim = claimKey(gateServices, operation, params, key, entry) // 409
  entry.idempotency = verdictOf(operation, visit.claim)
  const recorded = visit.claim?.replay() // 422
  if (recorded) return answerOf(recorded, { 'idempotent-replayed': 'true' }) // D44

  entry.step = 'input'
  const input = parseInput(operation, params, body, request.query) // 400
  entry.subject ??= refunded(body)

  entry.step = 'behaviors'
  const matched: MatchedRequest = { request, operation, params, body, key, entry }
  const interruption = gateServices.interruptions.beforeOperation(matched)
  if (!interruption) return operate(visit, matched, input, entry.arrivedAt)
  // A request that was held sees the instant at which it goes on, not the one at which it came.
  return interruption.then((instead) =>
    instead ? answerInstead(visit, instead) : operate(visit, matched, input, gateServices.clock.now()),
  )
}

/** An answer that never came from the operation is kept under the key when a behavior asks for it. */
async function answerInstead(
  { gateServices, claim }: GateVisit,
  instead: ReplacementAnswer,
): Promise<Answer> {
  const { store } = gateServices.services
  const { status, body, stored } = instead
  if (stored && claim) {
    await store.transact(() =>
      claim.record(store, { status, body, location: null }, gateServices.clock.now()),
    )
  }
  return { ...instead }
}

function operate(
  { gateServices, entry, claim }: GateVisit,
  matched: MatchedRequest,
  input: Input,
  now: number,
): MaybePromise<Answer> {
  const { reads, interruptions, services } = gateServices
  const { request, operation } = matched
  entry.step = 'operation'
  gateServices.addressedAt(request.origin)
  const unit = new Unit(services, now)
  const perform = () => operation.perform(unit, input) // 404, 403, 409, 400
  const performed =
    operation.method === 'GET'
      ? services.store.read(() => reads.again(services.store, request, perform))
      : change(unit, perform, claim, entry)
  return chain(performed, (done) => {
    if (unit.events.length > 0) entry.events = unit.events.map(named)
    const answer = answerOf(done)
    return interruptions.afterCommit(matched, answer, unit.events) ?? answer
  })
}

/** An event without its body, which the store has. */
const named = ({ id, type, resourceId }: EventRow) => ({ id, type, resourceId })

/** D34: every request counts. A request whose key is unknown counts for its IP alone. */
function countRequest(
  { apiKey, rateLimit, report }: GateServices,
  request: PlatformRequest,
  entry: JournalEntry,
): void {
  const bucket = request.apiKey === apiKey ? request.ip : `${request.ip} without a valid key`
  const standing = rateLimit.count(bucket, entry.arrivedAt)
  if (!standing) return
  entry.rateLimit = standing
  if (!standing.exceeded) return
  report.rateLimited(entry, standing.limit)
  throw tooManyRequests(retryAfterSeconds(standing, entry.arrivedAt))
}

function requireRoute(route: Route | undefined): { operation: Operation; params: Route['params'] } {
  if (!route) throw routeNotFound()
  const { operation, params, allowed } = route
  if (!operation) throw methodNotAllowed(allowed)
  return { operation, params }
}

function claimKey(
  { idempotency, services }: GateServices,
  operation: Operation,
  params: Input['params'],
  key: string,
  entry: JournalEntry,
): KeyClaim {
  entry.idempotency = IN_FLIGHT
  return idempotency.claim(services.store, operation, params, key, entry.body || '{}', entry.arrivedAt)
}

const IN_FLIGHT = { verdict: 'in flight' } as const
const NO_KEY = { verdict: 'no key' } as const
const NOT_HONORED = { verdict: 'not honored' } as const
const FIRST_USE = { verdict: 'first use' } as const

function verdictOf({ idempotent }: Operation, claim: KeyClaim | undefined): IdempotencyVerdict {
  if (!claim) return idempotent ? NO_KEY : NOT_HONORED
  const { recorded, given } = claim
  if (!recorded) return FIRST_USE
  const firstUsedAt = recorded.createdAt
  if (claim.isRepeated) return { verdict: 'replayed', firstUsedAt }
  return { verdict: 'reused with another body', firstUsedAt, recorded: recorded.request, given }
}

/** What the flat refund's body names as its target. */
const refunded = ({ checkoutId, authorizationId }: JsonObject): string | null => {
  const target = checkoutId ?? authorizationId
  return typeof target === 'string' ? target : null
}

/**
 * The operation, its events, its later work and the record of its answer are committed together, or not at all. A
 * refusal of its own is an answer like any other, so the key keeps it (D43); a bug leaves nothing, not even a key.
 */
function change(
  unit: Unit,
  perform: () => Performed,
  claim: KeyClaim | undefined,
  entry: JournalEntry,
): Promise<Performed> {
  const { store, now } = unit
  const { subject } = entry
  return store.transact((undo) => {
    let performed: Performed
    if (subject !== null) entry.before = findResource(store, subject)
    try {
      performed = perform()
      if (subject !== null) entry.after = findResource(store, subject)
      entry.step = 'commit'
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause
      undo()
      unit.events.length = 0
      performed = { status: cause.status, body: JSON.stringify(cause.body), location: null }
    }
    claim?.record(store, performed, now)
    return performed
  })
}

const answerOf = ({ status, body, location }: Performed, headers: Record<string, string> = {}): Answer => ({
  status,
  body,
  headers: location === null ? headers : { ...headers, location },
})

function refusal({ gateServices, entry }: GateVisit, cause: unknown): Answer {
  if (!(cause instanceof ApiError)) gateServices.report.bug(entry, cause)
  const { status, body, headers } = cause instanceof ApiError ? cause : internalError()
  return { status, body: JSON.stringify(body), headers: { ...headers } }
}
