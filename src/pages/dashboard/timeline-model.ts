/**
 * A timeline: the requests, changes and deliveries of one resource or of one Idempotency-Key, in their order. It is plain
 * data, so that its rows can be tested without a page.
 */
import type { Arriving } from '../../spec/contract/connection-fault.ts'
import type { Exchange } from '../../spec/exchange.ts'

export interface Timeline {
  /** The resource of the timeline; null for that of a key. */
  subject: string | null
  moments: readonly TimelineMoment[]
  /** Requests that moved money again: the first one, and those that did it again. */
  doubled?: readonly (readonly string[])[]
}

export type TimelineMoment = RequestMoment | ChangeMoment | AttemptMoment

/** A request of a platform. */
export interface RequestMoment extends Exchange {
  kind: 'request'
  id: string
  /** Null while it is under way. */
  status: number | null
  /** `door`: it was refused or replayed before the operation. */
  reached: 'door' | 'operation'
  /** The key, where one is honored, with the path that it belongs to. */
  key: string | null
  replayed: boolean
  /** How it moved money that had moved already, such as `retried with a new key`. */
  again?: string
  /** What of the answer the client got. */
  arrives: Arriving
  /** The behaviors that acted. */
  behaviors: readonly string[]
  effects: readonly Effect[]
}

/** A change that no request made. */
export interface ChangeMoment {
  kind: 'change'
  at: number
  /** Unknown: a tester did it, seed data, or a request that the journal does not have any more, as after a start or a restored snapshot. */
  cause: 'buyer' | 'time' | 'unknown'
  effects: readonly Effect[]
}

/** One attempt to deliver an event. */
export interface AttemptMoment {
  kind: 'attempt'
  at: number
  deliveryId: string
  eventId: string
  type: string
  resourceId: string
  number: number
  /** Which of the deliveries of its event it belongs to, such as `2 of 3`; null where there is one. */
  delivery: string | null
  status: number | null
}

/** A change of a resource, with its event. */
export interface Effect {
  eventId: string
  type: string
  resourceId: string
  /** The behaviors that changed it or its deliveries. */
  changedBy: readonly string[]
  /** The resource's new state; null where it has none. */
  state: string | null
}

export const isTaken = (status: number | null) => status !== null && status >= 200 && status < 300
