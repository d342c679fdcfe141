/**
 * The scripted trouble of one sandbox: where what a tester asked for meets what happens. The service asks at a few
 * places whether anything is to be done. Mostly nothing is, and then that is all it costs.
 *
 * What a request asks for in its `X-Sim` header comes first, then the behaviors in the order in which they were armed,
 * then the magic value in its body.
 */
import type { Checkout } from '../contract/checkout.ts'
import type { Refund } from '../contract/refund.ts'
import type { Interruptions, Passage, Refusal } from '../gate/interruptions.ts'
import { type Firing, note } from '../gate/journal.ts'
import type { RateLimit } from '../gate/rate-limit.ts'
import type { Answer } from '../gate/request.ts'
import type { BankQuestion } from '../staging/bank.ts'
import type { Tampering } from '../webhooks/webhooks.ts'
import type { Clock } from '../world/clock.ts'
import type { Random } from '../world/random.ts'
import { Armed, type Verdict } from './armed.ts'
import { behaviorsOf, type Given } from './behavior.ts'
import type { Act, Stage } from './faults/fault.ts'
import { prepare } from './faults/registry.ts'
import { MagicOrders } from './magic.ts'
import {
  buyerOccasion,
  deliveryOccasion,
  type Occasion,
  requestOccasion,
  transitionOccasion,
} from './occasion.ts'
import { type Parked, Parking } from './parking.ts'
import { type EventRow, Post } from './post.ts'
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
export interface Deed extends Firing {
  at: number
  /** The event, the refund or the checkout. */
  subject: string
}

const DEEDS_MAX = 1_000

export class Scenarios implements Interruptions {
  readonly #parts: Parts
  readonly #stage: Stage
  readonly #parking: Parking
  readonly #refunds: WaitingRefunds
  readonly #post: Post
  readonly #magic = new MagicOrders()
  readonly #firstDraw
  #armed: Armed[] = []
  #standing: Given = []
  #installed: Armed[] = []
  #named = 0
  /** What is still to be done to a request after its commit. */
  readonly #later = new WeakMap<Passage, Act[]>()
  #deeds: Deed[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#firstDraw = parts.chances.state()
    this.#parking = new Parking(parts.clock)
    this.#refunds = new WaitingRefunds(parts.completeRefund)
    this.#post = new Post((event, mail) =>
      this.#armed.length === 0
        ? mail
        : this.#witness(event.id, deliveryOccasion(event)).reduce(
            (spoiled, act) => act.deliver!(spoiled),
            mail,
          ),
    )
    this.#stage = { ...parts, parking: this.#parking, refunds: this.#refunds }
  }

  // What a tester does

  /** Arms behaviors after those that are armed already. One whose id is armed takes its place, and counts anew. */
  arm(given: Given): Armed[] {
    const armed = behaviorsOf(given).map((behavior) => {
      if (behavior.id === undefined) this.#named += 1
      return new Armed(behavior.id ?? `behavior-${this.#named}`, behavior, this.#stage)
    })
    for (const { id } of armed) this.disarm(id)
    this.#armed = [...this.#armed, ...armed]
    return armed
  }

  /** Arms these, and no others. */
  replace(given: Given): Armed[] {
    this.disarm()
    return this.arm(given)
  }

  /** Arms what is armed from the start and again after every reset, in place of what was installed before. */
  install(given: Given): void {
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
  list(): readonly Armed[] {
    return this.#armed
  }

  /** Lets go the requests that stand at a gate now, and completes the refunds that wait there. */
  release(gate: string): Parked[] {
    this.#refunds.release(gate)
    return this.#parking.release(gate)
  }

  /** The requests that stand at a gate, or at any. */
  held(gate?: string): Parked[] {
    return this.#parking.heldAt(gate)
  }

  /** Resolves once a request stands at the gate. */
  whenHeld(gate: string, signal?: AbortSignal): Promise<Parked[]> {
    return this.#parking.whenHeld(gate, signal)
  }

  /** What behaviors did to refunds, deliveries and buyers, from the first to the last. */
  deeds(): readonly Deed[] {
    return this.#deeds
  }

  /** As it was at the start: chance starts over, and whoever is held goes on. */
  reset(): void {
    this.disarm()
    this.#named = 0
    this.#parts.chances.restore(this.#firstDraw)
    this.#magic.clear()
    this.#deeds = []
    this.forgetWorld()
    this.#parking.releaseAll()
    this.#installed = this.arm(this.#standing)
  }

  /** Another world begins under the same behaviors: what they kept of the old one is gone. */
  forgetWorld(): void {
    this.#post.clear()
    this.#refunds.clear()
  }

  /** Ends every wait: what is in flight goes on as if nobody had stopped it. */
  letGo(): void {
    this.#parking.close()
  }

  // Where the service asks

  get parked(): number {
    return this.#parking.size
  }

  beforeOperation(passage: Passage): Promise<Refusal | undefined> | undefined {
    const header = passage.entry.headers['x-sim']
    if (header !== undefined) return this.#obey(header, passage)
    return this.#play(this.#chosen(passage), passage)
  }

  afterCommit(passage: Passage, answer: Answer, events: readonly EventRow[]): Promise<Answer> | undefined {
    if (this.#deeds.length > 0) this.#tell(passage, events)
    const acts = this.#later.get(passage)
    return acts && this.#spoil(acts, passage, answer)
  }

  /** When a new refund completes; undefined as ever. */
  refundTiming(refund: Refund): ReturnType<NonNullable<Act['timing']>> | undefined {
    if (this.#armed.length === 0) return undefined
    const [act] = this.#witness(refund.id, transitionOccasion(refund))
    return act?.timing?.(refund.id)
  }

  /** Whether the bank says no to a buyer. */
  declines(question: BankQuestion): boolean {
    if (this.#armed.length === 0) return false
    const checkout = this.#parts.checkout(question.checkoutId)
    return this.#witness(question.checkoutId, buyerOccasion(question, checkout)).length > 0
  }

  get tampering(): Tampering {
    return this.#post
  }

  // Choosing

  #chosen(passage: Passage): Act[] {
    if (this.#armed.length === 0) return this.#magical(passage)
    const firings: Firing[] = []
    const acts = this.#consider(requestOccasion(passage), firings)
    note(passage.entry, firings)
    return acts.length > 0 ? acts : this.#magical(passage)
  }

  #magical({ operation, body, entry }: Passage): Act[] {
    const magic = this.#magic.next(operation.id, body.orderId)
    if (!magic) return NONE
    const act = prepare(magic.words, this.#stage)
    note(entry, [{ behavior: `orderId ${body.orderId}`, did: act.does, fired: true, why: magic.why }])
    return [act]
  }

  /** Asks every behavior, as all of them count; the first that acts ends the search, unless it lets others act too. */
  #consider(occasion: Occasion, firings: Firing[]): Act[] {
    const acts: Act[] = []
    let first: Armed | undefined
    for (const armed of this.#armed) {
      const verdict = armed.consider(occasion, this.#parts.clock.now(), this.#parts.chances, first)
      if (!verdict) continue
      firings.push(firing(armed, verdict))
      if (!verdict.fired) continue
      acts.push(armed.act)
      if (!armed.behavior.also) first = armed
    }
    return acts
  }

  /** The same for what happens beside a request, or in the middle of its transaction. */
  #witness(subject: string, occasion: Occasion): Act[] {
    const firings: Firing[] = []
    const acts = this.#consider(occasion, firings)
    const at = this.#parts.clock.now()
    for (const one of firings) this.#deeds.push({ ...one, at, subject })
    this.#deeds.splice(0, this.#deeds.length - DEEDS_MAX)
    return acts
  }

  /** A request is told what became of its refund and of its events. */
  #tell({ entry }: Passage, events: readonly EventRow[]): void {
    const subjects = new Set<string>()
    for (const { id, type, resourceId } of events) {
      subjects.add(id)
      if (type === 'refund.created') subjects.add(resourceId)
    }
    for (const { at: _, subject, ...firing } of this.#deeds) {
      if (subjects.has(subject)) note(entry, [firing])
    }
  }

  /** Reading the header is learned when the first one comes: most simulators never see one. */
  async #obey(header: string, passage: Passage): Promise<Refusal | undefined> {
    const { readXSim } = await import('./x-sim.ts')
    const acts = readXSim(header).map((words) => prepare(words, this.#stage))
    const why = 'the header asks for it'
    note(
      passage.entry,
      acts.map(({ does }) => ({ behavior: 'X-Sim', did: does, fired: true, why })),
    )
    return this.#play(acts, passage)
  }

  // Acting

  #play(acts: Act[], passage: Passage): Promise<Refusal | undefined> | undefined {
    if (acts.some(({ afterCommit }) => afterCommit)) this.#later.set(passage, acts)
    if (acts.some(({ before }) => before)) return this.#playBefore(acts, passage)
    this.#countRead(passage)
    return undefined
  }

  async #playBefore(acts: Act[], passage: Passage): Promise<Refusal | undefined> {
    for (const act of acts) {
      const instead = await act.before?.(passage)
      if (instead) return instead
    }
    this.#countRead(passage)
    return undefined
  }

  async #spoil(acts: Act[], passage: Passage, answer: Answer): Promise<Answer> {
    let spoiled = answer
    for (const act of acts) spoiled = (await act.afterCommit?.(passage, spoiled)) ?? spoiled
    return spoiled
  }

  /** Only a read that gets through is one. */
  #countRead({ operation, params }: Passage): void {
    if (this.#refunds.awaitsReads && operation.id === 'refunds.get') this.#refunds.read(params.id ?? '')
  }
}

const NONE: Act[] = []

const firing = ({ id, act }: Armed, { fired, why }: Verdict): Firing => ({
  behavior: id,
  did: act.does,
  fired,
  why,
})
