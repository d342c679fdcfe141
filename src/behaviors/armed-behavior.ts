/**
 * One armed behavior with its counters. It decides and counts synchronously, so with `times: 2` exactly two of any number
 * of concurrent requests are hit.
 *
 * Every trigger that matches is counted, also when an earlier behavior acts on it: what `attempt` and `skip` count does
 * not depend on the other behaviors.
 *
 * A count belongs to the transaction of what was counted: the request's, or the one that writes the refund or the event.
 * It is made at once, so that the next trigger sees it, and taken back when that transaction is not committed. A request
 * that a fault answers has no transaction, so its count stays. A random number that was drawn for a `probability` stays
 * drawn, and `lastMiss` stays what was last tried.
 */
import { formatDuration } from '../contract/duration.ts'
import { type Armable, type Behavior, withBehaviorDefaults } from '../scenario-file/behavior.ts'
import { matches } from '../scenario-file/matcher.ts'
import type { Random } from '../world/random.ts'
import { type Conditions, conditionsOf } from './conditions.ts'
import type { FaultServices, PreparedFault } from './faults/fault.ts'
import { faultOf, prepareFault } from './faults/registry.ts'
import type { TakeBack } from './take-back.ts'
import type { Trigger, TriggerPlace } from './trigger.ts'

export interface TriggerVerdict {
  fired: boolean
  /** The counters, or the condition that failed. */
  why: string
}

/** Counts of one scope. */
interface Counts {
  matched: number
  fired: number
}

export class ArmedBehavior {
  readonly id: string
  readonly behavior: Behavior
  readonly fault: PreparedFault
  /** When it acts and what it does, in a sentence for testers. */
  readonly explained: string
  /** On the sandbox's clock. */
  readonly expiresAt: number
  matched = 0
  fired = 0
  /** Why it did not act, the last time that it was considered and did not. */
  lastMiss: string | null = null
  readonly #place: TriggerPlace
  readonly #conditions: Conditions
  readonly #counts = new Map<string, Counts>()

  constructor(id: string, armable: Armable, services: FaultServices) {
    const now = services.clock.now()
    const behavior = withBehaviorDefaults(armable)
    this.id = id
    this.behavior = behavior
    this.fault = prepareFault(behavior.do, services)
    this.expiresAt = behavior.ttl === undefined ? Number.POSITIVE_INFINITY : now + behavior.ttl
    this.#place = faultOf(behavior.do).place
    this.#conditions = conditionsOf(behavior.when)
    this.explained = sentenceOf(behavior, this.#place, this.fault)
  }

  /** How often it will still act: null without `times`, or with a scope that has several counters. */
  get left(): number | null {
    const { times, scope } = this.behavior
    return times === undefined || scope !== 'sandbox' ? null : times - this.fired
  }

  /** Undefined when it is about another call, operation or event. `first` is an earlier behavior that ended the search. */
  consider(
    trigger: Trigger,
    now: number,
    chances: Random,
    first: ArmedBehavior | undefined,
  ): (TriggerVerdict & { takeBack?: TakeBack }) | undefined {
    if (trigger.place !== this.#place || !this.#conditions.isAbout(trigger)) return undefined
    const miss = this.#conditions.firstMiss(trigger) ?? this.#whyExpired(now)
    if (miss !== undefined) return this.#missed(miss)
    const counts = this.#countsOf(trigger.countedBy[this.behavior.scope] ?? '')
    const verdict = this.#count(counts, chances, first)
    return { ...verdict, takeBack: () => this.#takeBack(counts, verdict) }
  }

  #whyExpired(now: number): string | undefined {
    const { ttl = 0 } = this.behavior
    return now < this.expiresAt ? undefined : `its ttl of ${formatDuration(ttl)} has passed`
  }

  #count(counts: Counts, chances: Random, first: ArmedBehavior | undefined): TriggerVerdict {
    const { when, skip, times = Number.POSITIVE_INFINITY } = this.behavior
    counts.matched += 1
    this.matched += 1
    const nth = `match ${counts.matched}`

    if (first) return this.#missed(`${nth}, but ${first.id} acts first`)
    if (counts.matched <= skip) return this.#missed(`${nth} of the ${skip} that it skips`)
    if (when.attempt !== undefined && !matches(when.attempt, counts.matched)) {
      return this.#missed(`${nth}, and attempt is ${JSON.stringify(when.attempt)}`)
    }
    if (counts.fired >= times) return this.#missed(`${nth}, and it has acted ${times} of ${times}`)
    if (when.probability !== undefined) {
      const drawn = chances.fraction()
      if (drawn >= when.probability) {
        return this.#missed(`${nth}, and ${drawn.toFixed(3)} was drawn, not below ${when.probability}`)
      }
    }
    counts.fired += 1
    this.fired += 1
    return {
      fired: true,
      why: `${nth}, acting ${counts.fired}${times < Number.POSITIVE_INFINITY ? ` of ${times}` : ''}`,
    }
  }

  #takeBack(counts: Counts, { fired }: TriggerVerdict): void {
    for (const taken of [counts, this]) {
      taken.matched -= 1
      if (fired) taken.fired -= 1
    }
  }

  #missed(why: string): TriggerVerdict {
    this.lastMiss = why
    return { fired: false, why }
  }

  #countsOf(key: string): Counts {
    const known = this.#counts.get(key)
    if (known) return known
    const fresh = { matched: 0, fired: 0 }
    this.#counts.set(key, fresh)
    return fresh
  }
}

const ANY: Record<TriggerPlace, string> = {
  request: 'any request',
  transition: 'a new refund',
  delivery: 'any event',
  buyer: 'a buyer',
}

/** `POST /v1/checkouts with json {"amount":{"gt":5}}: answers 500, 2 times`. */
function sentenceOf({ when, times }: Behavior, place: TriggerPlace, { does }: PreparedFault): string {
  const { call, op, event, resource: _, enters: __, ...others } = when
  const about = [call, op, event].filter((one) => one !== undefined).join(' and ') || ANY[place]
  const conditions = Object.entries(others).map(([name, value]) => ` with ${name} ${JSON.stringify(value)}`)
  const often = times === undefined ? '' : `, ${times === 1 ? 'once' : `${times} times`}`
  return `${about}${conditions.join(' and')}: ${does}${often}`
}
