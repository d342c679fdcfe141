/** Which kinds of trouble a run met, and which its tests never tried. */
import { type Arriving, arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { keyAfterItsTime } from './keys.ts'
import {
  groupBy,
  isDone,
  isInFlight,
  type JournaledRequest,
  type MadeDelivery,
  type Picture,
} from './picture.ts'

type Holds = (request: JournaledRequest) => boolean

/** The ids of what met it, one for each time: requests, deliveries, events, refunds or checkouts. */
type Met = (picture: Picture) => readonly string[]

export type TroubleKind = { id: string; title: string } & ({ request: Holds } | { met: Met })

/** Each kind with what met it. All that is asked of a request is asked in one turn through the requests, which are many. */
export interface MetTrouble {
  id: string
  title: string
  met: readonly string[]
}

/** It yields after each kind. */
export function* troublesIn(picture: Picture): Generator<undefined, MetTrouble[]> {
  const asked = TROUBLES.flatMap((kind) => ('request' in kind ? [{ ...kind, met: [] as string[] }] : []))
  for (const one of picture.requests) for (const { request, met } of asked) if (request(one)) met.push(one.id)
  const byRequests = new Map(asked.map(({ id, met }) => [id, met]))
  const troubles: MetTrouble[] = []
  for (const kind of TROUBLES) {
    const met = 'met' in kind ? kind.met(picture) : byRequests.get(kind.id)!
    troubles.push({ id: kind.id, title: kind.title, met })
    yield
  }
  return troubles
}

const ids = (found: readonly { id: string }[]): string[] => found.map(({ id }) => id)

const ofWebhooks =
  (holds: (webhook: MadeDelivery) => boolean) =>
  ({ deliveries }: Picture): string[] =>
    ids(deliveries.filter((one) => one.attempts.length > 0 && holds(one)))

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

const tookMs = ({ arrivedAt, answeredAt, begunMs, endedMs }: JournaledRequest) =>
  answeredAt === null ? 0 : Math.max(answeredAt - arrivedAt, endedMs - begunMs)

export const TROUBLES: readonly TroubleKind[] = [
  {
    id: 'answer-lost',
    title: 'The operation was carried out and its answer was lost',
    request: (request) => nothingArrives(request) && request.status !== null,
  },
  {
    id: 'request-lost',
    title: 'The connection broke before the operation',
    request: (request) => nothingArrives(request) && request.status === null,
  },
  {
    id: 'answer-broken',
    title: 'An answer broke off or was no JSON',
    request: arrives('damaged'),
  },
  {
    id: 'client-left',
    title: 'The client gave up before the answer',
    request: ({ clientLeft }) => clientLeft,
  },
  {
    id: 'slow',
    title: 'An answer took more than a second',
    request: (request) => tookMs(request) > SLOW_MS || arrivesSlowly(request),
  },
  { id: 'in-flight', title: 'A key was in flight (409)', request: isInFlight },
  {
    id: 'replay',
    title: 'A retry got the first answer again',
    request: ({ verdict }) => verdict === 'replayed',
  },
  { id: 'key-reused', title: 'A key came with another body (422)', request: hasStatus(422) },
  {
    id: 'key-expired',
    title: 'A key came again after its 24 hours',
    met: (picture) => keyAfterItsTime(picture).map(({ requests = [] }) => requests.at(-1)!),
  },
  {
    id: '5xx',
    title: 'The service failed (5xx)',
    request: ({ status }) => status !== null && status >= 500,
  },
  { id: '429', title: 'The rate limit was reached (429)', request: hasStatus(429) },
  {
    id: 'wrong-state',
    title: 'The state stood in the way (409)',
    request: (request) => request.status === 409 && !isInFlight(request),
  },
  { id: 'invalid', title: 'A request was refused as invalid (400)', request: hasStatus(400) },
  { id: 'unauthorized', title: 'An API key was refused (401, 403)', request: hasStatus(401, 403) },
  { id: 'not-found', title: 'A resource was not found (404)', request: hasStatus(404) },
  {
    id: 'pages',
    title: 'A list had more than one page',
    request: (request) => isDone(request) && request.hasMore,
  },
  {
    id: 'buyer-declined',
    title: 'A buyer was declined',
    met: ({ declinedCheckouts }) => declinedCheckouts,
  },
  {
    id: 'refund-immediate',
    title: 'A refund was completed at once',
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
    met: ({ stuckRefunds }) => stuckRefunds,
  },
  {
    id: 'webhook-duplicated',
    title: 'A webhook came twice',
    met: ({ deliveries }) =>
      [...attemptedByEvent(deliveries)].flatMap(([event, { length }]) => (length > 1 ? [event] : [])),
  },
  {
    id: 'webhook-late',
    title: 'A webhook came more than a second late',
    met: ({ deliveries }) =>
      ids(firstWebhooks(deliveries).filter((webhook) => firstCameAt(webhook) - webhook.eventAt > LATE_MS)),
  },
  { id: 'webhook-reordered', title: 'A webhook came after one of a later event', met: reordered },
  {
    id: 'webhook-dropped',
    title: 'A webhook never came',
    met: ({ droppedEvents }) => droppedEvents,
  },
  {
    id: 'webhook-retried',
    title: 'A webhook was refused first and came again',
    met: ofWebhooks(({ attempts }) => attempts.length > 1),
  },
  {
    id: 'webhook-forged',
    title: 'A webhook was forged',
    met: ofWebhooks(({ signatureFault }) => signatureFault !== null && signatureFault !== 'stale'),
  },
  {
    id: 'webhook-stale',
    title: 'A webhook was signed long ago',
    met: ofWebhooks(({ signatureFault }) => signatureFault === 'stale'),
  },
]

const attemptedByEvent = (deliveries: readonly MadeDelivery[]) =>
  groupBy(
    deliveries.filter(({ attempts }) => attempts.length > 0),
    ({ eventId }) => eventId,
  )

/** Of each event, in the order in which they were made. */
const firstWebhooks = (deliveries: readonly MadeDelivery[]): MadeDelivery[] =>
  [...attemptedByEvent(deliveries).values()].map(([first]) => first!)

/** An attempt's time is that of its answer. Where the sandbox's clock stands still, this is too early, never too late. */
const firstCameAt = ({ attempts: [first] }: MadeDelivery): number => first!.at - first!.durationMs

/**
 * The first webhooks of events that came after the first one of a later event: it was written later, as a behavior held it
 * back, or it waited until the other was answered.
 */
function reordered({ deliveries }: Picture): string[] {
  const firsts = firstWebhooks(deliveries).map((first, place) => ({ first, place }))
  firsts.sort((one, other) => other.first.eventNumber - one.first.eventNumber)
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
