/** The troubles of the gauntlet: each is a name, a sentence and behaviors, as a scenario file would have them. */
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import type { Do } from '../../sandbox/scenario-file/behavior.ts'
import type { ConnectionFaultKind } from '../../spec/contract/connection-fault.ts'
import { methodOf, type OperationId, WRITING_IDS } from '../../spec/contract/endpoints.ts'

export interface Trouble {
  /** Names it in `--only`, the table and the baseline. */
  name: string
  sentence: string
  behaviors: readonly Armable[]
  /** That of a trouble of one's own. */
  file?: string
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
  { suffix: 'each', words: 'at the first try of each request', limits: { scope: 'key', times: 1 } },
] as const

const onWrites = (name: string, sentence: string, fault: Do): Trouble[] =>
  EXTENTS.map(({ suffix, words, limits }) => ({
    name: `${name}-${suffix}`,
    sentence: `${sentence}, ${words}`,
    behaviors: WRITES.map((when) => ({ when, ...limits, do: fault })),
  }))

const onWebhooks = (
  name: string,
  sentence: string,
  webhook: Extract<Do, { webhook: unknown }>['webhook'],
): Trouble => ({
  name: `webhook-${name}`,
  sentence,
  behaviors: [{ do: { webhook } }],
})

/**
 * A client that gives up at its first lost answer never comes to the others: here each kind alone is lost. It is so once for
 * each resource whatever the key, so that a client with another key for each try gets through, and moves money twice.
 */
const answerLost = (name: string, what: string, ...operations: OperationId[]): Trouble => ({
  name: `answer-lost:${name}`,
  sentence: `The connection breaks after the commit of ${what}`,
  behaviors: operations.map((op) => ({
    when: { op },
    scope: 'resource',
    times: 1,
    do: { fault: 'reset', at: 'after-commit' },
  })),
})

const onRefunds = (
  name: string,
  sentence: string,
  after: Extract<Do, { transition: unknown }>['after'],
): Trouble => ({
  name: `refund-${name}`,
  sentence,
  behaviors: [{ when: { resource: 'refund', enters: 'pending' }, do: { transition: 'completed', after } }],
})

/** Longer than a client is willing to wait that repeats too early, and shorter than most tests' own limit. */
const SLOW_MS = 2_000
const DRIP_MS = 1_000
/** The requests that an outage swallows. A length of time would be over before a slow test runner has started. */
const OUTAGE_REQUESTS = 8
const retryAfter = { 'retry-after': '1' }

/** Of each fault of a connection, wherever it may act. */
const OF_CONNECTIONS: Readonly<Record<ConnectionFaultKind, readonly Trouble[]>> = {
  reset: [
    ...onWrites('request-lost', 'The connection breaks before the commit', { fault: 'reset', at: 'before' }),
    ...onWrites('answer-lost', 'The connection breaks after the commit', {
      fault: 'reset',
      at: 'after-commit',
    }),
    answerLost('create', 'a new checkout, once', 'checkouts.create'),
    answerLost('confirm', 'a confirm, once for each checkout', 'checkouts.confirm'),
    answerLost('refund', 'a refund, once for each checkout', 'checkouts.refund', 'refunds.create'),
    answerLost('authorize', 'an authorization, once for each customer', 'authorizations.create'),
    answerLost('capture', 'a capture, once for each authorization', 'authorizations.capture'),
  ],
  close: [
    ...onWrites('closed-before', 'The connection is closed before the commit', {
      fault: 'close',
      at: 'before',
    }),
    ...onWrites('closed-after', 'The connection is closed after the commit', {
      fault: 'close',
      at: 'after-commit',
    }),
  ],
  hang: [
    ...onWrites('silence-before', 'No answer comes, and nothing was done', { fault: 'hang', at: 'before' }),
    ...onWrites('silence-after', 'No answer comes, but all was done', { fault: 'hang', at: 'after-commit' }),
  ],
  truncate: onWrites('cut-short', 'The answer is cut off in its middle', { fault: 'truncate' }),
  'bad-json': onWrites('garbled', 'The answer is no JSON', { fault: 'bad-json' }),
  'bad-chunk': onWrites('bad-chunk', 'The answer is no HTTP', { fault: 'bad-chunk' }),
  drip: onWrites('drip', 'The answer comes a few bytes at a time, for a second', {
    fault: 'drip',
    over: DRIP_MS,
  }),
}

export const CATALOG: readonly Trouble[] = [
  ...Object.values(OF_CONNECTIONS).flat(),
  ...onWrites('internal-error', 'The service answers 500', { respond: { status: 500 } }),
  ...onWrites('bad-gateway', 'A proxy answers 502 with a page', {
    respond: {
      status: 502,
      json: '<html>Bad Gateway</html>',
      headers: { 'content-type': 'text/html' },
    },
  }),
  ...onWrites('in-flight', 'The service answers 409: the first try is still under way', {
    respond: { status: 409 },
  }),
  ...onWrites('slow-before', 'The operation takes two seconds', { delay: SLOW_MS, at: 'before' }),
  ...onWrites('slow-after', 'The answer comes two seconds after the commit', {
    delay: SLOW_MS,
    at: 'after-commit',
  }),
  ...onWrites('rate-limit', 'The service answers 429 with Retry-After: 1', {
    respond: { status: 429, headers: retryAfter },
  }),
  {
    name: 'rate-limit-burst',
    sentence: `The first ${OUTAGE_REQUESTS} requests of all are answered 429 with Retry-After: 1`,
    behaviors: [
      {
        when: EVERYTHING,
        times: OUTAGE_REQUESTS,
        do: { respond: { status: 429, headers: retryAfter } },
      },
    ],
  },
  {
    name: 'outage',
    sentence: `The first ${OUTAGE_REQUESTS} requests of all are answered 503`,
    behaviors: [{ when: EVERYTHING, times: OUTAGE_REQUESTS, do: { respond: { status: 503 } } }],
  },
  {
    name: 'outage-with-retry-after',
    sentence: `The first ${OUTAGE_REQUESTS} requests of all are answered 503 with Retry-After: 1`,
    behaviors: [
      {
        when: EVERYTHING,
        times: OUTAGE_REQUESTS,
        do: { respond: { status: 503, headers: retryAfter } },
      },
    ],
  },
  {
    name: 'reads-lost',
    sentence: 'The connection breaks at the first GET of each operation',
    behaviors: [{ when: READS, scope: 'op', times: 1, do: { fault: 'reset', at: 'before' } }],
  },
  {
    name: 'reads-fail',
    sentence: 'The first two GETs of each operation are answered 500',
    behaviors: [{ when: READS, scope: 'op', times: 2, do: { respond: { status: 500 } } }],
  },
  {
    name: 'reads-slow',
    sentence: 'The first GET of each operation takes two seconds',
    behaviors: [{ when: READS, scope: 'op', times: 1, do: { delay: SLOW_MS } }],
  },
  onWebhooks('duplicated', 'Each webhook is delivered three times', { duplicate: 3 }),
  onWebhooks('late', 'Each webhook comes two seconds late', { delay: SLOW_MS }),
  onWebhooks('reordered', 'Every other webhook comes after the next one', { reorder: true }),
  onWebhooks('dropped', 'No webhook arrives', { drop: true }),
  onWebhooks('forged', 'Each webhook is signed with another secret', { sign: 'wrong-secret' }),
  onWebhooks('tampered', 'Each webhook has another body than was signed', { sign: 'tampered' }),
  onWebhooks('unsigned', 'Each webhook has no signature', { sign: 'missing' }),
  onWebhooks('stale', 'Each webhook was signed an hour ago', { sign: 'stale' }),
  onRefunds('immediate', 'Each refund is completed at once', 'now'),
  onRefunds('slow', 'Each refund is completed after two seconds', { clock: SLOW_MS }),
  onRefunds('never', 'No refund is ever completed', 'never'),
  onRefunds('third-poll', 'Each refund is completed when it is read for the third time', { polls: 3 }),
]

/** What `--quick` takes: the first ten of these that can act. */
const TELLING: readonly string[] = [
  'answer-lost:refund',
  'answer-lost-each',
  'internal-error-once',
  'in-flight-once',
  'silence-after-once',
  'rate-limit-once',
  'webhook-duplicated',
  'webhook-forged',
  'refund-immediate',
  'outage',
  'reads-fail',
  'refund-never',
  'answer-lost:capture',
  'garbled-once',
  'webhook-dropped',
]
const QUICK = 10

export function tellingOf(troubles: readonly Trouble[], canAct: (trouble: Trouble) => boolean): Trouble[] {
  const isTelling = ({ name }: Trouble) => TELLING.includes(name)
  // A trouble of one's own is always telling.
  const isOwn = (trouble: Trouble) => !CATALOG.includes(trouble)
  const quick = TELLING.flatMap((name) => troubles.filter((one) => one.name === name && canAct(one)))
  const chosen = quick.slice(0, QUICK)
  return troubles.filter((one) => isOwn(one) || (isTelling(one) && chosen.includes(one)))
}
