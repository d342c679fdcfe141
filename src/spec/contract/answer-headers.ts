/**
 * The one table of the headers of an answer under /v1. OpenAPI, the translation of a profile's words, the comparison with a
 * service, the key that mends a difference, the dashboard's page of two answers and the contract tests read it.
 */
import { IN_FLIGHT_RETRY_SECONDS } from './limits.ts'
import { valueAt } from './parsed-json.ts'
import type { Profile, ProfileName } from './profile-table.ts'
import type { JsonObject } from './wire.ts'

/** With which answer a header comes: with each, that of a creation, a repeated one, or one that has this status. */
export type Occasion = 'always' | 'created' | 'replayed' | number

export interface AnswerHeader {
  /** Under the defaults. */
  readonly name: string
  /** The key of a profile that names it, or says whether it comes. */
  readonly key?: ProfileName
  /** The key, or the section of keys, that says what stands in it. */
  readonly valueKey?: ProfileName
  readonly comes: readonly Occasion[]
  /** Only some answers with these statuses have it. */
  readonly sometimes?: true
  /** What of it two answers to the same request have in common; `nothing`: it is another in each answer. */
  readonly same: 'text' | 'media type' | 'presence' | 'nothing'
  /** What clients read of it; undefined where OpenAPI says it elsewhere, or HTTP itself does. */
  readonly told?: (profile: Profile) => { readonly description: string; readonly schema: JsonObject }
}

const told = (description: string, schema: JsonObject) => () => ({ description, schema })

export const ANSWER_HEADERS: readonly AnswerHeader[] = [
  { name: 'Content-Type', comes: ['always'], same: 'media type' },
  {
    name: 'Location',
    key: 'answers.location',
    valueKey: 'paths',
    comes: ['created'],
    same: 'text',
    told: told('Where the new resource can be read', { type: 'string' }),
  },
  {
    name: 'Idempotent-Replayed',
    key: 'idempotency.replayHeader',
    comes: ['replayed'],
    same: 'text',
    told: told('true where this is a repeated answer; absent otherwise', { type: 'string', const: 'true' }),
  },
  {
    name: 'WWW-Authenticate',
    comes: [401],
    same: 'text',
    told: told('How to authenticate', { type: 'string' }),
  },
  {
    name: 'Allow',
    comes: [405],
    same: 'text',
    told: told('The methods that the path has', { type: 'string', example: 'GET, HEAD' }),
  },
  {
    name: 'Accept-Encoding',
    comes: [415],
    sometimes: true,
    same: 'text',
    told: told('Where the body was compressed: the encodings that are read', { type: 'string' }),
  },
  {
    name: 'Retry-After',
    // 503 is what a tester asks for.
    comes: [409, 429, 503],
    sometimes: true,
    same: 'presence',
    told: told('Seconds to wait before the next try; of all 409s, only that of a key in flight has it', {
      type: 'integer',
      example: IN_FLIGHT_RETRY_SECONDS,
    }),
  },
  {
    name: 'X-RateLimit-Limit',
    key: 'rateLimit.headers.limit',
    comes: ['always'],
    same: 'nothing',
    told: told('Requests a minute', { type: 'integer' }),
  },
  {
    name: 'X-RateLimit-Remaining',
    key: 'rateLimit.headers.remaining',
    comes: ['always'],
    same: 'nothing',
    told: told('Requests that are left in this minute', { type: 'integer' }),
  },
  {
    name: 'X-RateLimit-Reset',
    key: 'rateLimit.headers.reset',
    valueKey: 'rateLimit.resetAs',
    comes: ['always'],
    same: 'nothing',
    told: ({ rateLimit: { resetAs } }) => ({
      description:
        resetAs === 'unix' ? 'When the minute is over, in Unix seconds' : 'Seconds until the minute is over',
      schema: { type: 'integer' },
    }),
  },
  {
    name: 'X-Sim-Request',
    comes: ['always'],
    same: 'nothing',
    told: told('The number of the request in the journal; GET /_sim/requests/{id} explains the response', {
      type: 'string',
      example: 'req_1',
    }),
  },
  { name: 'Content-Length', comes: ['always'], same: 'nothing' },
  { name: 'Date', comes: ['always'], same: 'nothing' },
]

/** Those that a profile has, each with the profile's name for it. */
export const headersUnder = (profile: Profile): readonly (AnswerHeader & { named: string })[] =>
  ANSWER_HEADERS.flatMap((row) => {
    const value = row.key === undefined ? true : valueAt(profile, row.key.split('.'))
    const named = typeof value === 'string' ? value : row.name
    return value === null || value === false ? [] : [{ ...row, named }]
  })

/** The place of a header among the differences of two answers. */
export const headerPath = (name: string): string => `the header ${name.toLowerCase()}`
