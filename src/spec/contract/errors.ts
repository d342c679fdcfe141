/**
 * §7: a function for every refusal. A refusal is thrown, because that rolls the transaction back. Any other exception is a bug:
 * the response is 500 without details.
 */
import { z } from 'zod'
import { ApiError, type ErrorStatus, statusName } from './api-error.ts'
import { counted } from './counted.ts'
import { IN_FLIGHT_RETRY_SECONDS, RATE_LIMIT_WINDOW_MS } from './limits.ts'
import { shortened } from './shortened.ts'
import { filledText, TEXTS, type TextName, type TextValues } from './texts.ts'

export { ApiError, type ErrorStatus, statusName } from './api-error.ts'

/** §2: the body of every refusal. `existingResourceId` is omitted if it does not apply (D39). */
export const ErrorBody = z
  .object({
    error: z.string().describe('The short name of the status'),
    message: z.string().describe('For a person to read'),
    existingResourceId: z.string().optional().describe('The resource that already has the unique value'),
  })
  .meta({ id: 'Error' })

function refusal(
  status: ErrorStatus,
  name: TextName,
  values: TextValues = {},
  {
    fields = [],
    ...more
  }: { headers?: Record<string, string>; details?: Record<string, unknown>; fields?: readonly string[] } = {},
): ApiError {
  return new ApiError(status, filledText(TEXTS[name], values), { ...more, text: { name, values, fields } })
}

// 400: the caller can correct it

/** `fields`: the resource's fields that the refusal names, which a profile may rename. */
export const missingField = (field: string, fields = [field]) =>
  refusal(400, 'missingField', { field: shortened(field) }, { fields })
export const invalidField = (field: string, rule: string, fields = [field]) =>
  refusal(400, 'invalidField', { field: shortened(field), rule }, { fields })
/** Only if a profile refuses unknown fields (D17). */
export const unknownField = (field: string) =>
  refusal(400, 'unknownField', { field: shortened(field) }, { fields: [field] })
export const invalidParameter = (name: string, rule: string) =>
  refusal(400, 'invalidParameter', { name: shortened(name), rule }, { fields: [name] })
export const malformedKey = () => refusal(400, 'malformedKey')
export const malformedJson = () => refusal(400, 'malformedJson')
export const malformedXSim = (rule: string) => new ApiError(400, `Malformed X-Sim: ${rule}`)
export const malformedBehavior = (message: string, problems?: readonly object[]) =>
  new ApiError(400, `Malformed behavior: ${message}`, { details: { problems } })
export const amountTooLarge = (limit: 'refundable' | 'authorized') =>
  refusal(400, 'amountTooLarge', { limit })

export const invalidOption = (sentence: string) => new ApiError(400, sentence)
export const invalidSnapshot = (why: string) => new ApiError(400, `Invalid snapshot: ${why}`)

// 401 with WWW-Authenticate (D42), 403

export const invalidApiKey = () =>
  refusal(401, 'invalidApiKey', {}, { headers: { 'www-authenticate': 'ApiKey' } })
export const cardsOnly = (resources: 'checkouts' | 'authorizations') =>
  refusal(403, 'cardsOnly', { resources })

// 404, 405. Another platform's resource has the same text as an unknown one (D21)

/** The row; a refusal if there is none. */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (!row) throw notFound(what)
  return row
}

export const notFound = (resource: string) => refusal(404, 'notFound', { resource })
export const gateNotFound = (gate: string, meant: string) =>
  new ApiError(404, `Gate ${gate} not found: no armed behavior names it, and nothing waits at it${meant}`)
export const operationNotFound = (operation: string, meant: string) =>
  new ApiError(404, `Operation ${shortened(operation)} not found: it must be one that reads${meant}`)
export const routeNotFound = () => notFound('Route')
/** `meant`: an endpoint's path or call. */
export const outsideOfV1 = (meant: string | undefined) =>
  new ApiError(404, `Route not found outside /v1${meant === undefined ? '' : `; did you mean ${meant}?`}`)
export const methodNotAllowed = (allowed: readonly string[]) =>
  refusal(405, 'methodNotAllowed', {}, { headers: { allow: allowed.join(', ') } })

// 401, 403, 408, 409, 424, 429: refusals of the tester's API

export const missingToken = () =>
  new ApiError(401, 'Invalid admin token', { headers: { 'www-authenticate': 'Bearer' } })
export const tooManyTokens = (seconds: number) =>
  new ApiError(429, `Too many wrong admin tokens. Try again in ${counted(seconds, 'second')}`, {
    headers: { 'retry-after': String(seconds) },
  })
export const notYourPlace = (why: string) => new ApiError(403, why)
export const notSettled = (message: string, details: Record<string, unknown>) =>
  new ApiError(408, message, { details })
export const sandboxNotRouted = (name: string) =>
  new ApiError(
    400,
    `The sandbox ${shortened(name)} is unknown; PUT /_sim/sandboxes/${shortened(name)} creates it`,
  )
export const listenerDismissed = () => new ApiError(409, 'Another endpoint was set meanwhile')
export const nowhereToDeliver = (why: string) => new ApiError(409, `Nothing can be delivered: ${why}`)
export const eventExists = (id: string) => new ApiError(409, `The event ${shortened(id)} already exists`)
export const sandboxExists = (message: string) => new ApiError(409, message)
export const differsInCase = (name: string) =>
  new ApiError(
    409,
    `The name ${name} differs from another one in case only, and the data folder does not tell them apart`,
  )
export const notVerified = (message: string, details: Record<string, unknown>) =>
  new ApiError(424, message, { details })

// 409: the current state does not allow it (D4)

export const alreadyInState = (resource: string, state: string) =>
  refusal(409, 'alreadyInState', { resource, state })
export const wrongState = (resource: string, state: string) => refusal(409, 'wrongState', { resource, state })
export const notInState = (resource: string, state: string, needed: string) =>
  refusal(409, 'notInState', { resource, state, needed })
export const notApproved = (resource: string) => refusal(409, 'notApproved', { resource })
export const fullyRefunded = (resource: string) => refusal(409, 'fullyRefunded', { resource })
export const externalIdTaken = (existingResourceId: string) =>
  refusal(409, 'externalIdTaken', {}, { details: { existingResourceId } })
/** The only 409 that is worth retrying. Clients recognize it by its Retry-After, which no other 409 has. */
export const keyInFlight = () =>
  refusal(409, 'keyInFlight', {}, { headers: { 'retry-after': String(IN_FLIGHT_RETRY_SECONDS) } })

// 413, 415, 422, 429, 500: the request itself

export const bodyTooLarge = () => refusal(413, 'bodyTooLarge')
export const wrongMediaType = () => refusal(415, 'wrongMediaType')
export const wrongContentEncoding = () =>
  refusal(415, 'wrongContentEncoding', {}, { headers: { 'accept-encoding': 'identity' } })
export const keyReused = () => refusal(422, 'keyReused')
export const tooManyRequests = (retryAfterSeconds: number) =>
  refusal(429, 'tooManyRequests', {}, { headers: { 'retry-after': String(retryAfterSeconds) } })
export const internalError = () => refusal(500, 'internalError')

// 503: the disk is full (D58); the same request works when there is room

export class NotStored extends ApiError {
  constructor(why: string, cause: unknown) {
    super(503, `${why}: nothing was changed. Retry later`)
    this.cause = cause
  }
}

export const diskFull = (cause?: unknown) => new NotStored('The disk is full', cause)

// 502, 504: a stub forwards the request to the real staging, which does not answer

export const forwardFailed = (status: 502 | 504, why: string, headers: Record<string, string> = {}) =>
  new ApiError(status, why, { headers })

/** `why`: its path could be read as an endpoint's. */
export const cannotForward = (origin: string, why: string) =>
  new ApiError(404, `Route not found: ${origin} is not asked, as ${why}`)

/** The parts of a `respond` taken from its request would make a response larger than 1 MB. */
export const answerTooLarge = () =>
  new ApiError(502, 'The response of the armed behavior is larger than 1 MB. Copy less from the request')

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

/** The refusal for a scenario's `respond` with only a status: §7's example, or the name of the status. */
export const exampleOf = (status: number): ApiError =>
  EXAMPLES.find((error) => error.status === status) ?? new ApiError(status as ErrorStatus, statusName(status))
