/**
 * The audit's input: a read-only copy of the data on one sandbox from the journal, the store and the behaviors. Times are
 * milliseconds since 1970 on the sandbox's clock, unless a comment says otherwise.
 */
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import type { DeliveryTable } from '../../service/store/deliveries.ts'
import { type AnswerLoss, arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { ENDPOINTS, isCreation, isWriting, writes } from '../../spec/contract/endpoints.ts'
import { keyInFlight } from '../../spec/contract/errors.ts'
import type { Cents } from '../../spec/contract/money.ts'
import type { ResourceName } from '../../spec/contract/resources/index.ts'
import type { Refund } from '../../spec/contract/resources/refund.ts'
import { type Asked, type Exchange, isSuccess } from '../../spec/exchange.ts'

type Journaled = Exchange<Asked & { readonly body: string }, AnswerLoss> &
  Pick<JournalEntry, 'id' | 'number' | 'stateNumber' | 'operation' | 'subject' | 'key'> &
  Pick<JournalEntry, 'status' | 'answeredAt' | 'fault' | 'clientLeft'>

export interface JournaledRequest extends Journaled {
  path: string
  query: URLSearchParams
  /** The same text for requests for the same thing: `callOf`. */
  call: string
  /** The verdict on the Idempotency-Key. */
  verdict: string | null
  /** The body of the request. */
  json: Readonly<Record<string, unknown>>
  /** Its response is a page of a list, and not the last one. */
  hasMore: boolean
  /** The Retry-After of the response. */
  retryAfterMs: number | null
  /** By the machine's stopwatch, like `took`. */
  begunMs: number
  /** The money concerned: the amount in its body, or of the resource that it names. */
  amount: Cents | null
  /** The events that it made. */
  events: readonly string[]
}

export interface MadeDelivery extends Omit<ReturnType<DeliveryTable['made']>[number], 'amount'> {
  /** What a behavior made wrong with its signature; null for a valid one. */
  signatureFault: 'stale' | 'wrong-secret' | 'tampered' | 'missing' | null
  amount: Cents | null
}

/** The payments in one state. */
export interface OpenPayments {
  kind: ResourceName
  status: string
  count: number
  /** The latest ids, because a finding names no more. */
  ids: readonly string[]
  amount: Cents
}

export type CompletedRefund = Pick<Refund, 'id' | 'amount' | 'createdAt'> & { completedAt: number }

export interface Picture {
  /** In order of arrival. */
  requests: readonly JournaledRequest[]
  /** How many requests the journal has lost; some may have arrived after the first one that remains. */
  forgotten: number
  /** The number of the state to which the deliveries and resources below belong. */
  stateNumber: number
  /** In order of creation. */
  deliveries: readonly MadeDelivery[]
  completedRefunds: readonly CompletedRefund[]
  leftOpen: readonly OpenPayments[]
  /** The events that a behavior has dropped and that had no webhook since. */
  droppedEvents: readonly string[]
  /** The checkouts whose buyer was declined credit, a card or a bank account. */
  declinedCheckouts: readonly string[]
  /** The refunds that a behavior leaves pending forever. */
  stuckRefunds: readonly string[]
  apiKey: string
  /** Of every amount. */
  currency: string
  /** How long the service keeps a key (D46). */
  keyRetentionMs: number
}

const IN_FLIGHT = keyInFlight().message

/** It was refused with 409 because a first request with the same key is in flight, whose outcome is not known yet. */
export const isInFlight = ({ answered }: Pick<JournaledRequest, 'answered'>): boolean =>
  answered?.status === 409 && answered.body.includes(IN_FLIGHT)

/** The status arrived, but the body is cut off or cannot be read. */
export const isDamaged = ({ fault, clientLeft }: JournaledRequest): boolean =>
  !clientLeft && arrivingUnder(fault) === 'damaged'

/** The client cannot know whether the operation was carried out. */
export const isUnknown = (request: JournaledRequest): boolean =>
  request.answeredAt !== null && unknownOutcome(request) !== null

/** Why a client does not know the outcome; a number is the status of the response. */
export type UnknownOutcome = 'not awaited' | 'in flight' | 'lost' | 'unreadable' | number

export function unknownOutcome(
  request: Pick<JournaledRequest, 'answered' | 'clientLeft' | 'fault' | 'status'>,
): UnknownOutcome | null {
  const { clientLeft, fault, status } = request
  // A killed client has left, but not because it did not wait.
  if (clientLeft && fault !== 'crash') return 'not awaited'
  if (isInFlight(request)) return 'in flight'
  const arrives = arrivingUnder(fault)
  if (arrives === 'nothing') return 'lost'
  // The status of a refusal shows that nothing was done, even if its body is damaged.
  if (status !== null && status >= 400 && status < 500) return null
  if (arrives === 'damaged') return 'unreadable'
  return status !== null && status >= 500 ? status : null
}

/** The same request may succeed if it is sent again later. */
export const isRetryable = (request: JournaledRequest): boolean =>
  isUnknown(request) || request.status === 429

/** The operation ran, even if the response was lost. */
export const isDone = (request: JournaledRequest): boolean => isSuccess(request)

/** A read with a complete response, which shows the current state. Not HEAD, whose response has no body. */
export const isRead = (request: JournaledRequest): boolean =>
  request.asked.method === 'GET' && isDone(request) && !isUnknown(request)

export const movesMoney = ({ operation }: JournaledRequest): boolean =>
  operation !== null && isWriting(operation) && ENDPOINTS[operation].movesMoney

/** C1 requires an Idempotency-Key if money moves: a retry without one would move it again. */
export const needsKey = movesMoney

/** By the machine's stopwatch. */
export const endedMs = ({ begunMs, took }: JournaledRequest): number => begunMs + took

/**
 * From the end of one request to the start of a later one. A test may stop the sandbox's clock and move it instead of waiting, so
 * the longer of the two times counts.
 */
export const pauseBetween = (earlier: JournaledRequest, later: JournaledRequest): number =>
  Math.max(later.begunMs - endedMs(earlier), later.at - (earlier.answeredAt ?? later.at))

/** The same operation on the same resource with the same body; the keys may differ. */
export const callOf = (
  request: Pick<JournaledRequest, 'stateNumber' | 'asked' | 'operation' | 'json'>,
): string =>
  `${request.stateNumber} ${refundCallOf(request) ?? `${request.asked.method} ${request.asked.target} ${request.asked.body}`}`

/** A refund of a checkout is the same by either of its two endpoints: one names the checkout in its path, one in its body. */
function refundCallOf({ operation, asked, json }: Pick<JournaledRequest, 'operation' | 'asked' | 'json'>) {
  if (operation === null || ENDPOINTS[operation].what !== 'refund' || !isCreation(operation)) return undefined
  const { checkoutId, ...others } = json
  const path = typeof checkoutId === 'string' ? `/v1/checkouts/${checkoutId}/refunds` : asked.target
  const fields = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))
  return fields.length === 0 ? undefined : `POST ${path} ${JSON.stringify(fields)}`
}

/** D32: the same key on another path is another key. */
export const scopedKeyOf = ({ asked, path, key }: JournaledRequest): string | null =>
  key === null ? null : `${asked.method} ${path} ${key}`

/** Caches a result that several rules need, by picture, which may have 10,000 requests. */
export function oncePerPicture<Result, Seen extends object = Picture>(
  make: (picture: Seen) => Result,
): (picture: Seen) => Result {
  const made = new WeakMap<Seen, { result: Result }>()
  return (picture) => {
    const known = made.get(picture) ?? { result: make(picture) }
    made.set(picture, known)
    return known.result
  }
}

/** Most rules consider writes only: nearly all of 10,000 requests are successful reads. */
export const writesIn = oncePerPicture(({ requests }) => requests.filter(({ asked }) => writes(asked.method)))
export const keyedIn = oncePerPicture(({ requests }) => requests.filter(({ key }) => key !== null))

export const saysMore = (answer = ''): boolean => answer.includes('"hasMore":true')
