/**
 * The contract as an OpenAPI 3.1 document, generated from the table of operations and their schemas. The wire format is
 * the input side of a schema, also for answers.
 */

import type { z } from 'zod'
import {
  type ApiError,
  bodyTooLarge,
  cardsOnly,
  diskFull,
  ErrorBody,
  externalIdTaken,
  internalError,
  invalidApiKey,
  keyInFlight,
  keyReused,
  missingField,
  notFound,
  statusName,
  tooManyRequests,
  wrongMediaType,
} from '../contract/errors.ts'
import { exampleId } from '../contract/ids.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../contract/limits.ts'
import { Components, jsonContent, pathParameters, queryParameters } from '../contract/openapi.ts'
import type { JsonObject } from '../contract/wire.ts'
import { type Operation, statusesOf } from '../operations/operation.ts'
import { OPERATIONS } from '../operations/table.ts'

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any unique printable ASCII string; a version 4 UUID is recommended. A retry with the same key gets the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS, pattern: '^[ -~]+$' },
  example: '4ae8a1f6-9f0e-4d3c-9d64-6f8e1f0b7c55',
}

const HEADERS = {
  Location: { description: 'Where the new resource can be read', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'true where this is a repeated answer; absent otherwise',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds until the minute is over', schema: { type: 'integer' } },
  'X-RateLimit-Limit': { description: 'Requests a minute', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': {
    description: 'Requests that are left in this minute',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'When the minute is over, in Unix seconds',
    schema: { type: 'integer' },
  },
}

const RATE_LIMIT = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

/** Refusals with the same body for every operation (§7). */
const SHARED_REFUSALS = [
  missingField('amount'),
  invalidApiKey(),
  keyInFlight(),
  bodyTooLarge(),
  wrongMediaType(),
  keyReused(),
  tooManyRequests(60),
  internalError(),
  diskFull(),
]

/** The resource of the 404 example: the one in the path or, where the path has none, in the body. */
const FIRST_LOOKED_UP: Record<string, string> = {
  'authorizations.create': 'Customer',
  'refunds.create': 'Checkout',
  authorizations: 'Authorization',
  checkouts: 'Checkout',
  customers: 'Customer',
  events: 'Event',
  refunds: 'Refund',
}

const TAGS: Record<string, string> = {
  authorizations: 'Money held without a page, captured once or voided',
  checkouts: 'What a business is asked to pay; a buyer approves, the platform confirms',
  customers: 'The businesses that a platform knows by its external IDs',
  paymentMethods: 'How a customer pays',
  refunds: 'Money on its way back: pending, then completed',
  events: 'What happened, in the bytes that webhooks deliver',
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  staging: 'Staging: integration testing',
  production: 'Production, simulated: no money moves and no message leaves the machine',
}

export type Server = readonly [environment: string, url: string | undefined]

/** `servers` are the addresses of the environments (§1); one without an address is left out. */
export function openApiDocument(servers: readonly Server[]): JsonObject {
  const components = new Components()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments API',
      version: 'v1',
      summary: 'Checkouts, authorizations, refunds and customers',
      description: 'Amounts are decimal numbers in major units, timestamps are ISO 8601 in UTC.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: servers.flatMap(([environment, url]) =>
      url === undefined ? [] : [{ url, description: DESCRIPTIONS[environment] }],
    ),
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(components),
    components: {
      schemas: components.schemas,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The secret key of a platform, one for each environment',
        },
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      headers: HEADERS,
      responses: Object.fromEntries(
        SHARED_REFUSALS.map((refusal) => [nameOf(refusal.status), refused(refusal, components)]),
      ),
    },
  }
}

function paths(components: Components): JsonObject {
  const found: Record<string, JsonObject> = {}
  for (const operation of OPERATIONS) {
    found[operation.path] ??= {}
    found[operation.path]![operation.method.toLowerCase()] = described(operation, components)
  }
  return found
}

function described(operation: Operation, components: Components): JsonObject {
  const { id, summary, body, idempotent } = operation
  return {
    operationId: id,
    summary,
    tags: [id.slice(0, id.indexOf('.'))],
    parameters: [
      ...pathParameters(operation.path),
      ...queryParameters(operation.query, components),
      ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body && {
      requestBody: { required: isRequired(body), content: jsonContent(components.reference(body)) },
    }),
    responses: Object.fromEntries(
      statusesOf(operation).map((status) => [status, response(operation, status, components)]),
    ),
  }
}

/** Whether a request without a body is always refused (D17). */
const isRequired = (body: z.ZodType): boolean => !body.safeParse({}).success

function response(operation: Operation, status: number, components: Components): JsonObject {
  if (status === operation.status) return answered(operation, components)
  const own = refusalsOf(operation).find((refusal) => refusal.status === status)
  return own ? refused(own, components) : { $ref: `#/components/responses/${nameOf(status)}` }
}

/** The refusals whose message the specification gives (§7), or that follow from it. */
function refusalsOf({ id, path }: Operation): ApiError[] {
  return [
    cardsOnly('checkouts'),
    notFound((FIRST_LOOKED_UP[id] ?? FIRST_LOOKED_UP[path.split('/')[2]!])!),
    ...(id === 'customers.create' ? [externalIdTaken(exampleId('customer'))] : []),
  ]
}

const answered = ({ status, idempotent, answer }: Operation, components: Components): JsonObject => ({
  description: status === 201 ? 'Created' : 'OK',
  headers: headers([
    ...(status === 201 ? (['Location'] as const) : []),
    ...(idempotent ? (['Idempotent-Replayed'] as const) : []),
    ...RATE_LIMIT,
  ]),
  content: jsonContent(components.reference(answer)),
})

const refused = ({ status, body }: ApiError, components: Components): JsonObject => ({
  description: statusName(status),
  headers: headers([
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 ? (['Retry-After'] as const) : []),
    ...RATE_LIMIT,
  ]),
  content: jsonContent(components.reference(ErrorBody), body),
})

const nameOf = (status: number) => statusName(status).replaceAll(' ', '')

const headers = (names: readonly (keyof typeof HEADERS)[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
