/**
 * One armed behavior with its counters. It decides and counts synchronously, so with `times: 2` exactly two of any number of
 * concurrent requests are hit. Every matching trigger is counted, even if an earlier behavior acts on it, so that `attempt` and
 * `skip` do not depend on other behaviors. A replay is counted only by faults that can act on it. A count is a row. A request's
 * count is committed with the request's own writes, and stays if the operation fails; a refund's or event's count is part of the
 * work that writes it. A request answered by a fault waits for a commit of its count alone; the count of a delayed request is
 * committed before the request continues. A rollback does not restore two values: the random number drawn for a `probability`,
 * and `lastMiss`, which is not in the database. The counts of a gauntlet's fault are in memory, so that no copy or reset affects
 * them; a rollback does not take them back.
 */
import { formatDuration } from '../../spec/contract/duration.ts'
import type { Random } from '../../spec/world/random.ts'
import type { Behavior } from '../scenario-file/behavior.ts'
import { actsOnReplays } from '../scenario-file/do.ts'
import { matches } from '../scenario-file/matcher.ts'
import { type Conditions, conditionsOf } from './conditions.ts'
import type { FaultServices, PreparedFault } from './faults/fault.ts'
import { faultOf, prepareFault } from './faults/registry.ts'
import type { RememberedMap, Write } from './remembered.ts'
import type { Trigger, TriggerKind } from './trigger.ts'

export interface TriggerVerdict {
  fired: boolean
  /** The counters, or the condition that failed. */
  why: string
}

/** The counters for one value of the scope, such as one key. */
export interface ScopeCounts {
  matched: number
  fired: number
}

/** The values that a behavior is armed with. */
interface Arming {
  id: string
  behavior: Behavior
  /** In the sandbox's time. */
  armedAt: number
  counts: Counts
}

/** The counters by scope: rows in the database, or for `armFromOutside` a Map in memory. */
type Counts = Pick<RememberedMap<ScopeCounts>, 'get' | 'set'> & Iterable<[string, ScopeCounts]>

export class ArmedBehavior {
  readonly id: string
  readonly behavior: Behavior
  readonly fault: PreparedFault
  /** A sentence for testers: when it acts and what it does. */
  readonly explained: string
  /** In the sandbox's time. */
  readonly expiresAt: number
  /** Why it did not act on the latest trigger that it skipped. */
  lastMiss: string | null = null
  readonly actsOn: TriggerKind
  readonly #conditions: Conditions
  /** By the value of the scope, such as the key. */
  readonly #counts: Counts

  constructor({ id, behavior, armedAt, counts }: Arming, services: FaultServices) {
    this.id = id
    this.behavior = behavior
    this.fault = prepareFault(behavior.do, services)
    this.expiresAt = behavior.ttl === undefined ? Number.POSITIVE_INFINITY : armedAt + behavior.ttl
    this.#counts = counts
    this.actsOn = faultOf(behavior.do).actsOn
    this.#conditions = conditionsOf(behavior.when)
    this.explained = sentenceOf(behavior, this.actsOn, this.fault)
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
   * Decides whether to act; undefined for a trigger with another call, operation or event. `first`: an earlier behavior that
   * acted, after which no other may. `write` writes the count in the right transaction.
   */
  consider(
    trigger: Trigger,
    now: number,
    chances: Random,
    first: ArmedBehavior | undefined,
    write: Write,
  ): TriggerVerdict | undefined {
    if (trigger.kind !== this.actsOn || !this.#conditions.isAbout(trigger)) return undefined
    if (trigger.isReplay && !actsOnReplays(this.behavior.do)) return undefined
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
    { matched, fired }: ScopeCounts,
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

  #sum(what: keyof ScopeCounts): number {
    return [...this.#counts].reduce((sum, [, counts]) => sum + counts[what], 0)
  }

  #missed(why: string): TriggerVerdict {
    this.lastMiss = why
    return { fired: false, why }
  }
}

const NO_COUNTS: ScopeCounts = { matched: 0, fired: 0 }

const ANY: Record<TriggerKind, string> = {
  request: 'any request',
  transition: 'a new resource',
  delivery: 'any event',
  buyer: 'a buyer',
}

/** Such as `POST /v1/checkouts with json {"amount":{"gt":5}}: answers 500, 2 times`. */
function sentenceOf({ when, times }: Behavior, actsOn: TriggerKind, { does }: PreparedFault): string {
  const { call, stub, op, event, resource, enters: _, ...others } = when
  const about =
    [call, stub, op, event, resource && `a new ${resource}`]
      .filter((subject) => subject !== undefined)
      .join(' and ') || ANY[actsOn]
  const conditions = Object.entries(others).map(([name, value]) => ` with ${name} ${JSON.stringify(value)}`)
  const often = times === undefined ? '' : `, ${times === 1 ? 'once' : `${times} times`}`
  return `${about}${conditions.join(' and')}: ${does}${often}`
}
