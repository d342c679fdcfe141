/**
 * The scripted trouble of one sandbox: where what a tester asked for meets what happens. The service asks at a few
 * places whether anything is to be done. Mostly nothing is, and then that is all it costs.
 *
 * What a request asks for in its `X-Sim` header comes first, then the behaviors in the order in which they were armed,
 * then the magic value in its body.
 */
import type { Checkout } from '../contract/checkout.ts'
import type { Refund } from '../contract/refund.ts'
import type { Interruptions, MatchedRequest, ReplacementAnswer } from '../gate/interruptions.ts'
import { type BehaviorResult, noteBehaviors } from '../gate/journal.ts'
import type { RateLimit } from '../gate/rate-limit.ts'
import type { Answer } from '../gate/request.ts'
import { type BehaviorInput, behaviorsOf } from '../scenario-file/behavior.ts'
import type { BankQuestion } from '../staging/bank.ts'
import type { DeliveryFaults } from '../webhooks/webhooks.ts'
import type { Clock } from '../world/clock.ts'
import type { Random } from '../world/random.ts'
import { ArmedBehavior, type TriggerVerdict } from './armed-behavior.ts'
import { type EventRow, ScriptedDeliveries } from './delivery-plan.ts'
import type { FaultServices, PreparedFault } from './faults/fault.ts'
import { prepareFault } from './faults/registry.ts'
import { HeldRequests, type WaitingRequest } from './held-requests.ts'
import { MagicOrders } from './magic-orders.ts'
import { buyerTrigger, deliveryTrigger, requestTrigger, type Trigger, transitionTrigger } from './trigger.ts'
import { WaitingRefunds } from './waiting-refunds.ts'

interface Parts {
  clock: Clock
  rateLimit: RateLimit
  /** A stream of its own: what is drawn here moves no id. */
  chances: Random
  /** Finishes a refund, unless it is finished already. */
  completeRefund(id: string): void
  checkout(id: string): Checkout | undefined
}

/** What a behavior did, or nearly did, where no request was looking. */
export interface BackgroundResult extends BehaviorResult {
  at: number
  /** The event, the refund or the checkout. */
  subject: string
}

const BACKGROUND_RESULTS_MAX = 1_000

export class BehaviorEngine implements Interruptions {
  readonly #parts: Parts
  readonly #stage: FaultServices
  readonly #heldRequests: HeldRequests
  readonly #refunds: WaitingRefunds
  readonly #post: ScriptedDeliveries
  readonly #magic = new MagicOrders()
  readonly #firstDraw
  #armed: ArmedBehavior[] = []
  #standing: BehaviorInput = []
  #installed: ArmedBehavior[] = []
  #named = 0
  /** What is still to be done to a request after its commit. */
  readonly #later = new WeakMap<MatchedRequest, PreparedFault[]>()
  #backgroundResults: BackgroundResult[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#firstDraw = parts.chances.state()
    this.#heldRequests = new HeldRequests(parts.clock)
    this.#refunds = new WaitingRefunds(parts.completeRefund)
    this.#post = new ScriptedDeliveries((event, mail) =>
      this.#armed.length === 0
        ? mail
        : this.#witness(event.id, deliveryTrigger(event)).reduce(
            (spoiled, act) => act.deliver!(spoiled),
            mail,
          ),
    )
    this.#stage = { ...parts, heldRequests: this.#heldRequests, refunds: this.#refunds }
  }

  // What a tester does

  /** Arms behaviors after those that are armed already. One whose id is armed takes its place, and counts anew. */
  arm(given: BehaviorInput): ArmedBehavior[] {
    const armed = behaviorsOf(given).map((behavior) => {
      if (behavior.id === undefined) this.#named += 1
      return new ArmedBehavior(behavior.id ?? `behavior-${this.#named}`, behavior, this.#stage)
    })
    for (const { id } of armed) this.disarm(id)
    this.#armed = [...this.#armed, ...armed]
    return armed
  }

  /** Arms these, and no others. */
  replace(given: BehaviorInput): ArmedBehavior[] {
    this.disarm()
    return this.arm(given)
  }

  /** Arms what is armed from the start and again after every reset, in place of what was installed before. */
  install(given: BehaviorInput): void {
    for (const { id } of this.#installed) this.disarm(id)
    this.#standing = given
    this.#installed = this.arm(given)
  }

  /** Takes one back, or all of them; false when there is none of that id. Whom it holds it goes on holding. */
  disarm(id?: string): boolean {
    const before = this.#armed.length
    this.#armed = id === undefined ? [] : this.#armed.filter((armed) => armed.id !== id)
    return id === undefined || this.#armed.length < before
  }

  /** Those that are armed, in their order, with their counters. */
  list(): readonly ArmedBehavior[] {
    return this.#armed
  }

  /** Lets go the requests that stand at a gate now, and completes the refunds that wait there. */
  release(gate: string): WaitingRequest[] {
    this.#refunds.release(gate)
    return this.#heldRequests.release(gate)
  }

  /** The requests that stand at a gate, or at any. */
  held(gate?: string): WaitingRequest[] {
    return this.#heldRequests.heldAt(gate)
  }

  /** Resolves once a request stands at the gate. */
  whenHeld(gate: string, signal?: AbortSignal): Promise<WaitingRequest[]> {
    return this.#heldRequests.whenHeld(gate, signal)
  }

  /** What behaviors did to refunds, deliveries and buyers, from the first to the last. */
  backgroundResults(): readonly BackgroundResult[] {
    return this.#backgroundResults
  }

  /** As it was at the start: chance starts over, and whoever is held goes on. */
  reset(): void {
    this.disarm()
    this.#named = 0
    this.#parts.chances.restore(this.#firstDraw)
    this.#magic.clear()
    this.#backgroundResults = []
    this.forgetWorld()
    this.#heldRequests.releaseAll()
    this.#installed = this.arm(this.#standing)
  }

  /** Another world begins under the same behaviors: what they kept of the old one is gone. */
  forgetWorld(): void {
    this.#post.clear()
    this.#refunds.clear()
  }

  /** Ends every wait: what is in flight goes on as if nobody had stopped it. */
  letGo(): void {
    this.#heldRequests.close()
  }

  // Where the service asks

  get parked(): number {
    return this.#heldRequests.size
  }

  beforeOperation(matched: MatchedRequest): Promise<ReplacementAnswer | undefined> | undefined {
    const header = matched.entry.headers['x-sim']
    if (header !== undefined) return this.#obey(header, matched)
    return this.#play(this.#chosen(matched), matched)
  }

  afterCommit(
    matched: MatchedRequest,
    answer: Answer,
    events: readonly EventRow[],
  ): Promise<Answer> | undefined {
    if (this.#backgroundResults.length > 0) this.#tell(matched, events)
    const acts = this.#later.get(matched)
    return acts && this.#spoil(acts, matched, answer)
  }

  /** When a new refund completes; undefined as ever. */
  refundTiming(refund: Refund): ReturnType<NonNullable<PreparedFault['timing']>> | undefined {
    if (this.#armed.length === 0) return undefined
    const [act] = this.#witness(refund.id, transitionTrigger(refund))
    return act?.timing?.(refund.id)
  }

  /** Whether the bank says no to a buyer. */
  declines(question: BankQuestion): boolean {
    if (this.#armed.length === 0) return false
    const checkout = this.#parts.checkout(question.checkoutId)
    return this.#witness(question.checkoutId, buyerTrigger(question, checkout)).length > 0
  }

  get tampering(): DeliveryFaults {
    return this.#post
  }

  // Choosing

  #chosen(matched: MatchedRequest): PreparedFault[] {
    if (this.#armed.length === 0) return this.#magical(matched)
    const firings: BehaviorResult[] = []
    const acts = this.#consider(requestTrigger(matched), firings)
    noteBehaviors(matched.entry, firings)
    return acts.length > 0 ? acts : this.#magical(matched)
  }

  #magical({ operation, body, entry }: MatchedRequest): PreparedFault[] {
    const magic = this.#magic.next(operation.id, body.orderId)
    if (!magic) return NONE
    const act = prepareFault(magic.words, this.#stage)
    noteBehaviors(entry, [
      { behavior: `orderId ${body.orderId}`, did: act.does, fired: true, why: magic.why },
    ])
    return [act]
  }

  /** Asks every behavior, as all of them count; the first that acts ends the search, unless it lets others act too. */
  #consider(trigger: Trigger, firings: BehaviorResult[]): PreparedFault[] {
    const acts: PreparedFault[] = []
    let first: ArmedBehavior | undefined
    for (const armed of this.#armed) {
      const verdict = armed.consider(trigger, this.#parts.clock.now(), this.#parts.chances, first)
      if (!verdict) continue
      firings.push(firing(armed, verdict))
      if (!verdict.fired) continue
      acts.push(armed.act)
      if (!armed.behavior.also) first = armed
    }
    return acts
  }

  /** The same for what happens beside a request, or in the middle of its transaction. */
  #witness(subject: string, trigger: Trigger): PreparedFault[] {
    const firings: BehaviorResult[] = []
    const acts = this.#consider(trigger, firings)
    const at = this.#parts.clock.now()
    for (const one of firings) this.#backgroundResults.push({ ...one, at, subject })
    this.#backgroundResults.splice(0, this.#backgroundResults.length - BACKGROUND_RESULTS_MAX)
    return acts
  }

  /** A request is told what became of its refund and of its events. */
  #tell({ entry }: MatchedRequest, events: readonly EventRow[]): void {
    const subjects = new Set<string>()
    for (const { id, type, resourceId } of events) {
      subjects.add(id)
      if (type === 'refund.created') subjects.add(resourceId)
    }
    for (const { at: _, subject, ...firing } of this.#backgroundResults) {
      if (subjects.has(subject)) noteBehaviors(entry, [firing])
    }
  }

  /** Reading the header is learned when the first one comes: most simulators never see one. */
  async #obey(header: string, matched: MatchedRequest): Promise<ReplacementAnswer | undefined> {
    const { readXSim } = await import('./x-sim.ts')
    const acts = readXSim(header).map((words) => prepareFault(words, this.#stage))
    const why = 'the header asks for it'
    noteBehaviors(
      matched.entry,
      acts.map(({ does }) => ({ behavior: 'X-Sim', did: does, fired: true, why })),
    )
    return this.#play(acts, matched)
  }

  // Acting

  #play(acts: PreparedFault[], matched: MatchedRequest): Promise<ReplacementAnswer | undefined> | undefined {
    if (acts.some(({ afterCommit }) => afterCommit)) this.#later.set(matched, acts)
    if (acts.some(({ before }) => before)) return this.#playBefore(acts, matched)
    this.#countRead(matched)
    return undefined
  }

  async #playBefore(acts: PreparedFault[], matched: MatchedRequest): Promise<ReplacementAnswer | undefined> {
    for (const act of acts) {
      const instead = await act.before?.(matched)
      if (instead) return instead
    }
    this.#countRead(matched)
    return undefined
  }

  async #spoil(acts: PreparedFault[], matched: MatchedRequest, answer: Answer): Promise<Answer> {
    let spoiled = answer
    for (const act of acts) spoiled = (await act.afterCommit?.(matched, spoiled)) ?? spoiled
    return spoiled
  }

  /** Only a read that gets through is one. */
  #countRead({ operation, params }: MatchedRequest): void {
    if (this.#refunds.awaitsReads && operation.id === 'refunds.get') this.#refunds.read(params.id ?? '')
  }
}

const NONE: PreparedFault[] = []

const firing = ({ id, act }: ArmedBehavior, { fired, why }: TriggerVerdict): BehaviorResult => ({
  behavior: id,
  did: act.does,
  fired,
  why,
})
