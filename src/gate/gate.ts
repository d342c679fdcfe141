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
import { Unit, type World } from '../operations/unit.ts'
import type { Clock } from '../world/clock.ts'
import { authenticate } from './authenticate.ts'
import { type Claim, type Idempotency, parseKey } from './idempotency.ts'
import { type Json, parseBody, parseInput, requireReadable } from './input.ts'
import type { Interruptions, Passage } from './interruptions.ts'
import type { Entry, Journal } from './journal.ts'
import { type RateLimit, rateLimitHeaders, retryAfterSeconds } from './rate-limit.ts'
import { type Answer, NO_STATUS, type PlatformRequest, type Route } from './request.ts'

/** What the gate guards. */
export interface Premises {
  readonly apiKey: string
  readonly clock: Clock
  readonly world: World
  readonly rateLimit: RateLimit
  readonly idempotency: Idempotency
  readonly journal: Journal
  readonly interruptions: Interruptions
  /** Told of every request that the rate limit refuses, and of every bug. */
  readonly report: { rateLimited(entry: Entry, limit: number): void; bug(entry: Entry, cause: unknown): void }
}

export async function pass(premises: Premises, request: PlatformRequest): Promise<Answer> {
  const { clock, journal } = premises
  const entry = journal.open(request, clock.now())
  const answer = await steps(premises, request, entry)

  answer.headers['content-type'] ??= 'application/json'
  if (entry.rateLimit) Object.assign(answer.headers, rateLimitHeaders(entry.rateLimit))
  answer.headers['x-sim-request'] = entry.id

  entry.status = answer.status === NO_STATUS ? null : answer.status
  entry.answer = answer.body
  entry.answerHeaders = answer.headers
  entry.fault = answer.fault?.kind ?? null
  journal.close(entry, clock.now())
  return answer
}

async function steps(premises: Premises, request: PlatformRequest, entry: Entry): Promise<Answer> {
  const { clock, world, interruptions } = premises
  let claim: Claim | undefined
  try {
    entry.step = 'rate limit'
    countRequest(premises, request, entry) // 429

    entry.step = 'api key'
    authenticate(request.apiKey, premises.apiKey) // 401

    entry.step = 'route'
    const { operation, params } = requireRoute(request.route) // 404, 405

    entry.step = 'body and media type'
    requireReadable(request) // 413, 415

    entry.step = 'idempotency key syntax'
    const key = operation.idempotent ? parseKey(request.idempotencyKeys) : undefined // 400
    entry.key = key ?? null

    entry.step = 'json'
    const body = operation.method === 'POST' ? parseBody(request.body as Uint8Array) : {} // 400

    entry.step = 'idempotency'
    if (key !== undefined) claim = claimKey(premises, operation, params, key, body, entry) // 409
    noteVerdict(entry, operation, claim)
    const recorded = claim?.replay() // 422
    if (recorded) return answerOf(recorded, { 'idempotent-replayed': 'true' }) // D44

    entry.step = 'input'
    const input = parseInput(operation, params, body, request.query) // 400
    entry.subject ??= refunded(body)

    entry.step = 'behaviors'
    const passage: Passage = { request, operation, params, body, key, entry }
    const interruption = interruptions.beforeOperation(passage)
    const instead = interruption && (await interruption)
    if (instead) {
      if (instead.stored && claim) await recordOnly(world, claim, instead, clock.now())
      return { ...instead }
    }

    entry.step = 'operation'
    // A request that was held sees the instant at which it goes on, not the one at which it came.
    const unit = new Unit(world, interruption ? clock.now() : entry.arrivedAt)
    const performed = await perform(unit, operation, input, claim, entry) // 404, 403, 409, 400
    entry.events = unit.events

    const answer = answerOf(performed)
    const spoiled = interruptions.afterCommit(passage, answer, unit.events)
    return spoiled ? await spoiled : answer
  } catch (cause) {
    return refusal(premises, entry, cause)
  } finally {
    claim?.release()
  }
}

/** D34: every request counts. A request whose key is unknown counts for its IP alone. */
function countRequest({ apiKey, rateLimit, report }: Premises, request: PlatformRequest, entry: Entry): void {
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
  { idempotency, world }: Premises,
  operation: Operation,
  params: Input['params'],
  key: string,
  body: Json,
  entry: Entry,
): Claim {
  entry.idempotency = { verdict: 'in flight' }
  return idempotency.claim(world.store, operation, params, key, body, entry.arrivedAt)
}

function noteVerdict(entry: Entry, { idempotent }: Operation, claim: Claim | undefined): void {
  const { recorded, given } = claim?.bodies ?? {}
  if (!claim) entry.idempotency = { verdict: idempotent ? 'no key' : 'not honored' }
  else if (!claim.recorded) entry.idempotency = { verdict: 'first use' }
  else if (recorded === given)
    entry.idempotency = { verdict: 'replayed', firstUsedAt: claim.recorded.createdAt }
  else {
    const { createdAt, request } = claim.recorded
    entry.idempotency = {
      verdict: 'reused with another body',
      firstUsedAt: createdAt,
      recorded: request,
      given: given!,
    }
  }
}

/** What the flat refund's body names as its target. */
const refunded = ({ checkoutId, authorizationId }: Json): string | null => {
  const target = checkoutId ?? authorizationId
  return typeof target === 'string' ? target : null
}

/**
 * The operation, its events, its later work and the record of its answer are committed together, or not at all. A
 * refusal of its own is an answer like any other, so the key keeps it (D43); a bug leaves nothing, not even a key.
 */
function perform(
  unit: Unit,
  operation: Operation,
  input: Input,
  claim: Claim | undefined,
  entry: Entry,
): Promise<Performed> | Performed {
  const { store, now } = unit
  if (operation.method === 'GET') return store.read(() => operation.perform(unit, input))
  return store.transact((undo) => {
    let performed: Performed
    const subject = entry.subject
    if (subject !== null) entry.before = findResource(store, subject)
    try {
      performed = operation.perform(unit, input)
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

/** An answer that never came from the operation is kept under the key when a behavior asks for it. */
const recordOnly = (
  { store }: World,
  claim: Claim,
  { status, body }: Pick<Answer, 'status' | 'body'>,
  now: number,
) => store.transact(() => claim.record(store, { status, body, location: null }, now))

const answerOf = ({ status, body, location }: Performed, headers: Record<string, string> = {}): Answer => ({
  status,
  body,
  headers: location === null ? headers : { ...headers, location },
})

function refusal({ report }: Premises, entry: Entry, cause: unknown): Answer {
  if (!(cause instanceof ApiError)) report.bug(entry, cause)
  const { status, body, headers } = cause instanceof ApiError ? cause : internalError()
  return { status, body: JSON.stringify(body), headers: { ...headers } }
}
