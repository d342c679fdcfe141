/** Whether the client asked for the outcome of a request: by reading, by a webhook that it took, or by trying again. */
import { groupBy, isUnknown, type JournaledRequest, type Picture } from './picture.ts'

/** Lists in which the outcome of an operation can be seen. */
const LISTS: Record<string, readonly string[]> = {
  'authorizations.create': ['authorizations.list'],
  'authorizations.capture': ['authorizations.list'],
  'authorizations.void': ['authorizations.list'],
  'checkouts.create': ['checkouts.list'],
  'checkouts.confirm': ['checkouts.list'],
  'checkouts.cancel': ['checkouts.list'],
  'checkouts.refund': ['refunds.list'],
  'refunds.create': ['refunds.list'],
  'customers.create': ['customers.list'],
  'paymentMethods.detach': ['paymentMethods.list'],
}

const isRead = ({ method }: JournaledRequest) => method === 'GET'

export class Inquiries {
  readonly #places: ReadonlyMap<JournaledRequest, number>
  readonly #readsOfSubject: Map<string, JournaledRequest[]>
  readonly #readsOfList: Map<string, JournaledRequest[]>
  readonly #sameKey: Map<string, JournaledRequest[]>
  readonly #told: ReadonlySet<string>

  constructor({ requests, deliveries }: Picture) {
    this.#places = new Map(requests.map((request, place) => [request, place]))
    const reads = requests.filter(isRead)
    this.#readsOfSubject = groupBy(reads, ({ subject }) => subject)
    this.#readsOfList = groupBy(reads, ({ operation }) => operation)
    this.#sameKey = groupBy(requests, nameOf)
    this.#told = new Set(
      deliveries
        .filter(({ attempts }) => attempts.some(({ status }) => status !== null && status < 300))
        .map(({ eventId }) => eventId),
    )
  }

  wasReadBetween(earlier: JournaledRequest, later: JournaledRequest): boolean {
    for (const reads of this.#readLists(earlier)) {
      // Few retries have another key, so the search from the end is short.
      const read = reads.findLast((one) => this.#isBefore(one, later))
      if (read && this.#isBefore(earlier, read)) return true
    }
    return false
  }

  wasReadAfter(request: JournaledRequest): boolean {
    for (const reads of this.#readLists(request)) {
      const last = reads.at(-1)
      if (last && this.#isBefore(request, last)) return true
    }
    return false
  }

  /** A webhook about what it did was taken. */
  wasTold({ events }: JournaledRequest): boolean {
    return events.some((id) => this.#told.has(id))
  }

  /** Another request with its key was answered with the outcome, after this one came. */
  learnedFromTwin(request: JournaledRequest): boolean {
    const twins = this.#sameKey.get(nameOf(request) ?? '') ?? []
    return twins.some((twin) => twin !== request && !isUnknown(twin) && twin.endedMs >= request.begunMs)
  }

  *#readLists({ operation, subject }: JournaledRequest): Generator<JournaledRequest[]> {
    if (subject !== null) yield this.#readsOfSubject.get(subject) ?? []
    for (const list of [...(LISTS[operation ?? ''] ?? []), 'events.list'])
      yield this.#readsOfList.get(list) ?? []
  }

  #isBefore(one: JournaledRequest, other: JournaledRequest): boolean {
    return this.#places.get(one)! < this.#places.get(other)!
  }
}

const nameOf = ({ key, method, path }: JournaledRequest) => key && `${method} ${path} ${key}`
