/** The facts behind an order's sentences, which `sentences.ts` puts into words. */
import type { DeliveryRow } from '../../service/store/deliveries.ts'
import type { Cents } from '../../spec/contract/money.ts'
import type { ResourceName } from '../../spec/contract/resources/index.ts'
import type { LedgerKind } from '../../spec/contract/resources/ledger.ts'
import type { KnownSince } from '../audit/inquiries.ts'
import type { Finding } from '../audit/judge.ts'
import type { UnknownOutcome } from '../audit/picture.ts'
import type { Repeat } from '../audit/repeats.ts'

/** A movement of money, done or pending. */
export interface MoneyMove {
  kind: LedgerKind
  amount: Cents
  /** The checkout, authorization or refund. */
  id: string
  /** The request behind it; null for a tester's or buyer's act, or if the journal has forgotten it. */
  request: string | null
  /** The request's number (0 if there is none), and when it was sent. */
  number: number
  sentAt: number
  /** Why the request's client may not know the outcome; null if it got the response. */
  unknown: UnknownOutcome | null
  /** From when on it knew the outcome anyway; undefined if it got the response. */
  known: KnownSince | undefined
  /** For a refund: the payment that it refunds. */
  of?: string
}

/** A repeated movement. */
export interface MovedAgain {
  move: MoneyMove
  /** The movement that it repeats. */
  of: MoneyMove
  /**
   * The cause: a retry; a second payment by a client that could not know the outcome of the first; or two payments, which may be
   * intended. The same applies to money given back in two ways.
   */
  why: { repeat: Repeat; hasNewPayment: boolean } | 'unknown outcome' | 'both paid'
}

/** The last delivery of an event. */
export interface LastWebhook {
  delivery: string
  eventType: string
  status: DeliveryRow['status']
  attempts: number
  /** Null before the first attempt. */
  lastAttempt: { status: number | null; error: string | null } | null
}

interface OpenPayment {
  id: string
  kind: ResourceName
  status: string
}

/** The facts about one order. */
export interface OrderFacts {
  name: string
  currency: string
  /** In order of the requests. */
  moves: readonly MoneyMove[]
  /** Checkouts and authorizations that are neither paid nor canceled. */
  open: readonly OpenPayment[]
  /** The checkout or authorization that each request created. */
  made: ReadonlyMap<string, string>
  resources: readonly string[]
  /** The last delivery of each event that should have been accepted. */
  webhooks: readonly LastWebhook[]
  /** The ids of its resources, its requests and all deliveries of its events. */
  ids: ReadonlySet<string>
  repeats: readonly Repeat[]
  findings: readonly Finding[]
}
