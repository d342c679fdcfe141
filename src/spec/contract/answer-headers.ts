/**
 * The table of response headers under /v1. Used by OpenAPI, profile translation, fidelity, profile keys, the dashboard's
 * comparison of responses and the contract tests.
 */
import { IN_FLIGHT_RETRY_SECONDS } from './limits.ts'
import { valueAt } from './parsed-json.ts'
import type { Profile, ProfileName } from './profile-table.ts'
import type { JsonObject } from './wire.ts'

/** The responses with this header: all, creations, replays, or those with this status. */
export type Occasion = 'always' | 'created' | 'replayed' | number

export interface AnswerHeader {
  /** Under the defaults. */
  readonly name: string
  /** The profile key that names the header, or turns it on. */
  readonly key?: ProfileName
  readonly comes: readonly Occasion[]
  /** Only some responses with these statuses have it. */
  readonly sometimes?: true
  /** What two responses to the same request share of it; `nothing`: it differs in each response. */
  readonly same: 'text' | 'media type' | 'presence' | 'nothing'
  /** Its description for clients; undefined if OpenAPI has it elsewhere or HTTP defines it. */
  readonly docs?: (profile: Profile) => { readonly description: string; readonly schema: JsonObject }
}

const docs = (description: string, schema: JsonObject) => () => ({ description, schema })

export const ANSWER_HEADERS: readonly AnswerHeader[] = [
  { name: 'Content-Type', comes: ['always'], same: 'media type' },
  {
    name: 'Location',
    key: 'answers.location',
    comes: ['created'],
    same: 'text',
    docs: docs('The address of the new resource', { type: 'string' }),
  },
  {
    name: 'Idempotent-Replayed',
    key: 'idempotency.replayHeader',
    comes: ['replayed'],
    same: 'text',
    docs: docs('true for a replayed response; absent otherwise', { type: 'string', const: 'true' }),
  },
  {
    name: 'WWW-Authenticate',
    comes: [401],
    same: 'text',
    docs: docs('How to authenticate', { type: 'string' }),
  },
  {
    name: 'Allow',
    comes: [405],
    same: 'text',
    docs: docs('The methods that the path has', { type: 'string', example: 'GET, HEAD' }),
  },
  {
    name: 'Accept-Encoding',
    comes: [415],
    sometimes: true,
    same: 'text',
    docs: docs('If the body was compressed: the accepted encodings', { type: 'string' }),
  },
  {
    name: 'Retry-After',
    // 503 only occurs if a tester asks for it.
    comes: [409, 429, 503],
    sometimes: true,
    same: 'presence',
    docs: docs('Seconds to wait before the next attempt; a 409 has it only if the key is in flight', {
      type: 'integer',
      example: IN_FLIGHT_RETRY_SECONDS,
    }),
  },
  {
    name: 'X-RateLimit-Limit',
    key: 'rateLimit.headers.limit',
    comes: ['always'],
    same: 'nothing',
    docs: docs('Requests a minute', { type: 'integer' }),
  },
  {
    name: 'X-RateLimit-Remaining',
    key: 'rateLimit.headers.remaining',
    comes: ['always'],
    same: 'nothing',
    docs: docs('Requests left in this minute', { type: 'integer' }),
  },
  {
    name: 'X-RateLimit-Reset',
    key: 'rateLimit.headers.reset',
    comes: ['always'],
    same: 'nothing',
    docs: ({ rateLimit: { resetAs } }) => ({
      description:
        resetAs === 'unix' ? 'When the minute is over, in Unix seconds' : 'Seconds until the minute is over',
      schema: { type: 'integer' },
    }),
  },
  {
    name: 'X-Sim-Request',
    comes: ['always'],
    same: 'nothing',
    docs: docs('The number of the request in the journal; GET /_sim/requests/{id} explains the response', {
      type: 'string',
      example: 'req_1',
    }),
  },
  { name: 'Content-Length', comes: ['always'], same: 'nothing' },
  { name: 'Date', comes: ['always'], same: 'nothing' },
]

/** The headers of a profile, with their names in it. */
export const headersUnder = (profile: Profile): readonly (AnswerHeader & { named: string })[] =>
  ANSWER_HEADERS.flatMap((row) => {
    const value = row.key === undefined ? true : valueAt(profile, row.key.split('.'))
    const named = typeof value === 'string' ? value : row.name
    return value === null || value === false ? [] : [{ ...row, named }]
  })

/** The position of a header among the differences between two responses. */
export const headerPath = (name: string): string => `the header ${name.toLowerCase()}`
