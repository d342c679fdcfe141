/**
 * The contract as an OpenAPI 3.1 document, generated from the table of operations and their schemas. The wire format is
 * the input side of a schema, also for answers.
 */

import { z } from 'zod'
import { type Operation, statusesOf } from '../../service/operations/operation.ts'
import { operationById, operationsUnder } from '../../service/operations/table.ts'
import { headersUnder, type Occasion } from '../../spec/contract/answer-headers.ts'
import { type Contract, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { capitalized } from '../../spec/contract/counted.ts'
import { collectionOf, locationOf, type OperationId, usualPathOf } from '../../spec/contract/endpoints.ts'
import {
  type ApiError,
  cardsOnly,
  diskFull,
  ErrorBody,
  exampleOf,
  externalIdTaken,
  missingField,
  notFound,
  statusName,
} from '../../spec/contract/errors.ts'
import { EVENT_TYPES, Event, eventName, RESOURCES } from '../../spec/contract/event.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../spec/contract/limits.ts'
import { Components, jsonContent, pathParameters, queryParameters } from '../../spec/contract/openapi.ts'
import type { Profile } from '../../spec/contract/profile.ts'
import { BY_NAME } from '../../spec/contract/resources/index.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'
import { VERSION } from '../../spec/package.ts'
import { documentUnder } from './openapi-words.ts'

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any unique printable ASCII string; a version 4 UUID is recommended. A retry with the same key gets the first response again.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS, pattern: '^[ -~]+$' },
  example: '4ae8a1f6-9f0e-4d3c-9d64-6f8e1f0b7c55',
}

/** The state while writing one document. */
interface Writing {
  readonly contract: Contract
  readonly components: Components
  readonly headers: readonly Header[]
}

type Header = ReturnType<typeof headersUnder>[number]

/** The headers of a delivery, by which a receiver verifies it (D36). */
function webhookHeaders({ webhooks }: Profile, eventId: string): Record<string, JsonObject> {
  const { scheme, header, idHeader, timestampHeader, tolerance } = webhooks.signature
  const found: [component: string, name: string | null, described: JsonObject][] = [
    [
      'WebhookId',
      idHeader,
      {
        description: 'The id of the event, the same for every attempt; handle each once',
        schema: { type: 'string', example: eventId },
      },
    ],
    [
      'WebhookTimestamp',
      timestampHeader,
      {
        description: `When this attempt was signed, in seconds since 1970; refuse it if it is more than ${tolerance === '5m' ? 'five minutes' : tolerance} away`,
        schema: { type: 'string', pattern: '^[0-9]+$', example: '1767225600' },
      },
    ],
    ['WebhookSignature', header, { description: SIGNATURES[scheme], schema: { type: 'string' } }],
  ]
  return Object.fromEntries(
    found.flatMap(([component, name, described]) =>
      name === null ? [] : [[component, { name, in: 'header', required: true, ...described }]],
    ),
  )
}

const SIGNATURES: Readonly<Record<Profile['webhooks']['signature']['scheme'], string>> = {
  standard:
    'Standard Webhooks: v1, a comma and the base64 of an HMAC-SHA256 over id, timestamp and the bytes of the body with dots between them. During a secret rotation there are two, separated by a space',
  timestamped:
    't= and the seconds since 1970, then v1= and the hex of an HMAC-SHA256 over them, a dot and the bytes of the body. During a secret rotation there are two v1',
  hex: 'The hex of an HMAC-SHA256 over the bytes of the body',
}

/** Refusals with the same body for every operation (§7). */
const SHARED_REFUSALS = [
  missingField('amount'),
  ...[401, 409, 413, 415, 422, 429, 500].map(exampleOf),
  diskFull(),
]

const TAGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(BY_NAME.map(({ collection, words }) => [collection, words.what])),
  events: 'What happened, in the bytes that webhooks deliver',
  webhooks: 'Events, sent to the address that the platform chose',
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  staging: 'Staging: integration testing',
  production: 'Production, simulated: no money moves and no message leaves the machine',
}

export type Server = readonly [environment: string, url: string | undefined]

/** `servers`: the addresses of the environments (§1); environments without an address are omitted. */
export function openApiDocument(servers: readonly Server[], contract = DEFAULT_CONTRACT): JsonObject {
  const components = new Components()
  const headers = headersUnder(contract.profile).filter(({ docs }) => docs)
  const webhookParameters = webhookHeaders(contract.profile, contract.exampleId('event'))
  const writing: Writing = { contract, components, headers }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Payments API',
      version: VERSION,
      summary: capitalized(
        new Intl.ListFormat('en-GB').format(BY_NAME.map(({ words }) => words.many.toLowerCase())),
      ),
      description: [
        'Amounts are decimal numbers in major units, timestamps are ISO 8601 in UTC.',
        'A wrong method gets 405 with `Allow`.',
        'A tester can change responses with a behavior or the request header `X-Sim`, such as `X-Sim: respond=503`.',
      ].join(' '),
      contact: { name: 'The maintainers of paysim' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: servers.flatMap(([environment, url]) =>
      url === undefined ? [] : [{ url, description: DESCRIPTIONS[environment] }],
    ),
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(writing),
    webhooks: webhooks(writing, Object.keys(webhookParameters)),
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
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY, ...webhookParameters },
      headers: Object.fromEntries(headers.map(({ named, docs }) => [named, docs!(contract.profile)])),
      responses: {
        ...Object.fromEntries(
          SHARED_REFUSALS.map((refusal) => [nameOf(refusal.status), refused(refusal, writing)]),
        ),
        Other: {
          description: '405 for a wrong method, or the status set by a behavior or X-Sim, such as 503',
          headers: headersWith(headers, 405, 503),
          content: jsonContent(components.reference(ErrorBody)),
        },
      },
    },
  }
  addFields(writing)
  return contract === DEFAULT_CONTRACT ? document : documentUnder(document, contract)
}

/** Writes the fields that the profile adds into the components of the resources. */
function addFields({ contract, components }: Writing): void {
  for (const { name, Shown } of BY_NAME) {
    for (const { name: added, field } of contract.added[name]) {
      const { properties, required } = components.schemas[String(Shown.meta()?.id)] as AddedTo
      properties[added] = components.reference(field.shown)
      required.push(added)
    }
  }
}

interface AddedTo {
  properties: JsonObject
  required: string[]
}

function paths(writing: Writing): JsonObject {
  const found: Record<string, JsonObject> = {}
  for (const operation of operationsUnder(writing.contract)) {
    found[operation.path] ??= {}
    found[operation.path]![operation.method.toLowerCase()] = described(operation, writing)
  }
  return found
}

function described(operation: Operation, writing: Writing): JsonObject {
  const { id, summary, body, honorsKey } = operation
  const { components } = writing
  return {
    operationId: id,
    summary,
    description: descriptionOf(operation),
    tags: [collectionOf(id)],
    parameters: [
      ...pathParameters(operation.path),
      ...queryParameters(operation.query, components),
      ...(honorsKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body && {
      requestBody: { required: isRequired(body), content: jsonContent(components.reference(body)) },
    }),
    responses: {
      ...Object.fromEntries(
        statusesOf(operation).map((status) => [status, response(operation, status, writing)]),
      ),
      default: { $ref: '#/components/responses/Other' },
    },
  }
}

/** Whether and how a client may retry the request. */
function descriptionOf({ honorsKey, query }: Operation): string {
  if (honorsKey)
    return 'A retry with the same Idempotency-Key gets the first response again and changes nothing.'
  return query === undefined
    ? 'It changes nothing.'
    : 'It changes nothing. A page contains the cursor of the next page.'
}

/** §6: one operation of the platform for each type of event, with a schema that the type selects. */
function webhooks({ contract, components }: Writing, parameters: readonly string[]): JsonObject {
  components.reference(Event)
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const name = contract.profile.events[type]
      return [name, { post: webhook(name, eventName(type), parameters) }]
    }),
  )
}

const webhook = (type: string, schema: string, parameters: readonly string[]): JsonObject => ({
  operationId: `on${schema}`,
  summary: `Be told of ${type}`,
  description:
    'It may arrive more than once and in any order. Any response other than 2xx is a failure, and the event is delivered again later.',
  tags: ['webhooks'],
  security: [],
  parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  requestBody: { required: true, content: jsonContent({ $ref: `#/components/schemas/${schema}` }) },
  responses: {
    '2XX': { description: 'It was received' },
    401: { description: 'The signature is invalid; the event is delivered again' },
    410: { description: 'Disables the endpoint' },
  },
})

/** Whether a request without a body is always refused (D17). */
const isRequired = (body: z.ZodType): boolean => !body.safeParse({}).success

function response(operation: Operation, status: number, writing: Writing): JsonObject {
  if (status === operation.status) return answered(operation, writing)
  const known = refusalsOf(operation, writing.contract).find((refusal) => refusal.status === status)
  return known ? refused(known, writing) : { $ref: `#/components/responses/${nameOf(status)}` }
}

/** The refusals whose message the specification gives (§7), or that follow from it. */
function refusalsOf({ id }: Operation, contract: Contract): ApiError[] {
  return [
    cardsOnly('checkouts'),
    notFound(nameOfLookedUp(id)),
    ...(id === 'customers.create' ? [externalIdTaken(contract.exampleId('customer'))] : []),
  ]
}

/** The resource of the 404 example: the one whose id is in the path, or else in the body, such as `checkoutId`. */
function nameOfLookedUp(id: OperationId): string {
  const { body } = operationById(id)
  const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : []
  const inBody = fields.filter((field) => field.endsWith('Id')).map((field) => field.slice(0, -2))
  const name = /\/(\w+)s\/\{/.exec(usualPathOf(id))?.[1] ?? inBody.find((part) => part in RESOURCES) ?? ''
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const answered = (
  { id, status, honorsKey, answer }: Operation,
  { components, headers }: Writing,
): JsonObject => ({
  description: status === 201 ? 'Created' : 'OK',
  headers: headersWith(
    headers,
    ...(locationOf(id) ? (['created'] as const) : []),
    ...(honorsKey ? (['replayed'] as const) : []),
  ),
  content: jsonContent(components.reference(answer)),
})

const refused = (refusal: ApiError, { contract, components, headers }: Writing): JsonObject => ({
  description: statusName(refusal.status),
  headers: headersWith(headers, refusal.status),
  content: jsonContent(components.reference(ErrorBody), contract.refusalOf(refusal)),
})

const nameOf = (status: number) => statusName(status).replaceAll(' ', '')

const headersWith = (headers: readonly Header[], ...occasions: readonly Occasion[]): JsonObject =>
  Object.fromEntries(
    headers
      .filter(({ comes }) => comes.some((occasion) => occasion === 'always' || occasions.includes(occasion)))
      .map(({ named }) => [named, { $ref: `#/components/headers/${named}` }]),
  )
