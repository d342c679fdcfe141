/**
 * Decides which faults act in one sandbox. The gate, the operations and the webhooks ask it at four places; with nothing armed
 * the answer costs one comparison.
 *
 * For a request, the faults of its `X-Sim` header come before the armed behaviors, in the order of arming, and those
 * before a magic `orderId`.
 *
 * What it remembers is in the sandbox's database, as rows of `remembered.ts`: a copy of the database behaves as the sandbox
 * that it was copied from. Only requests that are held are not in it, because their connections cannot be copied.
 */
import { isDeepStrictEqual } from 'node:util'
import type { BankQuestion, BankVerdict } from '../../service/environments/bank.ts'
import type { InterruptionPlan, Interruptions, MatchedRequest } from '../../service/gate/interruptions.ts'
import type { BehaviorResult } from '../../service/gate/journal-entry.ts'
import type { RateLimit } from '../../service/gate/rate-limit.ts'
import { LazyPart } from '../../service/lazy-part.ts'
import type { CurrentStore } from '../../service/store/current-store.ts'
import type { Store } from '../../service/store/store.ts'
import type { DeliveryFaults } from '../../service/webhooks/webhooks.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import type { Refund } from '../../spec/contract/refund.ts'
import type { Clock } from '../../spec/world/clock.ts'
import type { Random, RandomState } from '../../spec/world/random.ts'
import type { ArmedBehavior, TriggerVerdict } from './armed-behavior.ts'
import { ArmedBehaviors } from './armed-behaviors.ts'
import { type BackgroundResult, BackgroundResults } from './background-results.ts'
import { DEFAULT_PLAN, type DeliveryPlan, type SignatureFault } from './delivery-plan.ts'
import type { FaultServices, PreparedFault } from './faults/fault.ts'
import { prepareFault } from './faults/registry.ts'
import { HeldRequests, type WaitingRequest } from './held-requests.ts'
import { MagicOrders } from './magic-orders.ts'
import { Remembered, type RememberedMap } from './remembered.ts'
import { RequestPlans } from './request-plans.ts'
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
  contract: Contract
  clock: Clock
  rateLimit: RateLimit
  /** A generator of its own: drawing from the one that makes ids would change them. */
  chances: Random
  /** Whether a request may ask for faults, by `X-Sim` or by a magic `orderId`. */
  faultsOnRequest: boolean
  database: CurrentStore
}

export class BehaviorEngine implements Interruptions {
  readonly #services: FaultServices & EngineServices
  readonly #remembered = new Remembered()
  readonly #heldRequests: HeldRequests
  readonly #refunds = new WaitingRefunds(this.#remembered)
  readonly #deliveries: ScriptedDeliveries
  readonly #magicOrders = new MagicOrders(this.#remembered)
  readonly #initialChances: RandomState
  readonly #chances: RememberedMap<RandomState> = this.#remembered.map('random numbers')
  /** What a tester arms and disarms. */
  readonly armed: ArmedBehaviors
  readonly #requestPlans: RequestPlans
  readonly #backgroundResults = new BackgroundResults()

  constructor(services: EngineServices) {
    this.#initialChances = services.chances.state()
    this.#heldRequests = new HeldRequests(services.clock)
    this.#deliveries = new ScriptedDeliveries(this.#remembered, {
      planFor: (event) => this.#deliveryPlan(event),
      findEvent: (id) => services.database.store.events.find(id),
      onRollback: (takeBack) => this.#onRollback(takeBack),
    })
    this.#requestPlans = new RequestPlans(services.database, this.#refunds)
    this.#services = { ...services, heldRequests: this.#heldRequests, refunds: this.#refunds }
    this.armed = new ArmedBehaviors(this.#remembered, this.#services, () => this.#commitNow())
  }

  /** Given later than the other services: what completes refunds is made from parts that are made from this one. */
  completeRefundsWith(complete: (id: string) => void): void {
    this.#refunds.completeWith(complete)
  }

  // What it remembers

  /** Goes on from what the present database has. With a seed of the sandbox's own, random numbers begin again. */
  load({ reseeded }: { reseeded: boolean }): void {
    this.#requestPlans.forgetCounts()
    this.armed.unload()
    this.#remembered.load(this.#services.database.store)
    this.armed.load()
    const chances = reseeded ? undefined : this.#chances.get('')
    this.#services.chances.restore(chances ?? this.#initialChances)
  }

  /** An empty database is in place: what is armed stays armed, and what waited is gone with the refunds and deliveries. */
  startEmpty(): void {
    this.#requestPlans.forgetCounts()
    this.#deliveries.clear()
    this.#refunds.clear()
    this.#remembered.writeAll()
    this.#services.database.store.transactNow(() => {})
  }

  /** Inside every commit. */
  write(store: Store): void {
    if (this.armed.size > 0) this.#rememberChances()
    this.#remembered.write(store)
  }

  /** That commit failed. */
  rolledBack(): void {
    this.#remembered.rolledBack()
  }

  #rememberChances(): void {
    const state = this.#services.chances.state()
    if (!isDeepStrictEqual(state, this.#chances.get(''))) this.#chances.set('', state)
  }

  // Called by testers

  /** Resumes the requests held at a gate now and completes the refunds that wait for it. */
  release(gate: string): WaitingRequest[] {
    this.#refunds.release(gate)
    return this.#heldRequests.release(gate)
  }

  /** Every gate that an armed behavior names, or at which a request or a refund waits. */
  gates(): Set<string> {
    const named = this.armed.list().flatMap(({ behavior: { do: words } }) => {
      if ('hold' in words) return [words.hold]
      return 'after' in words && typeof words.after === 'object' && 'gate' in words.after
        ? [words.after.gate]
        : []
    })
    const held = this.held().flatMap(({ gate }) => gate ?? [])
    return new Set([...named, ...this.#refunds.gates(), ...held])
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

  /** How a behavior has the deliveries of an event signed; undefined for a valid signature. */
  signatureFaultOf(eventId: string): SignatureFault {
    return this.#deliveries.signatureFaultOf(eventId)
  }

  /** Back to the state at the start: random numbers begin again, held requests are resumed. */
  reset(): void {
    this.armed.clear()
    this.#chances.clear()
    this.#services.chances.restore(this.#initialChances)
    this.#magicOrders.clear()
    this.#backgroundResults.clear()
    this.#deliveries.clear()
    this.#refunds.clear()
    this.#heldRequests.releaseAll()
    this.armed.armPermanentAgain()
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
    const header = this.#services.faultsOnRequest ? matched.entry.headers['x-sim'] : undefined
    if (header !== undefined) return this.#planHeaderFaults(header, matched)
    const takeBacks: TakeBack[] = []
    return this.#requestPlans.plan(this.#faultsFor(matched, takeBacks), matched, takeBacks)
  }

  /** The parser is loaded with the first header: most simulators never see one, and it brings the whole file format. */
  async #planHeaderFaults(header: string, matched: MatchedRequest): Promise<InterruptionPlan | undefined> {
    const { readXSim } = await xSim.load()
    const faults = readXSim(header).map((words) => prepareFault(words, this.#services))
    const why = 'the header asks for it'
    matched.entry.behaved(faults.map(({ does }) => ({ behavior: 'X-Sim', did: does, fired: true, why })))
    return this.#requestPlans.plan(faults, matched, [])
  }

  resultsFor(events: readonly DeliveredEvent[]): readonly BehaviorResult[] {
    return this.#backgroundResults.listFor(events)
  }

  /** When a new refund completes; undefined when no behavior decides it. */
  refundTiming(refund: Refund): ReturnType<NonNullable<PreparedFault['timing']>> | undefined {
    if (this.armed.size === 0) return undefined
    const [fault] = this.#fireInTransaction(refund.id, transitionTrigger(refund))
    if (!fault?.timing) return undefined
    this.#onRollback(() => this.#refunds.remove(refund.id))
    return fault.timing(refund.id)
  }

  /**
   * What the bank tells a buyer; undefined when no behavior decides it. This count is never taken back: a decline is often
   * told by a refusal, which rolls back the buyer's step, and the next attempt has to be another one.
   */
  decides(question: BankQuestion): BankVerdict | undefined {
    if (this.armed.size === 0) return undefined
    const checkout = this.#services.database.store.checkouts.find(question.checkoutId)
    const [fault] = this.#fireInBackground(question.checkoutId, buyerTrigger(question, checkout), [])
    return fault?.verdict
  }

  get deliveryFaults(): DeliveryFaults {
    return this.#deliveries
  }

  #deliveryPlan(event: DeliveredEvent): DeliveryPlan {
    if (this.armed.size === 0) return DEFAULT_PLAN
    const faults = this.#fireInTransaction(event.id, deliveryTrigger(event, this.#services.contract))
    return faults.reduce((plan, fault) => fault.deliver!(plan), DEFAULT_PLAN)
  }

  // Which faults act

  #faultsFor(matched: MatchedRequest, takeBacks: TakeBack[]): PreparedFault[] {
    if (this.armed.size === 0) return this.#magicOrderFaults(matched, takeBacks)
    const { faults, considered } = this.#fire(requestTrigger(matched, this.#services.contract), takeBacks)
    matched.entry.behaved(considered.map(resultOf))
    return faults.length > 0 ? faults : this.#magicOrderFaults(matched, takeBacks)
  }

  #magicOrderFaults({ operation, body, entry }: MatchedRequest, takeBacks: TakeBack[]): PreparedFault[] {
    if (!this.#services.faultsOnRequest) return NO_FAULTS
    const next = this.#magicOrders.next(operation.id, body.orderId)
    if (!next) return NO_FAULTS
    takeBacks.push(next.takeBack)
    if (!next.do) return NO_FAULTS
    const fault = prepareFault(next.do, this.#services)
    entry.behaved([{ behavior: `orderId ${body.orderId}`, did: fault.does, fired: true, why: next.why }])
    return [fault]
  }

  /** Considers every behavior, because each counts its matches; after one without `also` has fired, no other fires. */
  #fire(trigger: Trigger, takeBacks: TakeBack[]): { faults: PreparedFault[]; considered: Considered[] } {
    const faults: PreparedFault[] = []
    const considered: Considered[] = []
    let first: ArmedBehavior | undefined
    for (const armed of this.armed) {
      const verdict = armed.consider(trigger, this.#services.clock.now(), this.#services.chances, first)
      if (!verdict) continue
      if (verdict.takeBack) takeBacks.push(verdict.takeBack)
      considered.push({ armed, verdict })
      if (!verdict.fired) continue
      faults.push(armed.fault)
      if (!armed.behavior.also) first = armed
    }
    return { faults, considered }
  }

  #fireInTransaction(subject: string, trigger: Trigger): PreparedFault[] {
    const takeBacks: TakeBack[] = []
    const faults = this.#fireInBackground(subject, trigger, takeBacks)
    for (const takeBack of takeBacks) this.#onRollback(takeBack)
    return faults
  }

  #fireInBackground(subject: string, trigger: Trigger, takeBacks: TakeBack[]): PreparedFault[] {
    const { faults, considered } = this.#fire(trigger, takeBacks)
    const results = considered.map((one) => ({ ...resultOf(one), words: one.armed.behavior.do }))
    takeBacks.push(this.#backgroundResults.add(results, this.#services.clock.now(), subject))
    return faults
  }

  /** For a tester: committed when it returns. Where that fails, what is armed is what the database has, as the refusal says. */
  #commitNow(): void {
    try {
      this.#services.database.store.transactNow(() => {})
    } catch (cause) {
      this.load({ reseeded: false })
      throw cause
    }
  }

  #onRollback(takeBack: TakeBack): void {
    this.#services.database.store.onRollback(takeBack)
  }
}

const xSim = new LazyPart(() => import('./x-sim.ts'))

const NO_FAULTS: PreparedFault[] = []

/** A behavior that a trigger was about, and whether it acted. */
interface Considered {
  armed: ArmedBehavior
  verdict: TriggerVerdict
}

const resultOf = ({ armed, verdict }: Considered): BehaviorResult => ({
  behavior: armed.id,
  did: armed.fault.does,
  fired: verdict.fired,
  why: verdict.why,
})
