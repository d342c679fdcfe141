/**
 * The behaviors of one sandbox. The gate, the operations and the webhooks ask it at four places whether a fault is to act;
 * with nothing armed the answer costs one comparison.
 *
 * For a request, the faults of its `X-Sim` header come before the armed behaviors, in the order of arming, and those
 * before a magic `orderId`.
 */
import type { Checkout } from '../contract/checkout.ts'
import { invalidField } from '../contract/errors.ts'
import { TESTER_LIMITS } from '../contract/limits.ts'
import type { Refund } from '../contract/refund.ts'
import type { InterruptionPlan, Interruptions, MatchedRequest } from '../gate/interruptions.ts'
import type { BehaviorResult } from '../gate/journal.ts'
import type { RateLimit } from '../gate/rate-limit.ts'
import { type BehaviorInput, behaviorsOf, requireBehaviors } from '../scenario-file/behavior.ts'
import type { BankQuestion } from '../staging/bank.ts'
import type { DeliveryFaults } from '../webhooks/webhooks.ts'
import type { Clock } from '../world/clock.ts'
import type { Random } from '../world/random.ts'
import { ArmedBehavior, type TriggerVerdict } from './armed-behavior.ts'
import { type BackgroundResult, BackgroundResults } from './background-results.ts'
import { DEFAULT_PLAN, type DeliveryPlan } from './delivery-plan.ts'
import type { FaultServices, PreparedFault } from './faults/fault.ts'
import { prepareFault } from './faults/registry.ts'
import { HeldRequests, type WaitingRequest } from './held-requests.ts'
import { MagicOrders } from './magic-orders.ts'
import { ScriptedDeliveries } from './scripted-deliveries.ts'
import type { TakeBack } from './take-back.ts'
import {
  buyerTrigger,
  type DeliveredEvent,
  deliveryTrigger,
  requestTrigger,
  type Trigger,
  transitionTrigger,
} from './trigger.ts'
import { WaitingRefunds } from './waiting-refunds.ts'

interface EngineServices {
  clock: Clock
  rateLimit: RateLimit
  /** A generator of its own: drawing from the one that makes ids would change them. */
  chances: Random
  /** Takes back, if the transaction under way is not committed, what was changed in memory for it. */
  onRollback(takeBack: TakeBack): void
  checkout(id: string): Checkout | undefined
}

export class BehaviorEngine implements Interruptions {
  readonly #services: FaultServices & EngineServices
  readonly #heldRequests: HeldRequests
  readonly #refunds = new WaitingRefunds()
  readonly #deliveries: ScriptedDeliveries
  readonly #magicOrders = new MagicOrders()
  readonly #initialChances
  #armed: ArmedBehavior[] = []
  /** Armed again after every reset. */
  #permanent: BehaviorInput = []
  #permanentArmed: ArmedBehavior[] = []
  /** How many were armed without an id, which numbers them. */
  #unnamed = 0
  readonly #backgroundResults = new BackgroundResults()

  constructor(services: EngineServices) {
    this.#initialChances = services.chances.state()
    this.#heldRequests = new HeldRequests(services.clock)
    this.#deliveries = new ScriptedDeliveries((event) => this.#deliveryPlan(event), services.onRollback)
    this.#services = { ...services, heldRequests: this.#heldRequests, refunds: this.#refunds }
  }

  /** Given later than the other services: what completes refunds is made from parts that are made from this one. */
  completeRefundsWith(complete: (id: string) => void): void {
    this.#refunds.completeWith(complete)
  }

  // Called by testers

  /** Arms behaviors after those that are armed. An armed one with the same id is removed, with its counters. */
  arm(given: BehaviorInput): ArmedBehavior[] {
    const behaviors = behaviorsOf(given)
    requireBehaviors(behaviors)
    const armed = behaviors.map((behavior) => {
      if (behavior.id === undefined) this.#unnamed += 1
      return new ArmedBehavior(behavior.id ?? `behavior-${this.#unnamed}`, behavior, this.#services)
    })
    const others = this.#armed.filter(({ id }) => !armed.some((one) => one.id === id))
    if (others.length + armed.length > TESTER_LIMITS.behaviors.max) {
      throw invalidField('behaviors', `must be at most ${TESTER_LIMITS.behaviors.max} armed at a time`)
    }
    this.#armed = [...others, ...armed]
    return armed
  }

  /** Arms these, and no others. */
  replace(given: BehaviorInput): ArmedBehavior[] {
    this.disarm()
    return this.arm(given)
  }

  /** Arms behaviors now and again after every reset, in place of those given before. */
  armPermanently(given: BehaviorInput): void {
    for (const { id } of this.#permanentArmed) this.disarm(id)
    this.#permanent = given
    this.#permanentArmed = this.arm(given)
  }

  /** Disarms one, or all without an id; false when that id is not armed. Requests held at its gate stay held. */
  disarm(id?: string): boolean {
    const before = this.#armed.length
    this.#armed = id === undefined ? [] : this.#armed.filter((armed) => armed.id !== id)
    return id === undefined || this.#armed.length < before
  }

  /** The armed behaviors in their order, with their counters. */
  list(): readonly ArmedBehavior[] {
    return this.#armed
  }

  /** Resumes the requests held at a gate now and completes the refunds that wait for it. */
  release(gate: string): WaitingRequest[] {
    this.#refunds.release(gate)
    return this.#heldRequests.release(gate)
  }

  /** The requests held at this gate, or at any gate. */
  held(gate?: string): WaitingRequest[] {
    return this.#heldRequests.heldAt(gate)
  }

  /** Resolves once a request is held at the gate. */
  whenHeld(gate: string, signal?: AbortSignal): Promise<WaitingRequest[]> {
    return this.#heldRequests.whenHeld(gate, signal)
  }

  /** What behaviors did to refunds, deliveries and buyers, from the first to the last. */
  backgroundResults(): readonly BackgroundResult[] {
    return this.#backgroundResults.list()
  }

  /** Back to the state at the start: random numbers begin again, held requests are resumed. */
  reset(): void {
    this.disarm()
    this.#unnamed = 0
    this.#services.chances.restore(this.#initialChances)
    this.#magicOrders.clear()
    this.#backgroundResults.clear()
    this.clearPendingEffects()
    this.#heldRequests.releaseAll()
    this.#permanentArmed = this.arm(this.#permanent)
  }

  /** Forgets deliveries and refunds that wait: the database that they belong to is replaced. */
  clearPendingEffects(): void {
    this.#deliveries.clear()
    this.#refunds.clear()
  }

  /** The sandbox is removed: what is held has no world to go on in, and fails. */
  abandon(): void {
    this.#heldRequests.abandon()
  }

  /** Resumes every held request and holds none from now on. */
  close(): void {
    this.#heldRequests.close()
  }

  // Called by the service

  get heldCount(): number {
    return this.#heldRequests.size
  }

  isHeld(request: string): boolean {
    return this.#heldRequests.has(request)
  }

  get abandoned(): boolean {
    return this.#heldRequests.abandoned
  }

  beforeOperation(matched: MatchedRequest): ReturnType<Interruptions['beforeOperation']> {
    const header = matched.entry.headers['x-sim']
    if (header !== undefined) return this.#planHeaderFaults(header, matched)
    const takeBacks: TakeBack[] = []
    return this.#plan(this.#faultsFor(matched, takeBacks), matched, takeBacks)
  }

  resultsFor(events: readonly DeliveredEvent[]): readonly BehaviorResult[] {
    return this.#backgroundResults.listFor(events)
  }

  /** When a new refund completes; undefined when no behavior decides it. */
  refundTiming(refund: Refund): ReturnType<NonNullable<PreparedFault['timing']>> | undefined {
    if (this.#armed.length === 0) return undefined
    const [fault] = this.#fireInTransaction(refund.id, transitionTrigger(refund))
    if (!fault?.timing) return undefined
    this.#services.onRollback(() => this.#refunds.remove(refund.id))
    return fault.timing(refund.id)
  }

  /**
   * Whether the bank declines a buyer. This count is never taken back: a decline is often told by a refusal, which rolls
   * back the buyer's step, and the next attempt has to be another one.
   */
  declines(question: BankQuestion): boolean {
    if (this.#armed.length === 0) return false
    const checkout = this.#services.checkout(question.checkoutId)
    return this.#fireInBackground(question.checkoutId, buyerTrigger(question, checkout), []).length > 0
  }

  get deliveryFaults(): DeliveryFaults {
    return this.#deliveries
  }

  #deliveryPlan(event: DeliveredEvent): DeliveryPlan {
    if (this.#armed.length === 0) return DEFAULT_PLAN
    const faults = this.#fireInTransaction(event.id, deliveryTrigger(event))
    return faults.reduce((plan, fault) => fault.deliver!(plan), DEFAULT_PLAN)
  }

  // Which faults act

  #faultsFor(matched: MatchedRequest, takeBacks: TakeBack[]): PreparedFault[] {
    if (this.#armed.length === 0) return this.#magicOrderFaults(matched, takeBacks)
    const { faults, results } = this.#fire(requestTrigger(matched), takeBacks)
    matched.entry.behaved(results)
    return faults.length > 0 ? faults : this.#magicOrderFaults(matched, takeBacks)
  }

  #magicOrderFaults({ operation, body, entry }: MatchedRequest, takeBacks: TakeBack[]): PreparedFault[] {
    const next = this.#magicOrders.next(operation.id, body.orderId)
    if (!next) return NO_FAULTS
    takeBacks.push(next.takeBack)
    if (!next.do) return NO_FAULTS
    const fault = prepareFault(next.do, this.#services)
    entry.behaved([{ behavior: `orderId ${body.orderId}`, did: fault.does, fired: true, why: next.why }])
    return [fault]
  }

  /** Considers every behavior, because each counts its matches; after one without `also` has fired, no other fires. */
  #fire(trigger: Trigger, takeBacks: TakeBack[]): { faults: PreparedFault[]; results: BehaviorResult[] } {
    const faults: PreparedFault[] = []
    const results: BehaviorResult[] = []
    let first: ArmedBehavior | undefined
    for (const armed of this.#armed) {
      const verdict = armed.consider(trigger, this.#services.clock.now(), this.#services.chances, first)
      if (!verdict) continue
      if (verdict.takeBack) takeBacks.push(verdict.takeBack)
      results.push(resultOf(armed, verdict))
      if (!verdict.fired) continue
      faults.push(armed.fault)
      if (!armed.behavior.also) first = armed
    }
    return { faults, results }
  }

  #fireInTransaction(subject: string, trigger: Trigger): PreparedFault[] {
    const takeBacks: TakeBack[] = []
    const faults = this.#fireInBackground(subject, trigger, takeBacks)
    for (const takeBack of takeBacks) this.#services.onRollback(takeBack)
    return faults
  }

  #fireInBackground(subject: string, trigger: Trigger, takeBacks: TakeBack[]): PreparedFault[] {
    const { faults, results } = this.#fire(trigger, takeBacks)
    takeBacks.push(this.#backgroundResults.add(results, this.#services.clock.now(), subject))
    return faults
  }

  // Running them

  /** The parser is loaded with the first header: most simulators never see one, and it brings the whole file format. */
  async #planHeaderFaults(header: string, matched: MatchedRequest): Promise<InterruptionPlan | undefined> {
    const { readXSim } = await import('./x-sim.ts')
    const faults = readXSim(header).map((words) => prepareFault(words, this.#services))
    const why = 'the header asks for it'
    matched.entry.behaved(faults.map(({ does }) => ({ behavior: 'X-Sim', did: does, fired: true, why })))
    return this.#plan(faults, matched, [])
  }

  #plan(
    faults: PreparedFault[],
    matched: MatchedRequest,
    takeBacks: TakeBack[],
  ): ReturnType<Interruptions['beforeOperation']> {
    if (faults.some(({ before }) => before)) return this.#runBefore(faults, matched, takeBacks)
    return this.#planOperation(faults, matched, takeBacks)
  }

  async #runBefore(
    faults: PreparedFault[],
    matched: MatchedRequest,
    takeBacks: TakeBack[],
  ): Promise<InterruptionPlan | undefined> {
    for (const fault of faults) {
      const instead = await fault.before?.(matched)
      if (instead) return { instead, ...rollbackOf(takeBacks) }
    }
    return this.#planOperation(faults, matched, takeBacks)
  }

  #planOperation(
    faults: PreparedFault[],
    matched: MatchedRequest,
    takeBacks: TakeBack[],
  ): InterruptionPlan | undefined {
    try {
      this.#countRead(matched, takeBacks)
    } catch (cause) {
      rollbackOf(takeBacks).rolledBack?.()
      throw cause
    }
    const afterCommit = faults.some((fault) => fault.afterCommit)
    if (!afterCommit && takeBacks.length === 0) return undefined
    return { ...(afterCommit && afterCommitOf(faults, matched)), ...rollbackOf(takeBacks) }
  }

  /** Called only for requests that reach the operation: `polls` counts reads that a platform saw the answer of. */
  #countRead({ operation, params }: MatchedRequest, takeBacks: TakeBack[]): void {
    if (!this.#refunds.awaitsReads || operation.id !== 'refunds.get') return
    takeBacks.push(this.#refunds.countRead(params.id ?? ''))
  }
}

const NO_FAULTS: PreparedFault[] = []

const afterCommitOf = (faults: PreparedFault[], matched: MatchedRequest): InterruptionPlan => ({
  async afterCommit(answer) {
    let changed = answer
    for (const fault of faults) changed = (await fault.afterCommit?.(matched, changed)) ?? changed
    return changed
  },
})

const rollbackOf = (takeBacks: TakeBack[]): InterruptionPlan =>
  takeBacks.length === 0
    ? {}
    : {
        rolledBack() {
          for (const takeBack of takeBacks) takeBack()
        },
      }

const resultOf = ({ id, fault }: ArmedBehavior, { fired, why }: TriggerVerdict): BehaviorResult => ({
  behavior: id,
  did: fault.does,
  fired,
  why,
})
