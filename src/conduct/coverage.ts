/** Which kinds of trouble a run met, and which its tests never tried. */

import { keyAfterItsTime } from './keys.ts'
import { groupBy, isDone, isInFlight, type JournaledRequest, type Picture } from './picture.ts'

export interface TroubleKind {
  id: string
  title: string
  times(picture: Picture): number
}

const ofRequests =
  (holds: (request: JournaledRequest) => boolean) =>
  ({ requests }: Picture): number =>
    requests.filter(holds).length

/** What a behavior did to an event, a refund or a buyer, by its words. */
const inBackground =
  (words: RegExp) =>
  ({ backgroundTroubles }: Picture): number =>
    backgroundTroubles.filter(({ did }) => words.test(did)).length

const hasStatus = (...statuses: number[]) =>
  ofRequests(({ status }) => status !== null && statuses.includes(status))

const BREAKS = ['reset', 'close', 'hang']
const breaks = ({ fault }: JournaledRequest) => fault !== null && BREAKS.includes(fault)

const SLOW_MS = 1_000
const LATE_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000

const tookMs = ({ arrivedAt, answeredAt, begunMs, endedMs }: JournaledRequest) =>
  answeredAt === null ? 0 : Math.max(answeredAt - arrivedAt, endedMs - begunMs)

export const TROUBLES: readonly TroubleKind[] = [
  {
    id: 'answer-lost',
    title: 'The operation was carried out and its answer was lost',
    times: ofRequests((request) => breaks(request) && request.status !== null),
  },
  {
    id: 'request-lost',
    title: 'The connection broke before the operation',
    times: ofRequests((request) => breaks(request) && request.status === null),
  },
  {
    id: 'answer-broken',
    title: 'An answer broke off or was no JSON',
    times: ofRequests(({ fault }) => fault !== null && !BREAKS.includes(fault) && fault !== 'drip'),
  },
  {
    id: 'client-left',
    title: 'The client gave up before the answer',
    times: ofRequests(({ clientLeft }) => clientLeft),
  },
  {
    id: 'slow',
    title: 'An answer took more than a second',
    times: ofRequests((request) => tookMs(request) > SLOW_MS || request.fault === 'drip'),
  },
  { id: 'in-flight', title: 'A key was in flight (409)', times: ofRequests(isInFlight) },
  {
    id: 'replay',
    title: 'A retry got the first answer again',
    times: ofRequests(({ verdict }) => verdict === 'replayed'),
  },
  { id: 'key-reused', title: 'A key came with another body (422)', times: hasStatus(422) },
  {
    id: 'key-expired',
    title: 'A key came again after its 24 hours',
    times: (picture) => keyAfterItsTime(picture).length,
  },
  {
    id: '5xx',
    title: 'The service failed (5xx)',
    times: ofRequests(({ status }) => status !== null && status >= 500),
  },
  { id: '429', title: 'The rate limit was reached (429)', times: hasStatus(429) },
  {
    id: 'wrong-state',
    title: 'The state stood in the way (409)',
    times: ofRequests((request) => request.status === 409 && !isInFlight(request)),
  },
  { id: 'invalid', title: 'A request was refused as invalid (400)', times: hasStatus(400) },
  { id: 'unauthorized', title: 'An API key was refused (401, 403)', times: hasStatus(401, 403) },
  { id: 'not-found', title: 'A resource was not found (404)', times: hasStatus(404) },
  {
    id: 'pages',
    title: 'A list had more than one page',
    times: ofRequests((request) => isDone(request) && (request.answer?.includes('"hasMore":true') ?? false)),
  },
  { id: 'buyer-declined', title: 'A buyer was declined', times: inBackground(/^declines/) },
  {
    id: 'refund-immediate',
    title: 'A refund was completed at once',
    times: ({ completedRefunds }) =>
      completedRefunds.filter(({ createdAt, completedAt }) => completedAt === createdAt).length,
  },
  {
    id: 'refund-slow',
    title: 'A refund took more than a day',
    times: ({ completedRefunds }) =>
      completedRefunds.filter(({ createdAt, completedAt }) => completedAt - createdAt > DAY_MS).length,
  },
  { id: 'refund-never', title: 'A refund was never completed', times: inBackground(/^never completes/) },
  {
    id: 'webhook-duplicated',
    title: 'A webhook came twice',
    times: ({ deliveries }) =>
      [
        ...groupBy(
          deliveries.filter(({ attempts }) => attempts.length > 0),
          ({ eventId }) => eventId,
        ).values(),
      ].filter(({ length }) => length > 1).length,
  },
  {
    id: 'webhook-late',
    title: 'A webhook came more than a minute late',
    times: ({ deliveries }) =>
      deliveries.filter(({ attempts, eventAt }) => (attempts[0]?.at ?? eventAt) - eventAt > LATE_MS).length,
  },
  {
    id: 'webhook-reordered',
    title: 'Webhooks came out of order',
    times: inBackground(/delivered after the next one/),
  },
  { id: 'webhook-dropped', title: 'A webhook never came', times: inBackground(/^is lost/) },
  {
    id: 'webhook-retried',
    title: 'A webhook was refused first and came again',
    times: ({ deliveries }) => deliveries.filter(({ attempts }) => attempts.length > 1).length,
  },
  {
    id: 'webhook-forged',
    title: 'A webhook was forged',
    times: inBackground(/is signed (wrong-secret|tampered|missing)/),
  },
  { id: 'webhook-stale', title: 'A webhook was signed long ago', times: inBackground(/is signed stale/) },
]
