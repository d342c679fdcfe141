/**
 * One armed behavior with its counters. It decides and counts synchronously, so with `times: 2` exactly two of any number
 * of concurrent requests are hit.
 *
 * Every trigger that matches is counted, also when an earlier behavior acts on it: what `attempt` and `skip` count does
 * not depend on the other behaviors.
 *
 * A count is a row, written in the transaction of what was counted: the request's, or the one that writes the refund or the
 * event. A request that a fault answers has a commit for its count alone, and waits for it; one that a fault made wait is
 * counted in a commit before its own. A random number that was drawn for a `probability` stays drawn, and `lastMiss`, which is
 * not in the database, stays what was last tried.
 */
import { formatDuration } from '../../spec/contract/duration.ts'
import type { Random } from '../../spec/world/random.ts'
import type { Behavior } from '../scenario-file/behavior.ts'
import { matches } from '../scenario-file/matcher.ts'
import { type Conditions, conditionsOf } from './conditions.ts'
import type { FaultServices, PreparedFault } from './faults/fault.ts'
import { faultOf, prepareFault } from './faults/registry.ts'
import type { RememberedMap, Write } from './remembered.ts'
import type { Trigger, TriggerPlace } from './trigger.ts'

export interface TriggerVerdict {
  fired: boolean
  /** The counters, or the condition that failed. */
  why: string
}

/** TriggerCounts for one value of the scope. */
export interface TriggerCounts {
  matched: number
  fired: number
}

/** A behavior as it was armed. */
interface Arming {
  id: string
  behavior: Behavior
  /** On the sandbox's clock. */
  armedAt: number
  counts: Counts
}

/** A map in the database, or one that goes with the process. */
type Counts = Pick<RememberedMap<TriggerCounts>, 'get' | 'set'> & Iterable<[string, TriggerCounts]>

export class ArmedBehavior {
  readonly id: string
  readonly behavior: Behavior
  readonly fault: PreparedFault
  /** When it acts and what it does, in a sentence for testers. */
  readonly explained: string
  /** On the sandbox's clock. */
  readonly expiresAt: number
  /** Why it did not act, the last time that it was considered and did not. */
  lastMiss: string | null = null
  readonly place: TriggerPlace
  readonly #conditions: Conditions
  /** By the value that the scope counts for. */
  readonly #counts: Counts

  constructor({ id, behavior, armedAt, counts }: Arming, services: FaultServices) {
    this.id = id
    this.behavior = behavior
    this.fault = prepareFault(behavior.do, services)
    this.expiresAt = behavior.ttl === undefined ? Number.POSITIVE_INFINITY : armedAt + behavior.ttl
    this.#counts = counts
    this.place = faultOf(behavior.do).place
    this.#conditions = conditionsOf(behavior.when)
    this.explained = sentenceOf(behavior, this.place, this.fault)
  }

  get matched(): number {
    return this.#sum('matched')
  }

  get fired(): number {
    return this.#sum('fired')
  }

  /** How often it will still act: null without `times`, or with a scope that has several counters. */
  get left(): number | null {
    const { times, scope } = this.behavior
    return times === undefined || scope !== 'sandbox' ? null : times - this.fired
  }

  /**
   * Undefined when it is about another call, operation or event. `first` is an earlier behavior that ended the search, and
   * `write` writes the count where it belongs.
   */
  consider(
    trigger: Trigger,
    now: number,
    chances: Random,
    first: ArmedBehavior | undefined,
    write: Write,
  ): TriggerVerdict | undefined {
    if (trigger.place !== this.place || !this.#conditions.isAbout(trigger)) return undefined
    const miss = this.#conditions.firstMiss(trigger) ?? this.#whyExpired(now)
    if (miss !== undefined) return this.#missed(miss)
    const countedBy = trigger.countedBy[this.behavior.scope] ?? ''
    const counts = this.#counts.get(countedBy) ?? NO_COUNTS
    const verdict = this.#consider(counts, chances, first)
    const { matched, fired } = counts
    write(() => this.#counts.set(countedBy, { matched: matched + 1, fired: fired + (verdict.fired ? 1 : 0) }))
    return verdict
  }

  #whyExpired(now: number): string | undefined {
    const { ttl = 0 } = this.behavior
    return now < this.expiresAt ? undefined : `its ttl of ${formatDuration(ttl)} has passed`
  }

  #consider(
    { matched, fired }: TriggerCounts,
    chances: Random,
    first: ArmedBehavior | undefined,
  ): TriggerVerdict {
    const { when, skip, times = Number.POSITIVE_INFINITY } = this.behavior
    const attempt = matched + 1
    const nth = `match ${attempt}`

    if (first) return this.#missed(`${nth}, but ${first.id} acts first`)
    if (attempt <= skip) return this.#missed(`${nth} of the ${skip} that it skips`)
    if (when.attempt !== undefined && !matches(when.attempt, attempt)) {
      return this.#missed(`${nth}, and attempt is ${JSON.stringify(when.attempt)}`)
    }
    if (fired >= times) return this.#missed(`${nth}, and it has acted ${times} of ${times}`)
    if (when.probability !== undefined) {
      const drawn = chances.fraction()
      if (drawn >= when.probability) {
        return this.#missed(`${nth}, and ${drawn.toFixed(3)} was drawn, not below ${when.probability}`)
      }
    }
    const often = times < Number.POSITIVE_INFINITY ? ` of ${times}` : ''
    return { fired: true, why: `${nth}, acting ${fired + 1}${often}` }
  }

  #sum(what: keyof TriggerCounts): number {
    return [...this.#counts].reduce((sum, [, counts]) => sum + counts[what], 0)
  }

  #missed(why: string): TriggerVerdict {
    this.lastMiss = why
    return { fired: false, why }
  }
}

const NO_COUNTS: TriggerCounts = { matched: 0, fired: 0 }

const ANY: Record<TriggerPlace, string> = {
  request: 'any request',
  transition: 'a new refund',
  delivery: 'any event',
  buyer: 'a buyer',
}

/** `POST /v1/checkouts with json {"amount":{"gt":5}}: answers 500, 2 times`. */
function sentenceOf({ when, times }: Behavior, place: TriggerPlace, { does }: PreparedFault): string {
  const { call, stub, op, event, resource: _, enters: __, ...others } = when
  const about = [call, stub, op, event].filter((one) => one !== undefined).join(' and ') || ANY[place]
  const conditions = Object.entries(others).map(([name, value]) => ` with ${name} ${JSON.stringify(value)}`)
  const often = times === undefined ? '' : `, ${times === 1 ? 'once' : `${times} times`}`
  return `${about}${conditions.join(' and')}: ${does}${often}`
}
