/**
 * §7: a function for every refusal. A refusal is thrown, because that rolls the transaction back. Any other error that is
 * thrown is a bug: the answer is 500 without details.
 */
import { z } from 'zod'
import { ApiError, statusName } from './api-error.ts'
import { RATE_LIMIT_WINDOW_MS } from './limits.ts'
import { shortened } from './shortened.ts'

export { ApiError, type ErrorStatus, statusName } from './api-error.ts'

/** §2: the body of every refusal. `existingResourceId` is left out when it does not apply (D39). */
export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'The short name of the status' }),
    message: z.string().meta({ description: 'For a person to read' }),
    existingResourceId: z
      .string()
      .optional()
      .meta({ description: 'The resource that already has the unique value' }),
  })
  .meta({ id: 'Error' })

// 400: the caller can correct it

export const missingField = (field: string) =>
  new ApiError(400, `Missing required field: ${shortened(field)}`)
export const invalidField = (field: string, rule: string) =>
  new ApiError(400, `Invalid field: ${shortened(field)} ${rule}`)
export const invalidParameter = (name: string, rule: string) =>
  new ApiError(400, `Invalid query parameter: ${shortened(name)} ${rule}`)
export const malformedKey = () => new ApiError(400, 'Malformed Idempotency-Key')
export const malformedJson = () => new ApiError(400, 'Malformed JSON body')
export const malformedXSim = (rule: string) => new ApiError(400, `Malformed X-Sim: ${rule}`)
export const malformedScenario = (problems: string) => new ApiError(400, `Malformed scenario: ${problems}`)
export const amountTooLarge = (limit: 'refundable' | 'authorized') =>
  new ApiError(400, `Amount exceeds the ${limit} amount`)

export const invalidOption = (sentence: string) => new ApiError(400, sentence)
export const invalidSnapshot = (why: string) => new ApiError(400, `Invalid snapshot: ${why}`)

// 401 with WWW-Authenticate (D42), 403

export const invalidApiKey = () =>
  new ApiError(401, 'Invalid API key', { headers: { 'www-authenticate': 'ApiKey' } })
export const cardsOnly = (resources: 'checkouts' | 'authorizations') =>
  new ApiError(403, `Platform keys can only refund card ${resources}`)

// 404, 405. Another platform's resource has the same text as an unknown one (D21)

export const notFound = (what: string) => new ApiError(404, `${what} not found`)
export const gateNotFound = (gate: string, meant: string) =>
  new ApiError(404, `Gate ${gate} not found: no armed behavior names it, and nothing waits at it${meant}`)
export const routeNotFound = () => notFound('Route')
export const methodNotAllowed = (allowed: readonly string[]) =>
  new ApiError(405, 'Method not allowed', { headers: { allow: allowed.join(', ') } })

// 401, 403, 408, 409, 417: refusals of the tester's API

export const missingToken = () =>
  new ApiError(401, 'Invalid admin token', { headers: { 'www-authenticate': 'Bearer' } })
export const notYourPlace = (why: string) => new ApiError(403, why)
export const notSettled = (message: string, details: Record<string, unknown>) =>
  new ApiError(408, message, { details })
export const sandboxNotRouted = (name: string) =>
  new ApiError(
    400,
    `The proxy did not see the name ${shortened(name)}; PUT /_sim/sandboxes/${shortened(name)} creates it`,
  )
export const sandboxExists = (message: string) => new ApiError(409, message)
export const notVerified = (message: string, details: Record<string, unknown>) =>
  new ApiError(417, message, { details })

// 409: the present state does not allow it (D4)

export const wrongState = (resource: string, state: string) => new ApiError(409, `${resource} is ${state}`)
export const externalIdTaken = (existingResourceId: string) =>
  new ApiError(409, 'Customer with this external ID already exists', { details: { existingResourceId } })
export const keyInFlight = () =>
  new ApiError(409, 'A request with this Idempotency-Key is already in progress')

// 413, 415, 422, 429, 500: the request itself

export const bodyTooLarge = () => new ApiError(413, 'Request body is too large')
export const wrongMediaType = () => new ApiError(415, 'Content-Type must be application/json')
export const wrongContentEncoding = () =>
  new ApiError(415, 'Content-Encoding must be identity', { headers: { 'accept-encoding': 'identity' } })
export const keyReused = () =>
  new ApiError(422, 'Idempotency-Key was already used with a different request body')
export const tooManyRequests = (retryAfterSeconds: number) =>
  new ApiError(429, 'Too many requests, please try again later.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
export const internalError = () => new ApiError(500, 'Internal server error')

// 503: the disk is full (D58); the same request works when there is room

export class NotStored extends ApiError {
  constructor(why: string, cause: unknown) {
    super(503, `${why}: nothing was changed, send it again later`)
    this.cause = cause
  }
}

export const diskFull = (cause?: unknown) => new NotStored('The disk is full', cause)

// The usual refusal of a status

const EXAMPLES: readonly ApiError[] = [
  invalidApiKey(),
  cardsOnly('checkouts'),
  notFound('Checkout'),
  keyInFlight(),
  bodyTooLarge(),
  wrongMediaType(),
  keyReused(),
  tooManyRequests(RATE_LIMIT_WINDOW_MS / 1000),
  internalError(),
]

/** The answer for a scenario's `respond` that has only a status: §7's example, or the name of the status. */
export function exampleOf(status: number): Pick<ApiError, 'body' | 'headers'> {
  const example = EXAMPLES.find((one) => one.status === status)
  return example ?? { body: { error: statusName(status), message: statusName(status) }, headers: {} }
}
