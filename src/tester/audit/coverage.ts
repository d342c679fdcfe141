/** The table of troubles: what a run met, and what the gauntlet arms for those that its tests never tried. */
import { type Arriving, arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { groupBy } from '../../spec/grouping.ts'
import {
  SLOW_MS as ARMED_MS,
  answersLost,
  crash,
  crashInWebhook,
  DRIP_MS,
  onConnections,
  onFirst,
  onReads,
  onRefunds,
  onWebhooks,
  onWrites,
  refusalKept,
  retryAfter,
  type Trouble,
} from './arms.ts'
import { keyAfterItsTime } from './keys.ts'
import { isDone, isInFlight, type JournaledRequest, type MadeDelivery, type Picture } from './picture.ts'

type Holds = (request: JournaledRequest) => boolean

interface TroubleKind {
  id: string
  title: string
  /** The gauntlet's troubles that cause it; none if only the client or its receiver can. */
  arm?: readonly Trouble[]
  /** The ids of the requests, deliveries, events, refunds or checkouts that met it, one per occurrence. */
  met(picture: Picture): readonly string[]
}

/** `met`: the ids of what met it; `armed`: the first of the gauntlet's troubles that cause it, which is enough. */
export const troublesIn = (picture: Picture) =>
  TROUBLES.map(({ id, title, arm: [armed] = [], met }) => ({
    id,
    title,
    met: met(picture),
    armed: armed?.name ?? null,
  }))

const ids = (found: readonly { id: string }[]): string[] => found.map(({ id }) => id)

const ofRequests =
  (holds: Holds) =>
  ({ requests }: Picture): string[] =>
    ids(requests.filter(holds))

const ofWebhooks =
  (holds: (webhook: MadeDelivery) => boolean) =>
  ({ deliveries }: Picture): string[] =>
    ids(deliveries.filter((webhook) => webhook.attempts.length > 0 && holds(webhook)))

const hasStatus =
  (...statuses: number[]): Holds =>
  ({ status }) =>
    status !== null && statuses.includes(status)

const arrives =
  (what: Arriving): Holds =>
  ({ fault }) =>
    fault !== null && arrivingUnder(fault) === what
const nothingArrives = arrives('nothing')
const arrivesSlowly = arrives('whole')

const SLOW_MS = 1_000
const LATE_MS = 1_000
const DAY_MS = 24 * 60 * 60 * 1000

const AFTER = 'after-commit'

const tookMs = ({ at, answeredAt, took }: JournaledRequest) =>
  answeredAt === null ? 0 : Math.max(answeredAt - at, took)

export const TROUBLES: readonly TroubleKind[] = [
  {
    id: 'answer-lost',
    title: 'The response was lost after the commit',
    arm: [
      ...onConnections('answer-lost', 'The connection breaks after the commit', 'reset', AFTER),
      ...answersLost,
      ...onConnections('closed-after', 'The connection is closed after the commit', 'close', AFTER),
      ...onConnections('silence-after', 'No response arrives, although everything was done', 'hang', AFTER),
      crash('after-commit', 'The app is killed after the commit', AFTER),
    ],
    met: ofRequests((request) => nothingArrives(request) && request.status !== null),
  },
  {
    id: 'request-lost',
    title: 'The request was lost before the operation',
    arm: [
      ...onConnections('request-lost', 'The connection breaks before the commit', 'reset', 'before'),
      ...onConnections('closed-before', 'The connection is closed before the commit', 'close', 'before'),
      ...onConnections('silence-before', 'No response arrives, and nothing was done', 'hang', 'before'),
      crash('before-commit', 'The app is killed before the commit', 'before'),
      onReads('lost', 'The connection breaks at the first GET of each operation', 1, {
        fault: 'reset',
        at: 'before',
      }),
    ],
    met: ofRequests((request) => nothingArrives(request) && request.status === null),
  },
  {
    id: 'answer-broken',
    title: 'A response was cut off or was not JSON',
    arm: [
      ...onWrites('cut-short', 'The response is truncated', { fault: 'truncate' }),
      ...onWrites('garbled', 'The response is not JSON', { fault: 'bad-json' }),
      ...onWrites('bad-chunk', 'The response is not HTTP', { fault: 'bad-chunk' }),
    ],
    met: ofRequests(arrives('damaged')),
  },
  {
    id: 'client-left',
    title: 'The client closed the connection before the response',
    met: ofRequests(({ clientLeft }) => clientLeft),
  },
  {
    id: 'slow',
    title: 'A response took more than a second',
    arm: [
      ...onWrites('drip', 'The response arrives a few bytes at a time, for a second', {
        fault: 'drip',
        over: DRIP_MS,
      }),
      ...onWrites('slow-before', 'The operation takes two seconds', { delay: ARMED_MS, at: 'before' }),
      ...onWrites('slow-after', 'The response arrives two seconds after the commit', {
        delay: ARMED_MS,
        at: AFTER,
      }),
      onReads('slow', 'The first GET of each operation takes two seconds', 1, { delay: ARMED_MS }),
    ],
    met: ofRequests((request) => tookMs(request) > SLOW_MS || arrivesSlowly(request)),
  },
  {
    id: 'in-flight',
    title: 'An Idempotency-Key was in flight (409)',
    arm: onWrites('in-flight', 'The service answers 409: the first attempt is still in flight', {
      respond: { status: 409 },
    }),
    met: ofRequests(isInFlight),
  },
  {
    id: 'replay',
    title: 'A retry received the stored response',
    met: ofRequests(({ verdict }) => verdict === 'replayed'),
  },
  {
    id: 'key-reused',
    title: 'An Idempotency-Key was reused with another body (422)',
    met: ofRequests(hasStatus(422)),
  },
  {
    id: 'key-expired',
    title: 'An Idempotency-Key was reused after 24 hours',
    met: (picture) => keyAfterItsTime(picture).map(({ requests = [] }) => requests.at(-1)!),
  },
  {
    id: '5xx',
    title: 'The service failed (5xx)',
    arm: [
      ...onWrites('internal-error', 'The service answers 500', { respond: { status: 500 } }),
      ...onWrites('bad-gateway', 'A proxy answers 502 with a page', {
        respond: { status: 502, json: '<html>Bad Gateway</html>', headers: { 'content-type': 'text/html' } },
      }),
      onFirst('outage', '503', { status: 503 }),
      onFirst('outage-with-retry-after', '503 with Retry-After: 1', { status: 503, headers: retryAfter }),
      onReads('fail', 'The first two GETs of each operation are answered 500', 2, {
        respond: { status: 500 },
      }),
    ],
    met: ofRequests(({ status }) => status !== null && status >= 500),
  },
  {
    id: '429',
    title: 'The rate limit was reached (429)',
    arm: [
      ...onWrites('rate-limit', 'The service answers 429 with Retry-After: 1', {
        respond: { status: 429, headers: retryAfter },
      }),
      onFirst('rate-limit-burst', '429 with Retry-After: 1', { status: 429, headers: retryAfter }),
    ],
    met: ofRequests(hasStatus(429)),
  },
  {
    id: 'wrong-state',
    title: 'The resource was in the wrong state (409)',
    arm: refusalKept,
    met: ofRequests((request) => request.status === 409 && !isInFlight(request)),
  },
  { id: 'invalid', title: 'A request was invalid (400)', met: ofRequests(hasStatus(400)) },
  { id: 'unauthorized', title: 'An API key was rejected (401, 403)', met: ofRequests(hasStatus(401, 403)) },
  { id: 'not-found', title: 'A resource was not found (404)', met: ofRequests(hasStatus(404)) },
  {
    id: 'pages',
    title: 'A list had more than one page',
    met: ofRequests((request) => isDone(request) && request.hasMore),
  },
  {
    id: 'buyer-declined',
    title: 'A buyer was declined',
    met: ({ declinedCheckouts }) => declinedCheckouts,
  },
  {
    id: 'refund-immediate',
    title: 'A refund was completed immediately',
    arm: [onRefunds('immediate', 'Each refund is completed immediately', 'now')],
    met: ({ completedRefunds }) =>
      ids(completedRefunds.filter(({ createdAt, completedAt }) => completedAt === createdAt)),
  },
  {
    id: 'refund-slow',
    title: 'A refund took more than a day',
    met: ({ completedRefunds }) =>
      ids(completedRefunds.filter(({ createdAt, completedAt }) => completedAt - createdAt > DAY_MS)),
  },
  {
    id: 'refund-never',
    title: 'A refund was never completed',
    arm: [onRefunds('never', 'No refund is ever completed', 'never')],
    met: ({ stuckRefunds }) => stuckRefunds,
  },
  {
    id: 'webhook-duplicated',
    title: 'A webhook was delivered twice',
    arm: [
      onWebhooks('duplicated', 'Each webhook is delivered three times', { duplicate: 3 }),
      crashInWebhook,
    ],
    met: ({ deliveries }) =>
      [...attemptedByEvent(deliveries)].flatMap(([event, { length }]) => (length > 1 ? [event] : [])),
  },
  {
    id: 'webhook-late',
    title: 'A webhook arrived more than a second late',
    arm: [onWebhooks('late', 'Each webhook arrives two seconds late', { delay: ARMED_MS })],
    met: ({ deliveries }) =>
      ids(firstWebhooks(deliveries).filter((webhook) => firstCameAt(webhook) - webhook.eventAt > LATE_MS)),
  },
  {
    id: 'webhook-reordered',
    title: 'A webhook arrived after that of a later event',
    arm: [onWebhooks('reordered', 'Every other webhook arrives after the next one', { reorder: true })],
    met: reordered,
  },
  {
    id: 'webhook-dropped',
    title: 'A webhook never arrived',
    arm: [onWebhooks('dropped', 'No webhook arrives', { drop: true })],
    met: ({ droppedEvents }) => droppedEvents,
  },
  {
    id: 'webhook-retried',
    title: 'A webhook was rejected and delivered again',
    met: ofWebhooks(({ attempts }) => attempts.length > 1),
  },
  {
    id: 'webhook-forged',
    title: 'A webhook was forged',
    arm: [
      onWebhooks('forged', 'Each webhook is signed with another secret', { sign: 'wrong-secret' }),
      onWebhooks('tampered', 'The body of each webhook is changed after it is signed', { sign: 'tampered' }),
      onWebhooks('unsigned', 'Each webhook has no signature', { sign: 'missing' }),
    ],
    met: ofWebhooks(({ signatureFault }) => signatureFault !== null && signatureFault !== 'stale'),
  },
  {
    id: 'webhook-stale',
    title: 'The signature of a webhook was too old',
    arm: [onWebhooks('stale', 'Each webhook was signed an hour ago', { sign: 'stale' })],
    met: ofWebhooks(({ signatureFault }) => signatureFault === 'stale'),
  },
]

const attemptedByEvent = (deliveries: readonly MadeDelivery[]) =>
  groupBy(
    deliveries.filter(({ attempts }) => attempts.length > 0),
    ({ eventId }) => eventId,
  )

/** The first attempted webhook of each event, in order of events. */
const firstWebhooks = (deliveries: readonly MadeDelivery[]): MadeDelivery[] =>
  [...attemptedByEvent(deliveries).values()].map(([first]) => first!)

/**
 * When a webhook arrived. An attempt has the time of its response, so its duration is subtracted; with a frozen clock that gives
 * a time too early, never too late.
 */
const firstCameAt = ({ attempts: [first] }: MadeDelivery): number => first!.at - first!.durationMs

/**
 * The first webhooks of events that arrived after the first webhook of a later event: written later, because a behavior held it
 * back, or waiting for the response to the other.
 */
function reordered({ deliveries }: Picture): string[] {
  const firsts = firstWebhooks(deliveries).map((first, place) => ({ first, place }))
  firsts.sort((a, b) => b.first.eventNumber - a.first.eventNumber)
  const late: string[] = []
  let earliestPlace = Number.POSITIVE_INFINITY
  let earliestAnswer = Number.POSITIVE_INFINITY
  for (const { place, first } of firsts) {
    if (place > earliestPlace || firstCameAt(first) > earliestAnswer) late.push(first.id)
    earliestPlace = Math.min(earliestPlace, place)
    earliestAnswer = Math.min(earliestAnswer, first.attempts[0]!.at)
  }
  return late.reverse()
}
