/**
 * Whether the client learned the outcome of a request: by a read, by a webhook that it took, or by a retry.
 */
import { ENDPOINTS, listOfKind, writes } from '../../spec/contract/endpoints.ts'
import {
  endedMs,
  groupBy,
  isRead,
  isRetryable,
  isUnknown,
  type JournaledRequest,
  type MadeAttempt,
  oncePerPicture,
  type Picture,
  scopedKeyOf,
} from './picture.ts'

/** A retry that follows sooner than this did not wait for a webhook. */
const HEED_MS = 60_000

/** Whether its answer shows what became of an earlier request about the same resource. */
const showsItsSubject = (request: JournaledRequest) =>
  isRead(request) ||
  (request.operation !== null && ENDPOINTS[request.operation].does === 'change' && !isUnknown(request))

/** What it takes to tell what a client asked for. */
export interface RequestsAndWebhooks extends Pick<Picture, 'requests'> {
  deliveries: readonly {
    readonly eventId: string
    readonly attempts: readonly Pick<MadeAttempt, 'at' | 'status'>[]
  }[]
}

class Inquiries {
  readonly #requests: readonly JournaledRequest[]
  readonly #readsOfSubject: Map<string, JournaledRequest[]>
  readonly #readsOfList: Map<string, JournaledRequest[]>
  readonly #sameKey: Map<string, JournaledRequest[]>
  /** The first request with an unknown outcome, by the list that would show what it made, and by its resource. */
  readonly #firstUnknown = new Map<string, JournaledRequest>()
  /** When a webhook about an event was taken first. */
  readonly #toldAt = new Map<string, number>()

  constructor({ requests, deliveries }: RequestsAndWebhooks) {
    this.#requests = requests
    this.#readsOfSubject = groupBy(requests.filter(showsItsSubject), ({ subject }) => subject)
    this.#readsOfList = groupBy(requests.filter(isRead), ({ operation }) => operation)
    this.#sameKey = groupBy(requests, scopedKeyOf)
    for (const request of requests.filter((one) => writes(one.asked.method) && isUnknown(one))) {
      for (const name of [...listsOf(request), request.subject]) {
        if (name !== null && !this.#firstUnknown.has(name)) this.#firstUnknown.set(name, request)
      }
    }
    for (const { eventId, attempts } of deliveries) {
      const taken = attempts.find(({ status }) => status !== null && status < 300)
      if (taken && !this.#toldAt.has(eventId)) this.#toldAt.set(eventId, taken.at)
    }
  }

  /** Whether the client could know the outcome of one request when it sent the other. */
  wasKnownBefore(unknown: JournaledRequest, later: JournaledRequest): boolean {
    if (this.learnedFromTwin(unknown)) return true
    const events = this.#twinsOf(unknown).flatMap((twin) => twin.events)
    if (events.some((id) => later.at - (this.#toldAt.get(id) ?? later.at) > HEED_MS)) return true
    for (const reads of this.#readLists(unknown)) {
      // Few retries have another key, so the search from the end is short.
      const read = reads.findLast((one) => isBefore(one, later))
      if (read && this.#couldShow(read, unknown)) return true
    }
    return false
  }

  /**
   * The number of the request by which the client knew the outcome of each write that was carried out and whose answer was unknown;
   * Infinity where it never did.
   */
  known(): ReadonlyMap<string, number> {
    const unknown = this.#requests.filter(
      (one) => writes(one.asked.method) && isUnknown(one) && one.events.length > 0,
    )
    return new Map(unknown.map((one) => [one.id, this.#knownBy(one)]))
  }

  #knownBy(unknown: JournaledRequest): number {
    const shown = [...this.#readLists(unknown)].flatMap(
      (reads) => reads.find((read) => this.#couldShow(read, unknown)) ?? [],
    )
    const twins = this.#twinsOf(unknown)
    const toldAt = Math.min(
      ...twins.flatMap(({ events }) => events.map((id) => this.#toldAt.get(id) ?? Number.POSITIVE_INFINITY)),
    )
    const told = this.#requests.find(({ at }) => at - toldAt > HEED_MS)
    return Math.min(
      ...[...shown, ...twins.filter((twin) => isAnswerOfTwin(twin, unknown)), ...(told ? [told] : [])].map(
        ({ number }) => number,
      ),
    )
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
    for (const reads of this.#readLists(request)) {
      const last = reads.at(-1)
      if (last && this.#couldShow(last, request)) return true
    }
    return false
  }

  /** Whether a webhook about an event of this request was taken. */
  wasTold({ events }: JournaledRequest): boolean {
    return events.some((id) => this.#toldAt.has(id))
  }

  /** Whether another request with its key, answered after this one came, showed the outcome. */
  learnedFromTwin(request: JournaledRequest): boolean {
    return this.#twinsOf(request).some((twin) => isAnswerOfTwin(twin, request))
  }

  /**
   * Whether a read shows what became of a request: it was asked when nothing of that was under way any more, also none of the
   * attempts before it under its key.
   */
  #couldShow(read: JournaledRequest, request: JournaledRequest): boolean {
    return this.#twinsOf(request).every(
      (twin) => twin.number > request.number || (twin.answeredAt !== null && endedMs(twin) <= read.begunMs),
    )
  }

  /** The requests with the same key, itself included. */
  #twinsOf(request: JournaledRequest): readonly JournaledRequest[] {
    return this.#sameKey.get(scopedKeyOf(request) ?? '') ?? [request]
  }

  *#readLists(request: JournaledRequest): Generator<JournaledRequest[]> {
    if (request.subject !== null) yield this.#readsOfSubject.get(request.subject) ?? []
    for (const list of listsOf(request)) yield this.#readsOfList.get(list) ?? []
  }
}

export const inquiriesIn = oncePerPicture((picture: RequestsAndWebhooks) => new Inquiries(picture))

const isAnswerOfTwin = (twin: JournaledRequest, request: JournaledRequest) =>
  twin !== request && !isRetryable(twin) && endedMs(twin) >= request.begunMs

const isBefore = (one: JournaledRequest, other: JournaledRequest) => one.number < other.number

/** Lists in which the outcome of an operation can be seen. */
const listsOf = ({ operation }: JournaledRequest) =>
  operation === null ? [listOfKind('event')] : [listOfKind(ENDPOINTS[operation].what), listOfKind('event')]
