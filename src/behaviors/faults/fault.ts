/**
 * What a fault is: words from a file or a header in, trouble that is ready to happen out. A fault knows what it does and
 * nothing of when, how often or to whom; the service knows of none.
 */
import type { MatchedRequest, ReplacementAnswer } from '../../gate/interruptions.ts'
import type { RateLimit } from '../../gate/rate-limit.ts'
import type { Answer } from '../../gate/request.ts'
import type { Do } from '../../scenario-file/behavior.ts'
import type { Clock } from '../../world/clock.ts'
import type { Random } from '../../world/random.ts'
import type { DeliveryPlan } from '../delivery-plan.ts'
import type { HeldRequests } from '../held-requests.ts'
import type { TriggerPlace } from '../trigger.ts'
import type { WaitingRefunds } from '../waiting-refunds.ts'

/** What the faults of one sandbox reach for. */
export interface FaultServices {
  readonly clock: Clock
  /** The sandbox's real one. */
  readonly rateLimit: RateLimit
  readonly chances: Random
  readonly heldRequests: HeldRequests
  readonly refunds: WaitingRefunds
}

/** The words that go with a verb, such as `{ delay: 2000, at: 'after-commit' }`. */
export type FaultWords<Verb extends string> = Extract<Do, Record<Verb, unknown>>

export interface Fault<Verb extends string> {
  /** What it does, in one sentence. */
  readonly sentence: string
  readonly place: TriggerPlace
  prepare(words: FaultWords<Verb>, stage: FaultServices): PreparedFault
}

/** Trouble that is ready to happen. Which of the functions is there depends on the place; one is enough. */
export interface PreparedFault {
  /** What it does this time, for the journal. */
  readonly does: string
  /** Before the operation: nothing, to let the request go on, or an answer in the operation's place. */
  before?(matched: MatchedRequest): Promise<undefined> | ReplacementAnswer | undefined
  /** After the commit: the answer as it goes out. */
  afterCommit?(matched: MatchedRequest, answer: Answer): Promise<Answer> | Answer
  /** When a refund that has just come to be moves on. */
  timing?(refundId: string): { afterMs: number } | 'when told'
  /** How an event is to be delivered. */
  deliver?(mail: DeliveryPlan): DeliveryPlan
}

/** Makes a request wait, where its words say: before the operation, or between the commit and the answer. */
export function waitFault(
  does: string,
  at: 'before' | 'after-commit' | undefined,
  wait: (matched: MatchedRequest) => Promise<void>,
): PreparedFault {
  if (at === 'after-commit') {
    return {
      does: `${does}, after the commit`,
      async afterCommit(matched, answer) {
        await wait(matched)
        return answer
      },
    }
  }
  return {
    does,
    async before(matched) {
      await wait(matched)
      return undefined
    },
  }
}
