/**
 * A timeline: the requests, changes and deliveries of one resource or Idempotency-Key, in order. Plain data, so that its rows can
 * be tested without a page.
 */
import type { Arriving } from '../../spec/contract/connection-fault.ts'
import type { Exchange } from '../../spec/exchange.ts'

export interface Timeline {
  /** The resource of the timeline; null for the timeline of a key. */
  subject: string
  moments: readonly TimelineMoment[]
  /** Requests that moved money again: the first one, and its repeats. */
  doubled?: readonly (readonly string[])[]
}

export type TimelineMoment = RequestMoment | ChangeMoment | AttemptMoment

/** A request of a platform. */
export interface RequestMoment extends Exchange {
  kind: 'request'
  id: string
  /** Null while it is in flight. */
  status: number | null
  /** `door`: it was refused or replayed before the operation. */
  reached: 'door' | 'operation'
  /** The key, if the operation honors one, with its path. */
  key: string | null
  replayed: boolean
  /** How it moved money that had moved already, such as `retried with a new key`. */
  again?: string
  /** How much of the response the client got. */
  arrives: Arriving
  /** The behaviors that acted. */
  behaviors: readonly string[]
  effects: readonly Effect[]
}

/** A change without a request. */
export interface ChangeMoment {
  kind: 'change'
  at: number
  /** Unknown: a tester, seed data, or a request that the journal has lost, as after a start or a restored snapshot. */
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
  /** Which of its event's deliveries it belongs to, such as `2 of 3`; null if there is only one. */
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
  /** The resource's new state; null if it has no states. */
  state: string | null
}

export const isTaken = (status: number | null) => status !== null && status >= 200 && status < 300
