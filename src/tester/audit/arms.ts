/** The behaviors with which the gauntlet injects its troubles, each with a name and a sentence. */
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import type { Do, DoOf } from '../../sandbox/scenario-file/do.ts'
import { ENDPOINTS, methodOf, WRITING_IDS, type WritingId } from '../../spec/contract/endpoints.ts'
import { EVENT_TYPES } from '../../spec/contract/event.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { DEFINITIONS, oneOfKind, RESOURCE_NAMES } from '../../spec/contract/resources/index.ts'

export interface Trouble {
  /** Its name in `--only`, the table and the baseline. */
  name: string
  sentence: string
  behaviors: readonly Armable[]
  /** What its sandboxes assume of the service instead of paysim's defaults. */
  profile?: ProfileChanges
  /** The client may report the failure and stop: a refusal is final until someone fixes its reason. */
  mayStop?: boolean
  /** The scenario file of a user-defined trouble. */
  file?: string
  /** The failures that it combines. It has not happened unless each of them acted. */
  parts?: readonly Trouble[]
  /** Milder troubles that may show the same bug. */
  milder?: readonly Trouble[]
}

const WRITES = [...new Set(WRITING_IDS.map(methodOf))].map((method) => ({
  call: `${method} /v1/**` as const,
}))
const READS = { call: 'GET /v1/**' } as const
const EVERYTHING = { call: '* /v1/**' } as const

/**
 * How many requests meet a fault. A client that repeats a request with the same Idempotency-Key meets it once per request
 * in either case; one that takes a new key each time never gets through the second.
 */
const EXTENTS = [
  { suffix: 'once', words: 'once for each operation', limits: { scope: 'op', times: 1 } },
  { suffix: 'each', words: 'at the first attempt of each request', limits: { scope: 'key', times: 1 } },
] as const

export const onWrites = (name: string, sentence: string, fault: Do): Trouble[] =>
  EXTENTS.map(({ suffix, words, limits }) => ({
    name: `${name}-${suffix}`,
    sentence: `${sentence}, ${words}`,
    behaviors: WRITES.map((when) => ({ when, ...limits, do: fault })),
  }))

export const onConnections = (
  name: string,
  sentence: string,
  fault: DoOf<'fault'>['fault'],
  at: 'before' | 'after-commit',
): Trouble[] => onWrites(name, sentence, { fault, at })

export const onWebhooks = (
  name: string,
  sentence: string,
  webhook: Extract<Do, { webhook: unknown }>['webhook'],
): Trouble => ({
  name: `webhook-${name}`,
  sentence,
  behaviors: [{ do: { webhook } }],
})

/** Kills the receiver once for each type of event. */
export const crashInWebhook: Trouble = {
  name: 'crash-in-webhook',
  sentence:
    'The app is killed when it has answered a webhook, which comes again, once for each type of event',
  behaviors: EVENT_TYPES.map((event) => ({ when: { event }, times: 1, do: { webhook: { crash: true } } })),
}

const oncePerResource = (ops: readonly WritingId[], fault: Do): Armable[] =>
  ops.map((op) => ({ when: { op }, scope: 'resource', times: 1, do: fault }))

interface Lost {
  name: string
  words: string
  ops: readonly WritingId[]
}

const CREATE: readonly Lost[] = [
  { name: 'create', words: 'a new checkout, once', ops: ['checkouts.create'] },
  { name: 'authorize', words: 'an authorization, once for each customer', ops: ['authorizations.create'] },
]

/** The writes that move the money of an existing resource. */
const CHANGE: readonly Lost[] = RESOURCE_NAMES.flatMap((kind) => {
  const writes = WRITING_IDS.filter((id) => ENDPOINTS[id].what === kind && ENDPOINTS[id].movesMoney)
  const creations = writes.filter((id) => ENDPOINTS[id].does === 'create')
  const changes = writes
    .filter((id) => !creations.includes(id))
    .map((id) => {
      const name = id.split('.')[1]!
      return { name, words: `${oneOfKind(name)}, once for each ${kind}`, ops: [id] }
    })
  if (creations.length === 0 || DEFINITIONS[kind].order !== 'payment') return changes
  return [...changes, { name: kind, words: `${oneOfKind(kind)}, once for each checkout`, ops: creations }]
})

/**
 * Each loses the responses of one kind of write: a client that gives up at its first lost response would never reach the others.
 * It acts once per resource, not per key, so a retry with a new key succeeds and moves money twice.
 */
export const answersLost = [...CREATE, ...CHANGE].map(
  ({ name, words, ops }): Trouble => ({
    name: `answer-lost:${name}`,
    sentence: `The connection breaks after the commit of ${words}`,
    behaviors: oncePerResource(ops, { fault: 'reset', at: 'after-commit' }),
  }),
)

/** The state is right again immediately, but the key keeps the refusal, so only an attempt under a new key can succeed. */
export const refusalKept = CHANGE.map(
  ({ name, words, ops }): Trouble => ({
    name: `refusal-kept:${name}`,
    sentence: `A 409 is stored under the key of ${words}`,
    behaviors: oncePerResource(ops, {
      respond: {
        status: 409,
        json: { statusCode: 409, error: 'Conflict', message: 'The state does not allow this' },
      },
      stored: true,
    }),
    mayStop: true,
  }),
)

export const onRefunds = (
  name: string,
  sentence: string,
  after: Extract<Do, { transition: unknown }>['after'],
): Trouble => ({
  name: `refund-${name}`,
  sentence,
  behaviors: [{ when: { resource: 'refund', enters: 'pending' }, do: { transition: 'completed', after } }],
})

type Respond = Extract<Do, { respond: unknown }>['respond']

/** Long enough for a client that repeats too early to do so, and shorter than the limit of most tests. */
export const SLOW_MS = 2_000
export const DRIP_MS = 1_000
/** How many requests an outage refuses. A duration could be over before a slow test runner has started. */
const OUTAGE_REQUESTS = 8
export const retryAfter = { 'retry-after': '1' }

/** One trouble, and no second one per key, because each crash costs a start of the app. */
export const crash = (name: string, sentence: string, at: 'before' | 'after-commit'): Trouble => ({
  name: `crash-${name}`,
  sentence: `${sentence}, once for each operation`,
  behaviors: WRITES.map((when) => ({ when, scope: 'op', times: 1, do: { fault: 'crash', at } })),
})

/** Acts on the first requests of the run, of every operation. */
export const onFirst = (name: string, answered: string, respond: Respond): Trouble => ({
  name,
  sentence: `The first ${OUTAGE_REQUESTS} requests of all are answered ${answered}`,
  behaviors: [{ when: EVERYTHING, times: OUTAGE_REQUESTS, do: { respond } }],
})

export const onReads = (name: string, sentence: string, times: number, fault: Do): Trouble => ({
  name: `reads-${name}`,
  sentence,
  behaviors: [{ when: READS, scope: 'op', times, do: fault }],
})
