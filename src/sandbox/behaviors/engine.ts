/**
 * Decides which faults act in one sandbox. The door, the operations and the webhooks ask it at four places; with nothing armed
 * this costs one comparison. For a request, faults are considered in this order: its `X-Sim` header, the armed behaviors in the
 * order of arming, and those armed from outside. Its state is in the sandbox's database
 * (`remembered.ts`), so a copy of the database behaves like the original. Only held requests are not, because their connections
 * cannot be copied.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { scopeOf } from '../../service/door/idempotency.ts'
import type { InterruptionPlan, Interruptions, MatchedRequest } from '../../service/door/interruptions.ts'
import type { BehaviorResult } from '../../service/door/journal-entry.ts'
import type { BankQuestion, BankVerdict } from '../../service/environments/bank.ts'
import type { RememberedRow } from '../../service/store/behavior-state.ts'
import type { CurrentStore } from '../../service/store/current-store.ts'
import { NotStored } from '../../spec/contract/errors.ts'
import { DEFINITIONS } from '../../spec/contract/resources/index.ts'
import { TIMED_MOVES, type TimedMove } from '../../spec/contract/resources/timed.ts'
import { Clock } from '../../spec/world/clock.ts'
import type { RandomState } from '../../spec/world/random.ts'
import type { BehaviorInput } from '../scenario-file/armable.ts'
import { Behavior } from '../scenario-file/behavior.ts'
import { actsOnReplays } from '../scenario-file/do.ts'
import { writtenBehaviors } from '../scenario-file/read-behaviors.ts'
import { ArmedBehavior, type TriggerVerdict } from './armed-behavior.ts'
import { ArmedBehaviors } from './armed-behaviors.ts'
import { BackgroundResults } from './background-results.ts'
import {
  type CrashableClient,
  DEFAULT_PLAN,
  type DeliveryPlan,
  type FaultServices,
  type PreparedFault,
} from './faults/fault.ts'
import { prepareFault } from './faults/registry.ts'
import { HeldRequests, type WaitingRequest } from './held-requests.ts'
import { isOfData, type RememberedMap, rememberedIn, type Write } from './remembered.ts'
import { planOf } from './request-plans.ts'
import { ScriptedDeliveries } from './scripted-deliveries.ts'
import {
  buyerTrigger,
  type DeliveredEvent,
  deliveryTrigger,
  requestTrigger,
  type Trigger,
  transitionTrigger,
} from './trigger.ts'
import { WaitingRefunds } from './waiting-refunds.ts'

interface EngineServices extends Pick<FaultServices, 'contract' | 'clock' | 'rateLimit' | 'chances'> {
  /** Whether a request may ask for faults by `X-Sim`. */
  faultsOnRequest: boolean
  database: CurrentStore
}

export class BehaviorEngine implements Interruptions {
  readonly #services: FaultServices & EngineServices
  /** Requests that a tester's behaviors hold. */
  readonly heldRequests: HeldRequests
  /**
   * Requests held by the gauntlet's behaviors, separate from the test's. They wait by the machine's clock, because a test that
   * froze the sandbox's clock does not know that it would have to move it.
   */
  readonly #heldFromOutside = new HeldRequests(new Clock())
  readonly #refunds: WaitingRefunds
  readonly deliveryFaults: ScriptedDeliveries
  /** The `X-Sim` header that acted last on the requests with an Idempotency-Key, by key and scope. */
  readonly #actedHeaders: RememberedMap<{ header: string; at: number }>
  readonly #initialChances: RandomState
  readonly #chances: RememberedMap<RandomState>
  /** The behaviors that a tester arms and disarms. */
  readonly armed: ArmedBehaviors
  /** Behaviors armed by the gauntlet. A tester cannot see, change or reset them, and a copy of the sandbox does not have them. */
  #fromOutside: readonly ArmedBehavior[] = []
  /** Set by the gauntlet if it started the client. */
  client: CrashableClient | undefined
  /** How behaviors acted on refunds, deliveries and buyers. */
  readonly backgroundResults: BackgroundResults

  constructor(services: EngineServices) {
    const remembered = rememberedIn(services.database)
    this.#initialChances = services.chances.state()
    this.#chances = remembered('random numbers')
    this.#actedHeaders = remembered('X-Sim of a key')
    this.heldRequests = new HeldRequests(services.clock)
    this.#refunds = new WaitingRefunds(remembered)
    this.backgroundResults = new BackgroundResults(remembered)
    const client = () => this.client
    this.deliveryFaults = new ScriptedDeliveries(remembered, {
      planFor: (event) => this.#deliveryPlan(event),
      findEvent: (id) => services.database.store.events.find(id),
      client,
    })
    const transact: FaultServices['transact'] = (work) => services.database.store.transact(work)
    const { heldRequests } = this
    this.#services = { ...services, heldRequests, refunds: this.#refunds, transact, client }
    this.armed = new ArmedBehaviors(remembered, this.#services, (change) => this.#commitNow(change))
    services.database.watch({ beforeCommit: () => this.#writeChances() })
  }

  /** Set after construction: completing a refund needs the agenda, which is created later and needs this engine. */
  completeRefundsWith(complete: Parameters<WaitingRefunds['completeWith']>[0]): void {
    this.#refunds.completeWith(complete)
  }

  /** Arms the gauntlet's behaviors, considered after a tester's; replaces the previous ones. */
  armFromOutside(given: BehaviorInput): void {
    this.#fromOutside = writtenBehaviors(given).map((behavior, index) => {
      const { id = `trouble-${index + 1}` } = behavior
      const armedAt = this.#services.clock.now()
      const heldRequests = this.#heldFromOutside
      const services = { ...this.#services, heldRequests }
      const arming = { id, behavior: z.decode(Behavior, behavior), armedAt, counts: new Map() }
      return new ArmedBehavior(arming, services)
    })
  }

  get fromOutside(): readonly ArmedBehavior[] {
    return this.#fromOutside
  }

  /** In the order in which they are considered. */
  get #all(): readonly ArmedBehavior[] {
    return [...this.armed, ...this.#fromOutside]
  }

  get #isArmed(): boolean {
    return this.armed.size > 0 || this.#fromOutside.length > 0
  }

  // What it remembers

  /** Loads the state from the current database. With `reseeded`, random numbers start from the sandbox's own seed. */
  load({ reseeded }: { reseeded: boolean }): void {
    this.armed.load()
    const chances = reseeded ? undefined : this.#chances.get('')
    this.#services.chances.restore(chances ?? this.#initialChances)
  }

  /**
   * The rows that a reset keeps: armed behaviors stay armed. Rows about refunds and deliveries go with these.
   */
  stayingArmed(): RememberedRow[] {
    const { store } = this.#services.database
    store.flush()
    return store.behaviorState.list().filter(({ kind }) => !isOfData(kind))
  }

  /** Writes the state of the random numbers with every commit. */
  #writeChances(): void {
    if (!this.#isArmed) return
    const state = this.#services.chances.state()
    if (!isDeepStrictEqual(state, this.#chances.get(''))) this.#chances.set('', state)
  }

  // Called by testers

  /** Resumes the requests now held at a gate and completes the refunds waiting for it. */
  release(gate: string): WaitingRequest[] {
    this.#refunds.release(gate)
    return [...this.heldRequests.release(gate), ...this.#heldFromOutside.release(gate)]
  }

  /** Every gate that an armed behavior names, or at which a request or a refund waits. */
  gates(): Set<string> {
    const named = this.#all.flatMap(({ behavior: { do: words } }) => {
      if ('hold' in words) return [words.hold]
      return 'after' in words && typeof words.after === 'object' && 'gate' in words.after
        ? [words.after.gate]
        : []
    })
    const held = this.heldRequests.heldAt().flatMap(({ gate }) => gate ?? [])
    return new Set([...named, ...this.#refunds.gates(), ...held])
  }

  /** Returns to the initial state: random numbers start over, held requests are resumed. */
  reset(): void {
    this.#commitNow(() => {
      this.#services.database.store.behaviorState.clearAll()
      this.#services.chances.restore(this.#initialChances)
      this.armed.armPermanentAgain()
    })
    this.deliveryFaults.forgetCrashes()
    this.heldRequests.releaseAll()
  }

  /** Called when the sandbox is removed: held requests fail, because their database is closed. */
  abandon(): void {
    this.heldRequests.abandon()
    this.#heldFromOutside.abandon()
  }

  /** Resumes every held request and holds none from now on. */
  close(): void {
    this.heldRequests.close()
    this.#heldFromOutside.close()
  }

  // Called by the service

  get abandoned(): boolean {
    return this.heldRequests.abandoned
  }

  beforeOperation(matched: MatchedRequest): ReturnType<Interruptions['beforeOperation']> {
    const header = this.#services.faultsOnRequest ? matched.entry.asked.headers['x-sim'] : undefined
    if (header !== undefined) return this.#planHeaderFaults(header, matched)
    return this.#planArmedFaults([], matched)
  }

  #planArmedFaults(asked: PreparedFault[], matched: MatchedRequest): ReturnType<typeof planOf> {
    let counted: Promise<void> | undefined
    const faults = this.#faultsFor(matched, (write) => {
      counted = this.#commit(write)
    })
    return this.#planOf(asked.length > 0 ? [...asked, ...faults] : faults, matched, counted)
  }

  /**
   * Loads the parser with the first header: it needs the whole file format, and most simulators never see
   * such a header.
   */
  async #planHeaderFaults(header: string, matched: MatchedRequest): Promise<InterruptionPlan | undefined> {
    const { readXSim } = await import('./x-sim.ts')
    const { key, operation, params, request, entry, isReplay } = matched
    const faults = readXSim(header, operation.id)
      .filter((words) => !isReplay || actsOnReplays(words))
      .map((words) => prepareFault(words, this.#services))
    const name = key === undefined ? undefined : `${scopeOf(operation, params, request.path)}\n${key}`
    // A client that sends the request again with all of its headers gets through.
    const { clock, contract } = this.#services
    const acted = name === undefined ? undefined : this.#actedHeaders.get(name)
    const fired = acted?.header !== header || clock.now() - acted.at >= contract.keyRetentionMs
    const why = fired
      ? 'the header asks for it'
      : 'it has acted on an earlier request with this Idempotency-Key'
    entry.behaved(faults.map(({ does, waits }) => ({ behavior: 'X-Sim', did: does, fired, why, waits })))
    const acting = fired ? faults : []
    const counted =
      acting.length > 0 && name !== undefined
        ? this.#commit(() => {
            this.#actedHeaders.set(name, { header, at: clock.now() })
            this.#actedHeaders.keepNewest(ACTED_HEADERS_MAX)
          })
        : undefined
    // A stub's response comes from an armed behavior, so armed behaviors are considered too.
    if (operation.id === null) return this.#planArmedFaults(acting, matched)
    return this.#planOf(acting, matched, counted)
  }

  #planOf(faults: PreparedFault[], matched: MatchedRequest, counted: Promise<void> | undefined) {
    if (faults.length === 0) return this.#reachesOperation(matched)
    return planOf(faults, matched, counted, () => this.#reachesOperation(matched))
  }

  #reachesOperation(matched: MatchedRequest): undefined {
    const { operation, params } = matched
    if (operation.id !== null && READS_OF_TIMED.has(operation.id)) {
      this.#refunds.countRead(params.id ?? '', (write) => this.#commit(write))
    }
  }

  /** Commits with the request's own writes, or before them if the request has to wait. */
  #commit(write: () => void): Promise<void> {
    const committed = this.#services.database.store.transact(write)
    // Not handled here: a request that does not wait fails by the same commit, or continues after an earlier one.
    committed.catch(() => {})
    return committed
  }

  resultsFor(events: readonly DeliveredEvent[]): readonly BehaviorResult[] {
    return this.#isArmed ? this.backgroundResults.listFor(events) : []
  }

  /** When a timed move is made; undefined if no behavior decides it. */
  timing(move: TimedMove, row: { id: string }): ReturnType<NonNullable<PreparedFault['timing']>> | undefined {
    if (!this.#isArmed) return undefined
    const [fault] = this.#fireInBackground(row.id, transitionTrigger(move, row))
    return fault?.timing?.(row.id)
  }

  /**
   * The bank's decision on a buyer; undefined if no behavior decides it. Its count stays even if the buyer's step is rolled back:
   * a decline is often reported by a refusal, which rolls back, and the next attempt has to count separately.
   */
  decides(question: BankQuestion): BankVerdict | undefined {
    if (!this.#isArmed) return undefined
    const checkout = this.#services.database.store.checkouts.find(question.checkoutId)
    const apart: Write = (write) => this.#services.database.store.apart(write)
    const [fault] = this.#fireInBackground(question.checkoutId, buyerTrigger(question, checkout), apart)
    return fault?.verdict
  }

  #deliveryPlan(event: DeliveredEvent): DeliveryPlan {
    if (!this.#isArmed) return DEFAULT_PLAN
    const faults = this.#fireInBackground(event.id, deliveryTrigger(event, this.#services.contract))
    return faults.reduce((plan, fault) => fault.deliver!(plan), DEFAULT_PLAN)
  }

  // Which faults act

  #faultsFor(matched: MatchedRequest, write: Write): PreparedFault[] {
    if (!this.#isArmed) return NO_FAULTS
    const { faults, considered } = this.#fire(requestTrigger(matched, this.#services.contract), write)
    matched.entry.behaved(considered.map(resultOf))
    return faults
  }

  /** Considers every behavior, because each counts its matches; after one without `continue` has fired, no other fires. */
  #fire(trigger: Trigger, write: Write): { faults: PreparedFault[]; considered: Considered[] } {
    const faults: PreparedFault[] = []
    const considered: Considered[] = []
    let first: ArmedBehavior | undefined
    for (const armed of this.#all) {
      const verdict = armed.consider(
        trigger,
        this.#services.clock.now(),
        this.#services.chances,
        first,
        write,
      )
      if (!verdict) continue
      considered.push({ armed, verdict })
      if (!verdict.fired) continue
      faults.push(armed.fault)
      if (!armed.behavior.continue) first = armed
    }
    return { faults, considered }
  }

  /** Called inside the transaction of the trigger. */
  #fireInBackground(subject: string, trigger: Trigger, write: Write = (write) => write()): PreparedFault[] {
    const { faults, considered } = this.#fire(trigger, write)
    const results = considered.map((result) => ({ ...resultOf(result), words: result.armed.behavior.do }))
    if (results.length > 0)
      write(() => this.backgroundResults.add(results, this.#services.clock.now(), subject))
    return faults
  }

  /**
   * Commits a tester's change before it returns. If the commit fails, the armed behaviors are loaded from the
   * database again, and the tester gets the refusal.
   */
  #commitNow<Changed>(change: () => Changed): Changed {
    try {
      return this.#services.database.store.transactNow(change)
    } catch (cause) {
      if (cause instanceof NotStored) this.load({ reseeded: false })
      throw cause
    }
  }
}

const NO_FAULTS: PreparedFault[] = []
/** A client retries within minutes; the oldest are forgotten. */
const ACTED_HEADERS_MAX = 1_000

/** The reads that a timed move may wait for, such as `refunds.get`. */
const READS_OF_TIMED: ReadonlySet<string> = new Set(
  TIMED_MOVES.map(({ kind }) => `${DEFINITIONS[kind].collection}.get`),
)

/** A behavior that matched a trigger's call or event, and its decision. */
interface Considered {
  armed: ArmedBehavior
  verdict: TriggerVerdict
}

const resultOf = ({ armed, verdict }: Considered): BehaviorResult => ({
  behavior: armed.id,
  did: armed.fault.does,
  fired: verdict.fired,
  why: verdict.why,
  waits: armed.fault.waits,
})
