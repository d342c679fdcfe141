/**
 * Behaviors as code writes them. They are written out beside the schema of `behavior.ts`, as an editor shows no comment of
 * a property that a type makes from a schema. A test holds that schema and interfaces take the same and say the same.
 */
import type { ConnectionFaultKind } from '../../spec/contract/connection-fault.ts'
import type { DurationText } from '../../spec/contract/duration.ts'
import type { CallPattern, OperationPattern } from '../../spec/contract/endpoints.ts'
import type { EventPattern } from '../../spec/contract/event.ts'
import type { Matcher } from './matcher.ts'

/** A text such as `2s`, or milliseconds. */
type Duration = DurationText | number

/** A fault: when it acts, how often, and what it does. Only `do` is required. */
export interface Armable {
  /** Its name in the journal and in reports. Left out, it is numbered. */
  id?: string | undefined
  /** All conditions must hold; without any, everything matches. */
  when?: ArmableWhen | undefined
  /** What attempt, skip and times are counted for. Left out, the sandbox. */
  scope?: 'sandbox' | 'op' | 'key' | 'resource' | 'ip' | undefined
  /** How often it acts; left out, always. */
  times?: number | undefined
  /** How many matches pass before it acts. Left out, none. */
  skip?: number | undefined
  /** How long it stays armed, on the sandbox's clock. Left out, until it is disarmed. */
  ttl?: Duration | undefined
  /** Let the behaviors after it act too. Left out, they do not. */
  also?: boolean | undefined
  /** Whether it need not act; otherwise a scenario or a test in which it never acts has failed. */
  optional?: boolean | undefined
  /** What the behavior does: exactly one of these. */
  do: ArmableDo
}

export interface ArmableWhen {
  /** Method and path: {id} and * stand for one segment, ** for the rest, * for any method. */
  call?: CallPattern | undefined
  /** Method and path of what is no endpoint: any other path under /v1, which is then answered. */
  stub?: CallPattern | undefined
  /** An operation; * for any, as in checkouts.* or *.create. */
  op?: OperationPattern | undefined
  /** The body, or what it must contain; matchers may take the place of values. */
  json?: unknown
  /** Headers by name in any case; each a text or a matcher. */
  header?: Record<string, string | number | boolean | Matcher> | undefined
  /** Query parameters; each a text or a matcher. */
  query?: Record<string, string | number | boolean | Matcher> | undefined
  /** The Idempotency-Key: a text or a matcher. */
  key?: string | Matcher | undefined
  /** Which of the calls that match otherwise, counted from 1 within the scope; or a matcher such as `{ gte: 2 }`. */
  attempt?: number | Matcher | undefined
  /** The type of the delivered event: an event type, all of one resource as in refund.*, or *. */
  event?: EventPattern | undefined
  /** The kind of resource; only refunds change state on their own. */
  resource?: 'refund' | undefined
  /** The state that the resource has just entered. */
  enters?: 'pending' | undefined
  /** From 0 to 1, drawn from the sandbox's seed. */
  probability?: number | undefined
}

export type ArmableDo =
  | DoRespond
  | DoDelay
  | DoHold
  | DoFault
  | DoRateLimit
  | DoPass
  | DoTransition
  | DoWebhook
  | DoDecision

interface Moment {
  /** before: the operation has not run; after-commit: it has, and only the answer is affected. */
  at?: 'before' | 'after-commit' | undefined
}

export interface DoRespond {
  /** Answer this; the operation does not run. A number is short for its status. */
  respond: number | ArmableAnswer
  /** Keep the answer under the Idempotency-Key, so that it is replayed. */
  stored?: boolean | undefined
}

export interface ArmableAnswer {
  /** The status, from 200 to 599. */
  status: number
  /**
   * The body; left out, the error of that status as the service writes it. ${request.json.amount} is taken from the
   * request.
   */
  json?: unknown
  /** Headers of the answer, by name. */
  headers?: Record<string, string> | undefined
}

export interface DoDelay extends Moment {
  /** Answer later. A frozen sandbox waits for its clock, any other for real time. */
  delay: Duration | ArmableSpread
}

/** A delay that is drawn anew for each request. */
export interface ArmableSpread {
  /** Half of the requests are answered within this. */
  p50: Duration
  /** All but one in a hundred are answered within this. */
  p99: Duration
}

export interface DoHold extends Moment {
  /** Stay in flight until this gate is released. */
  hold: string
  /** Go on by itself after this long. */
  max?: Duration | undefined
}

export interface DoFault extends Moment {
  /**
   * reset: RST. close: FIN. hang: silence until the client gives up. truncate: the body stops short. bad-json: the body is
   * no JSON. bad-chunk: the body cannot be read as HTTP. drip: the body comes slowly.
   */
  fault: ConnectionFaultKind
  /** drip: how long the body takes, in real time. */
  over?: Duration | undefined
}

export interface DoRateLimit {
  /** Another rate limit while this behavior acts. */
  rateLimit: ArmableLimit | ExhaustedLimit
}

export interface ArmableLimit {
  /** How many requests are let through in the window. */
  limit: number
  /** How long the window is; left out, a minute. */
  window?: Duration | undefined
}

export interface ExhaustedLimit {
  /** No request is let through. */
  exhausted: true
}

export interface DoPass {
  /** The address of the real staging, which is asked. */
  pass: string
  /** Its key, such as ${env:STAGING_API_KEY}. */
  apiKey: string
}

export interface DoTransition {
  /** The state that the resource enters. */
  transition: 'completed'
  /** When it enters it. */
  after: 'now' | 'never' | AfterClock | AfterPolls | AfterGate
}

export interface AfterClock {
  /** This long on the sandbox's clock. */
  clock: Duration
}

export interface AfterPolls {
  /** At the nth time that a platform reads it. */
  polls: number
}

export interface AfterGate {
  /** When this gate is released. */
  gate: string
}

export interface DoWebhook {
  /** Change the deliveries of the event. */
  webhook: ArmableDelivery
}

export interface ArmableDelivery {
  /** How many deliveries are made in total. */
  duplicate?: number | undefined
  /** How much later, on the sandbox's clock. */
  delay?: Duration | undefined
  /** Made after the deliveries of the next event. */
  reorder?: true | undefined
  /** Never made, as if the network had lost it. */
  drop?: true | undefined
  /**
   * stale: signed long ago. wrong-secret: with another secret. tampered: the body was changed afterwards. missing: no
   * signature.
   */
  sign?: 'stale' | 'wrong-secret' | 'tampered' | 'missing' | undefined
}

export interface DoDecision {
  /** Approves or declines the buyer, as the card network, the bank or the credit check would. */
  decision: 'approve' | 'decline'
  /** Why, as the buyer reads it after a colon: it is over its limit. */
  reason?: string | undefined
}

/** The input of `arm`: one behavior, a list of them, or an object with `behaviors`, such as a scenario. */
export type BehaviorInput = Armable | readonly Armable[] | ArmableScenario

export interface ArmableScenario {
  /** What happens, in one line. */
  readonly name?: string | undefined
  /** What goes wrong in a client that is not prepared for it. */
  readonly why?: string | undefined
  /** What the environment does. */
  readonly behaviors?: readonly Armable[] | undefined
}
