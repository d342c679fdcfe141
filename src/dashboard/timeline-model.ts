/**
 * A story: everything that happened to one resource, or under one Idempotency-Key, in the order in which it happened.
 * It is plain data, so what draws it and what reads it aloud say the same.
 */
export interface Timeline {
  /** The resource in the middle of it; null for the story of a key. */
  subject: string | null
  moments: readonly TimelineMoment[]
}

export type TimelineMoment = RequestMoment | ChangeMoment | AttemptMoment

/** A platform asked for something. */
export interface RequestMoment {
  kind: 'request'
  id: string
  /** On the sandbox's clock. */
  at: number
  method: string
  path: string
  /** Null while it is under way. */
  status: number | null
  /** How far it got: a gate's step refused or replayed it, or the operation ran. */
  reached: 'gate' | 'operation'
  /** The key, where one is honored, with the path that it belongs to. */
  key: string | null
  replayed: boolean
  /** What the connection did to the answer, or to the request before it was looked at. */
  fault: string | null
  /** The behaviors that acted. */
  behaviors: readonly string[]
  effects: readonly Effect[]
}

/** Something happened that no request asked for. */
export interface ChangeMoment {
  kind: 'happening'
  at: number
  cause: 'buyer' | 'time' | 'tester'
  effects: readonly Effect[]
}

/** One attempt at telling the platform of an event. */
export interface AttemptMoment {
  kind: 'attempt'
  at: number
  deliveryId: string
  eventId: string
  type: string
  resourceId: string
  number: number
  status: number | null
}

/** A change of a resource, and the event that tells of it. */
export interface Effect {
  eventId: string
  type: string
  resourceId: string
  /** What a behavior did to it or to its deliveries; null where the service behaved. */
  trouble: string | null
  /** The resource's state from here on; null where it has none. */
  state: string | null
}
