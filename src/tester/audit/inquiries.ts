/**
 * Whether the client learned the outcome of a request: by a read, by a webhook that it took, or by a retry.
 */

import { ENDPOINTS, listOfKind, writes } from '../../spec/contract/endpoints.ts'
import { keptOrMade } from '../../spec/contract/kept-or-made.ts'
import { isSuccess } from '../../spec/exchange.ts'
import { groupBy } from '../../spec/grouping.ts'
import {
  endedMs,
  isRead,
  isRetryable,
  isUnknown,
  type JournaledRequest,
  oncePerPicture,
  type Picture,
  scopedKeyOf,
} from './picture.ts'

/** A retry sooner than this did not wait for a webhook. */
const HEED_MS = 60_000

/** Whether its response shows the outcome of an earlier request about the same resource. */
const showsItsSubject = (request: JournaledRequest) =>
  isRead(request) ||
  (request.operation !== null && ENDPOINTS[request.operation].does === 'change' && !isUnknown(request))

const isUnknownWrite = (request: JournaledRequest) => writes(request.asked.method) && isUnknown(request)

type RequestsAndWebhooks = Pick<Picture, 'requests' | 'deliveries'>

/** From when on a client knew an outcome; Infinity if never. */
export interface KnownSince {
  /** The number of the request whose response showed it. */
  byRequest: number
  /** When a webhook reported it. */
  toldAt: number
}

export const isKnownBefore = (
  { byRequest, toldAt }: KnownSince,
  later: { number: number; at: number },
): boolean => byRequest < later.number || later.at - toldAt > HEED_MS

export const inquiriesIn = oncePerPicture(({ requests, deliveries }: RequestsAndWebhooks) => {
  const readsOfSubject = groupBy(requests.filter(showsItsSubject), ({ subject }) => subject)
  const readsOfList = groupBy(requests.filter(isRead), ({ operation }) => operation)
  const sameKey = groupBy(requests, scopedKeyOf)
  /** The first request with an unknown outcome, by the list that would show its result, and by its resource. */
  const firstUnknown = new Map<string, JournaledRequest>()
  for (const request of requests.filter(isUnknownWrite))
    for (const name of [...listsOf(request), request.subject])
      if (name !== null) keptOrMade(firstUnknown, name, () => request)
  /** When a webhook about an event was first accepted. */
  const toldAt = new Map<string, number>()
  for (const { eventId, attempts } of deliveries) {
    const taken = attempts.find(isSuccess)
    if (taken) keptOrMade(toldAt, eventId, () => taken.at)
  }

  /** The requests with the same key, itself included. */
  const twinsOf = (request: JournaledRequest): readonly JournaledRequest[] =>
    sameKey.get(scopedKeyOf(request) ?? '') ?? [request]

  /**
   * The first reads that can show the outcome of a request: they were sent when nothing of it was in flight any more, including
   * the earlier attempts under its key.
   */
  function readsAfter(request: JournaledRequest): JournaledRequest[] {
    const attempts = twinsOf(request).filter(({ number }) => number <= request.number)
    const ended = attempts.map((attempt) =>
      attempt.answeredAt === null ? Number.POSITIVE_INFINITY : endedMs(attempt),
    )
    const since = Math.max(...ended)
    const ofSubject = readsOfSubject.get(request.subject ?? '') ?? []
    return [ofSubject, ...listsOf(request).map((list) => readsOfList.get(list) ?? [])].flatMap(
      (reads) => reads.find(({ begunMs }) => begunMs >= since) ?? [],
    )
  }

  /** By a read, by an answer to another request with its key, or by a webhook. */
  function knownOf(request: JournaledRequest): KnownSince {
    const twins = twinsOf(request)
    const shown = [...readsAfter(request), ...twins.filter((twin) => isAnswerOfTwin(twin, request))]
    const told = twins.flatMap(({ events }) => events).flatMap((id) => toldAt.get(id) ?? [])
    return { byRequest: Math.min(...shown.map(({ number }) => number)), toldAt: Math.min(...told) }
  }

  return {
    knownOf,
    /** For each write that succeeded without a usable response. */
    known: (): ReadonlyMap<string, KnownSince> =>
      new Map(
        requests
          .filter((request) => isUnknownWrite(request) && request.events.length > 0)
          .map((request) => [request.id, knownOf(request)]),
      ),
    /** Whether this list was read after a request with an unknown outcome, and shows it: lists are newest first. */
    isAnswer: (list: JournaledRequest) =>
      [list.operation, list.subject].some((name) => {
        const first = name === null ? undefined : firstUnknown.get(name)
        return first !== undefined && first.number < list.number
      }),
  }
})

const isAnswerOfTwin = (twin: JournaledRequest, request: JournaledRequest) =>
  twin !== request && !isRetryable(twin) && endedMs(twin) >= request.begunMs

/** Lists that show the outcome of an operation. */
const listsOf = ({ operation }: JournaledRequest) =>
  operation === null ? [listOfKind('event')] : [listOfKind(ENDPOINTS[operation].what), listOfKind('event')]
