/**
 * Whether the client learned the outcome of a request: by a read, by a webhook that it took, or by a retry.
 */

import { ENDPOINTS, listOfKind, writes } from '../../spec/contract/endpoints.ts'
import { isSuccess } from '../../spec/exchange.ts'
import {
  endedMs,
  groupBy,
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

class Inquiries {
  readonly #requests: readonly JournaledRequest[]
  readonly #readsOfSubject: Map<string, JournaledRequest[]>
  readonly #readsOfList: Map<string, JournaledRequest[]>
  readonly #sameKey: Map<string, JournaledRequest[]>
  /** The first request with an unknown outcome, by the list that would show its result, and by its resource. */
  readonly #firstUnknown = new Map<string, JournaledRequest>()
  /** When a webhook about an event was first accepted. */
  readonly #toldAt = new Map<string, number>()

  constructor({ requests, deliveries }: RequestsAndWebhooks) {
    this.#requests = requests
    this.#readsOfSubject = groupBy(requests.filter(showsItsSubject), ({ subject }) => subject)
    this.#readsOfList = groupBy(requests.filter(isRead), ({ operation }) => operation)
    this.#sameKey = groupBy(requests, scopedKeyOf)
    for (const request of requests.filter(isUnknownWrite)) {
      for (const name of [...listsOf(request), request.subject]) {
        if (name !== null && !this.#firstUnknown.has(name)) this.#firstUnknown.set(name, request)
      }
    }
    for (const { eventId, attempts } of deliveries) {
      const taken = attempts.find(isSuccess)
      if (taken && !this.#toldAt.has(eventId)) this.#toldAt.set(eventId, taken.at)
    }
  }

  /** Whether the client could know the outcome of one request when it sent the other. */
  wasKnownBefore(unknown: JournaledRequest, later: JournaledRequest): boolean {
    return isKnownBefore(this.#knownOf(unknown), later)
  }

  /** From when on the client knew the outcome of each write that succeeded without a usable response. */
  known(): ReadonlyMap<string, KnownSince> {
    const unknown = this.#requests.filter((request) => isUnknownWrite(request) && request.events.length > 0)
    return new Map(unknown.map((request) => [request.id, this.#knownOf(request)]))
  }

  #knownOf(unknown: JournaledRequest): KnownSince {
    const twins = this.#twinsOf(unknown)
    const shown = [...this.#readsAfter(unknown), ...twins.filter((twin) => isAnswerOfTwin(twin, unknown))]
    const toldAt = twins.flatMap(({ events }) => events).flatMap((id) => this.#toldAt.get(id) ?? [])
    return { byRequest: Math.min(...shown.map(({ number }) => number)), toldAt: Math.min(...toldAt) }
  }

  /**
   * Whether this list was read after a request with an unknown outcome, and shows it: lists are newest first.
   */
  isAnswer(list: JournaledRequest): boolean {
    return [list.operation, list.subject].some((name) => {
      const first = name === null ? undefined : this.#firstUnknown.get(name)
      return first !== undefined && isBefore(first, list)
    })
  }

  wasReadAfter(request: JournaledRequest): boolean {
    return this.#readsAfter(request).length > 0
  }

  /** Whether a webhook about an event of this request was accepted. */
  wasTold({ events }: JournaledRequest): boolean {
    return events.some((id) => this.#toldAt.has(id))
  }

  /** Whether another request with its key, answered after this one arrived, showed the outcome. */
  learnedFromTwin(request: JournaledRequest): boolean {
    return this.#twinsOf(request).some((twin) => isAnswerOfTwin(twin, request))
  }

  /**
   * The first reads that can show the outcome of a request: they were sent when nothing of it was in flight any more, including
   * the earlier attempts under its key.
   */
  #readsAfter(request: JournaledRequest): JournaledRequest[] {
    const attempts = this.#twinsOf(request).filter(({ number }) => number <= request.number)
    const ended = attempts.map((attempt) =>
      attempt.answeredAt === null ? Number.POSITIVE_INFINITY : endedMs(attempt),
    )
    const since = Math.max(...ended)
    return this.#readLists(request).flatMap((reads) => reads.find(({ begunMs }) => begunMs >= since) ?? [])
  }

  /** The requests with the same key, itself included. */
  #twinsOf(request: JournaledRequest): readonly JournaledRequest[] {
    return this.#sameKey.get(scopedKeyOf(request) ?? '') ?? [request]
  }

  #readLists(request: JournaledRequest): JournaledRequest[][] {
    const ofSubject = this.#readsOfSubject.get(request.subject ?? '') ?? []
    return [ofSubject, ...listsOf(request).map((list) => this.#readsOfList.get(list) ?? [])]
  }
}

export const inquiriesIn = oncePerPicture((picture: RequestsAndWebhooks) => new Inquiries(picture))

const isAnswerOfTwin = (twin: JournaledRequest, request: JournaledRequest) =>
  twin !== request && !isRetryable(twin) && endedMs(twin) >= request.begunMs

const isBefore = (earlier: JournaledRequest, later: JournaledRequest) => earlier.number < later.number

/** Lists that show the outcome of an operation. */
const listsOf = ({ operation }: JournaledRequest) =>
  operation === null ? [listOfKind('event')] : [listOfKind(ENDPOINTS[operation].what), listOfKind('event')]
