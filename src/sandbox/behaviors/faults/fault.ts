/**
 * A fault turns a behavior's `do` into functions that act on a request, a refund or a delivery. The behavior
 * decides when and how often it acts; the engine only sees which of the functions a fault has.
 */
import type { MatchedRequest, ReplacementAnswer } from '../../../service/door/interruptions.ts'
import type { BehaviorResult } from '../../../service/door/journal-entry.ts'
import type { RateLimit, RequestWindows } from '../../../service/door/rate-limit.ts'
import type { Answer } from '../../../service/door/request.ts'
import type { BankVerdict } from '../../../service/environments/bank.ts'
import type { Contract } from '../../../spec/contract/contract.ts'
import type { Clock } from '../../../spec/world/clock.ts'
import type { Random } from '../../../spec/world/random.ts'
import type { DoOf, FaultVerb } from '../../scenario-file/do.ts'
import type { HeldRequests } from '../held-requests.ts'
import type { TriggerKind } from '../trigger.ts'
import type { WaitingRefunds } from '../waiting-refunds.ts'

/** The parts of a sandbox that faults use. */
export interface FaultServices {
  readonly contract: Contract
  readonly clock: Clock
  /** The rate limit that holds for every request of the sandbox. */
  readonly rateLimit: RateLimit
  /** Its own generator: drawing from the generator for ids would change the ids. */
  readonly chances: Random
  readonly heldRequests: HeldRequests
  readonly refunds: WaitingRefunds
  /** Resolves once the work is committed. */
  transact<Result>(work: () => Result): Promise<Result>
  /** The open windows of an armed `rateLimit`; undefined for a fault of an `X-Sim` header, which counts one request. */
  readonly rateWindows?: RequestWindows
  /** Undefined if the gauntlet did not start the app. */
  client(): CrashableClient | undefined
  /** The key of the real staging for this behavior's `forward`; undefined after a restart, as no file has it. */
  readonly realKey?: () => string | undefined
}

/** The app that sends the requests and receives the webhooks, if the gauntlet has started it. */
export interface CrashableClient {
  /** Kills it and starts it again; resolves once it is killed. */
  crash(): Promise<void>
  /** Resolves when no crash is in progress. */
  ready(): Promise<void>
  /** How often it was killed. */
  readonly crashes: number
}

export interface Fault<Verb extends FaultVerb> {
  /** The fault in one sentence. */
  readonly sentence: string
  readonly actsOn: TriggerKind
  prepare(words: DoOf<Verb>, services: FaultServices): PreparedFault
}

/** A fault with its parameters. Which of the functions it has depends on the kind of trigger. */
export interface PreparedFault {
  /** A sentence for the journal. */
  readonly does: string
  readonly waits?: BehaviorResult['waits']
  /** Runs before the operation. Returns a response that replaces the operation's, or undefined to let the request continue. */
  before?(matched: MatchedRequest): Promise<ReplacementAnswer | undefined> | ReplacementAnswer | undefined
  /** Runs after the commit; may return another answer to send. */
  afterCommit?(matched: MatchedRequest, answer: Answer): Promise<Answer | undefined>
  /** When a new refund completes. */
  timing?(refundId: string): { afterMs: number } | 'unscheduled'
  /** The bank's decision on a buyer. */
  readonly verdict?: BankVerdict
  /** Changes how an event is delivered. */
  deliver?(plan: DeliveryPlan): DeliveryPlan
}

/** A fault that acts before the operation, or, on its answer, after the commit. */
export const actingAt = (
  at: 'before' | 'after-commit' | undefined,
  does: string,
  act: (matched: MatchedRequest, answer?: Answer) => Promise<Answer | undefined>,
): PreparedFault =>
  at === 'after-commit'
    ? { does: `${does}, after the commit`, afterCommit: act }
    : { does, before: (matched) => act(matched) }

export type SignatureFault = DoOf<'webhook'>['webhook']['sign']

/** How the deliveries of one event are made. A fault takes a plan and returns a changed one. */
export interface DeliveryPlan {
  copies: number
  afterMs: number
  /** Whether these deliveries wait until the next event has been delivered. */
  afterNextEvent: boolean
  sign: SignatureFault
  /** Whether the client is killed when it has answered the first delivery. */
  crash: boolean
}

/** One delivery, immediately, with a valid signature. */
export const DEFAULT_PLAN: DeliveryPlan = {
  copies: 1,
  afterMs: 0,
  afterNextEvent: false,
  sign: undefined,
  crash: false,
}
