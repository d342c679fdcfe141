/**
 * The steps that every /v1 request takes, in order of precedence (D20). One function rather than a chain of
 * middleware: Hono turns an exception of a handler into a response before the surrounding middleware continues, and a transaction
 * must see the exception to roll back.
 */
import type { Contract } from '../../spec/contract/contract.ts'
import { nearestEndpoint, type Route } from '../../spec/contract/endpoints.ts'
import {
  ApiError,
  internalError,
  invalidApiKey,
  methodNotAllowed,
  NotStored,
  outsideOfV1,
  routeNotFound,
  tooManyRequests,
} from '../../spec/contract/errors.ts'
import { TEXT_MAX_CHARS } from '../../spec/contract/limits.ts'
import { paymentIn } from '../../spec/contract/resources/movements.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import type { Clock } from '../../spec/world/clock.ts'
import type { Answering, Input, Performed } from '../operations/operation.ts'
import { Unit, type UnitServices } from '../operations/unit.ts'
import { asStorageFailure } from '../store/storage-failure.ts'
import {
  type Idempotency,
  KEY_IN_FLIGHT,
  KEY_NOT_HONORED,
  type KeyClaim,
  NO_KEY,
  requireKey,
  scopeOf,
} from './idempotency.ts'
import type { InterruptionPlan, Interruptions, MatchedRequest, ReplacementAnswer } from './interruptions.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './journal-entry.ts'
import { type AddRateLimitHeaders, type RateLimit, retryAfterSeconds } from './rate-limit.ts'
import type { ReadCache } from './read-cache.ts'
import {
  type Answer,
  NO_STATUS,
  type PlatformRequest,
  parseBody,
  parseInput,
  requireReadable,
} from './request.ts'

/** What a request needs of its sandbox. */
export interface DoorServices {
  /** The operation at a method and a path; a profile may put the reads under other paths (D55). */
  readonly routeOf: (method: string, path: string) => Route<Answering> | undefined
  readonly apiKey: string
  readonly clock: Clock
  readonly services: UnitServices
  readonly rateLimit: RateLimit
  readonly addRateLimitHeaders: AddRateLimitHeaders
  readonly idempotency: Idempotency
  readonly readCache: ReadCache
  readonly journal: Journal
  readonly interruptions: Interruptions
  /** Throws if the file of the database was moved or removed. */
  requireFile(): void
  readonly report: DoorReport
}

/** Receives what the simulator logs of refused requests. */
interface DoorReport {
  rateLimited(entry: JournalEntry, limit: number): void
  /** The request's transaction could not be committed. */
  notStored(cause: NotStored): void
  /** An unexpected exception; the client gets 500. */
  bug(entry: JournalEntry, cause: unknown): void
}

/** A request that has arrived and is not answered yet. */
interface OpenRequest {
  readonly doorServices: DoorServices
  readonly request: PlatformRequest
  readonly route: Route<Answering> | undefined
  readonly entry: JournalEntry
  claim: KeyClaim | undefined
  /** The journal's entry if the client has left by the time of the response. Reads and refusals have no commit. */
  leftWhen: NonNullable<JournalEntry['clientLeftWhen']>
}

export async function handleRequest(doorServices: DoorServices, request: PlatformRequest): Promise<Answer> {
  const route = doorServices.routeOf(request.method, request.path)
  const entry = doorServices.journal.open(request, route, doorServices.clock.now())
  const leftWhen = 'before the answer'
  const open: OpenRequest = { doorServices, request, route, entry, claim: undefined, leftWhen }
  return finish(open, await passSteps(open).catch((cause) => refusal(open, cause)))
}

function finish(open: OpenRequest, answer: Answer): Answer {
  const { doorServices, request, entry, claim, leftWhen } = open
  claim?.release()
  if (request.connection?.destroyed) entry.clientLeftWhen = leftWhen
  const now = doorServices.clock.now()
  answer.headers['content-type'] ??= 'application/json'
  if (entry.rateLimit) doorServices.addRateLimitHeaders(answer.headers, entry.rateLimit, now)
  answer.headers['x-sim-request'] = entry.id
  doorServices.journal.close(entry, answer, now)
  return answer
}

async function passSteps(open: OpenRequest): Promise<Answer> {
  const { doorServices, request, route, entry } = open

  if (!/^\/v1(\/|$)/.test(request.path)) throw outsideOfV1(meantBy(request, doorServices.routeOf)) // 404

  entry.step = 'rate limit'
  countRequest(doorServices, request, entry) // 429

  entry.step = 'api key'
  if (request.apiKey !== doorServices.apiKey) throw invalidApiKey() // 401: a missing key and a wrong key get the same response

  doorServices.requireFile() // 503

  entry.step = 'route'
  const { operation, params } = requireRoute(route) // 404, 405

  entry.step = 'body and media type'
  requireReadable(request, doorServices.services.contract.profile.requests.mediaType) // 413, 415

  entry.step = 'idempotency key syntax'
  const key = operation.honorsKey ? requireKey(entry.key, request.idempotencyKeys) : undefined // 400

  entry.step = 'json'
  const sent = operation.writes ? parseBody(request.body as Buffer, entry.asked.body) : {} // 400

  entry.step = 'idempotency'
  if (key === undefined) entry.idempotency = operation.honorsKey ? NO_KEY : KEY_NOT_HONORED
  else open.claim = claimKey(doorServices, scopeOf(operation, params, request.path), key, entry) // 409
  const replayed = replay(open, entry.at) // 422
  const body = operation.reads?.body(sent) ?? sent
  const matched: MatchedRequest = { request, operation, params, body, key, entry, isReplay: !!replayed }
  if (replayed) {
    // Faults of the network act on replays too, because a network does not know keys.
    const plan = await doorServices.interruptions.beforeOperation(matched)
    return interrupted(open, plan, () => replayed)
  }

  entry.step = 'input'
  const input = parseInput(operation, params, body, request.query) // 400
  entry.subject ??= paymentIn(body) ?? null

  entry.step = 'behaviors'
  const plan = doorServices.interruptions.beforeOperation(matched)
  const operated = (now: number) => operate(open, matched, input, now)
  if (!(plan instanceof Promise)) return interrupted(open, plan, () => operated(entry.at))
  const afterHold = await plan
  // A held request uses the time and the database of the moment when it continues, because both may have changed.
  const now = doorServices.clock.now()
  return interrupted(open, afterHold, () => replay(open, now) ?? operated(now))
}

async function interrupted(
  open: OpenRequest,
  plan: InterruptionPlan | undefined,
  answering: () => Answer | Promise<Answer>,
): Promise<Answer> {
  if (plan?.instead) return answerInstead(open, plan.instead)
  const answer = await answering()
  return plan?.afterCommit ? plan.afterCommit(answer) : answer
}

/** Responds instead of the operation. With `stored`, the key keeps this response as it would keep the operation's. */
async function answerInstead(
  { doorServices, claim }: OpenRequest,
  instead: ReplacementAnswer,
): Promise<Answer> {
  const { store } = doorServices.services
  const { status, body, stored } = instead
  if (stored && claim) {
    await store.transact(() =>
      claim.record(store, { status, body, location: null }, doorServices.clock.now()),
    )
  }
  return { ...instead }
}

async function operate(
  open: OpenRequest,
  { request, operation }: MatchedRequest,
  input: Input,
  now: number,
): Promise<Answer> {
  const { doorServices, entry, claim } = open
  const { readCache, interruptions, services } = doorServices
  const hasLeft = request.connection?.destroyed
  entry.step = 'operation'
  services.address.askedAt(request.origin)
  const unit = new Unit(services, now)
  const perform = () => operation.perform(unit, input) // may refuse with 404, 403, 409 or 400
  const performed = operation.writes
    ? await change(unit, perform, claim, entry)
    : await services.store.read(() => readCache.keptOrRead(services.store, request, perform))
  if (isCommitted(entry)) open.leftWhen = hasLeft ? 'before the commit' : 'after the commit'
  if (unit.events.length > 0) {
    // Without the bodies, which the database has.
    entry.events = unit.events.map(({ id, type, resourceId }) => ({ id, type, resourceId }))
    entry.behaved(interruptions.resultsFor(unit.events))
  }
  return answerOf(performed)
}

const isCommitted = ({ step }: JournalEntry): boolean => step === 'commit'

/** A suggestion for a request outside /v1: the same path below /v1, or a similar endpoint. */
function meantBy({ method, path }: PlatformRequest, routeOf: DoorServices['routeOf']): string | undefined {
  const below = path.includes('/v1/') ? path.slice(path.indexOf('/v1/')) : `/v1${path}`
  if (routeOf(method, below)) return shortened(below)
  return path.length > TEXT_MAX_CHARS ? undefined : nearestEndpoint(`${method} ${path}`)
}

/** D34: every request counts. Requests with and without a valid key are counted separately, each by IP. */
function countRequest(
  { apiKey, rateLimit, report }: DoorServices,
  request: PlatformRequest,
  entry: JournalEntry,
): void {
  const bucket = request.apiKey === apiKey ? request.ip : `${request.ip} without a valid key`
  const status = rateLimit.count(bucket, entry.at)
  if (status === undefined) return
  entry.rateLimit = status
  if (!status.exceeded) return
  report.rateLimited(entry, status.limit)
  throw tooManyRequests(retryAfterSeconds(status, entry.at))
}

function requireRoute(route: Route<Answering> | undefined): {
  operation: Answering
  params: Input['params']
} {
  if (!route) throw routeNotFound()
  const { row: operation, params, allowed } = route
  if (!operation) throw methodNotAllowed(allowed)
  return { operation, params }
}

function claimKey({ idempotency }: DoorServices, scope: string, key: string, entry: JournalEntry): KeyClaim {
  entry.idempotency = KEY_IN_FLIGHT
  return idempotency.claim(scope, key, entry.asked.body || '{}')
}

/** D44: the first response for the request's key, if the current database has it. */
function replay({ doorServices, entry, claim }: OpenRequest, now: number): Answer | undefined {
  if (!claim) return undefined
  const { store, contract } = doorServices.services
  claim.look(store, now)
  entry.idempotency = claim.verdict
  if (claim.verdict.verdict !== 'first use') entry.step = 'idempotency'
  const recorded = claim.replay()
  return recorded && answerOf(recorded, contract.replayHeaders)
}

/**
 * Runs an operation that writes. Its rows, events, later work and recorded response are committed together or not at all. An
 * operation's own refusal is a response too, so the key keeps it (D43); a bug leaves nothing, not even a key.
 */
function change(
  unit: Unit,
  perform: () => Performed,
  claim: KeyClaim | undefined,
  entry: JournalEntry,
): Promise<Performed> {
  const { store, now, services } = unit
  const { contract } = services
  const { subject } = entry
  return store.transact((undo) => {
    let performed: Performed
    if (subject !== null) entry.before = services.find(subject)
    try {
      performed = perform()
      if (subject !== null) entry.after = services.find(subject)
      entry.step = 'commit'
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause
      undo()
      unit.events.length = 0
      performed = { status: cause.status, body: refusalJson(contract, cause, entry), location: null }
      if (!contract.keptRefusals.has(cause.status)) return performed
    }
    claim?.record(store, performed, now)
    return performed
  })
}

const answerOf = (
  { status, body, location }: Performed,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({ status, body, headers: location === null ? { ...headers } : { ...headers, location } })

function refusal({ doorServices, entry }: OpenRequest, thrown: unknown): Answer {
  const cause = asStorageFailure(thrown)
  const { report, interruptions } = doorServices
  // The sandbox was removed during the request and its database is closed, so this failure is not a bug.
  if (interruptions.abandoned) {
    return { status: NO_STATUS, body: '', headers: {}, fault: { kind: 'close' } }
  }
  // Its transaction, if there was one, was rolled back, so the resource is as before.
  if (cause instanceof NotStored || !(cause instanceof ApiError)) entry.after = entry.before
  if (cause instanceof NotStored) report.notStored(cause)
  else if (!(cause instanceof ApiError)) {
    entry.bug = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    report.bug(entry, cause)
  }
  const { contract } = doorServices.services
  const refused = cause instanceof ApiError ? cause : internalError()
  return {
    status: refused.status,
    body: refusalJson(contract, refused, entry),
    headers: { ...refused.headers },
  }
}

const refusalJson = (contract: Contract, refused: ApiError, { operation }: JournalEntry): string =>
  JSON.stringify(contract.refusalOf(refused, operation))
