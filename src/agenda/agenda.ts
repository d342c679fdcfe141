/**
 * Later work, run oldest first, the clock standing at each item's own instant, each item in its own transaction.
 *
 * A running clock calls the agenda when something falls due. A tester's advance walks from instant to instant, and
 * waits at each for the deliveries that leave there, so work that is made on the way takes its turn.
 */
import { WEBHOOK_CONCURRENCY } from '../contract/limits.ts'
import { finishRefund } from '../operations/refunds.ts'
import { NEVER, Unit, type UnitServices } from '../operations/unit.ts'
import type { Work } from '../store/agenda.ts'
import type { DeliveryResult, Webhooks } from '../webhooks/webhooks.ts'
import type { Clock } from '../world/clock.ts'

/** One thing that time brought about. */
export interface FinishedWork {
  at: number
  what: 'refund.completed' | 'webhook.delivered' | 'webhook.attempt_failed'
  /** The refund, or the delivery. */
  id: string
  /** What a person wants to read about it. */
  detail: string
}

interface Parts {
  services: UnitServices
  clock: Clock
  webhooks: Webhooks
  /** Resolves when the requests that the clock has woken have been answered. */
  requestsAnswered(): Promise<void>
  bug(work: Work, cause: unknown): void
}

/** Deliveries looked at in one go; those of a resource that has one under way wait for their turn. */
const LOOK_AHEAD = 256

export class Agenda {
  readonly #parts: Parts
  /** The deliveries that are out, by their row, with the resource that they tell of. */
  #out = new Map<number, { resourceId: string; done: Promise<void> }>()
  #running: Promise<void> | undefined
  /** The last advance that was asked for; the next one waits for it. */
  #advances: Promise<unknown> = Promise.resolve()
  #advancing = false
  #stopped = false
  /** Counts the databases that have stood under this agenda. */
  #worlds = 0
  #alarmAt = NEVER
  #cancelAlarm = () => {}
  #happened: FinishedWork[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Runs what is due now, and from here on whatever falls due. */
  wake(): void {
    if (this.#stopped || this.#advancing || this.#running) return
    this.#running = this.#runDue().finally(() => {
      this.#running = undefined
      this.#setNextAlarm()
    })
  }

  /** Told of new work. Its transaction is still open, so nothing is looked at yet. */
  added(dueAt: number): void {
    if (dueAt < this.#alarmAt) this.#setAlarm(dueAt)
  }

  /** Completes a refund that waited for somebody's word and not for the clock, unless it is completed already. */
  async completeNow(refundId: string): Promise<void> {
    const { clock, services } = this.#parts
    const work = services.store.agenda.find(refundId, 'refund.complete')
    if (work) await this.#run({ ...work, dueAt: clock.now() })
  }

  /**
   * Moves the clock to an instant, and answers with what happened on the way. Advances take turns, so where one leads
   * is only asked when the one before has arrived.
   */
  advanceTo(target: (now: number) => number): Promise<FinishedWork[]> {
    const advance = this.#advances.then(() => this.#advanceTo(target(this.#parts.clock.now())))
    this.#advances = advance.catch(() => {})
    return advance
  }

  async #advanceTo(instant: number): Promise<FinishedWork[]> {
    const { clock } = this.#parts
    const services = this.#worlds
    this.#advancing = true
    this.#setAlarm(NEVER)
    const happened: FinishedWork[] = []
    this.#happened = happened
    try {
      await this.#running
      await this.#finishInstant()
      while (services === this.#worlds && !this.#stopped) {
        const next = this.#nextStop()
        if (next > instant || next === NEVER) break
        clock.moveTo(next)
        await this.#finishInstant()
      }
      if (services === this.#worlds) clock.moveTo(instant)
    } finally {
      this.#advancing = false
      this.#happened = []
      this.#setNextAlarm()
    }
    return happened
  }

  /** Told that another database stands under it: whatever is out was sent from a world that is no more. */
  startOver(): void {
    this.#worlds += 1
    this.#out = new Map()
    this.#setNextAlarm()
    this.wake()
  }

  /** Whether something is due or under way at this instant. */
  get busy(): boolean {
    if (this.#stopped) return false
    if (this.#advancing || this.#running !== undefined || this.#out.size > 0) return true
    return this.#isDue()
  }

  #isDue(): boolean {
    return this.#nextAt() <= this.#parts.clock.now()
  }

  /** How many deliveries are out. */
  get delivering(): number {
    return this.#out.size
  }

  /** Resolves once nothing is due and nothing is out. */
  async idle(): Promise<void> {
    while (this.busy) {
      if (this.#advancing) await this.#advances
      else if (this.#running || this.#isDue()) {
        this.wake()
        await this.#running
      } else await Promise.race([...this.#out.values()].map(({ done }) => done))
    }
  }

  stop(): void {
    this.#stopped = true
    this.#cancelAlarm()
  }

  /** Everything at the present instant: its work, the deliveries it sends out, and what those lead to. */
  async #finishInstant(): Promise<void> {
    do {
      await this.#runDue()
      await Promise.all([...this.#out.values()].map(({ done }) => done))
      await this.#parts.requestsAnswered()
    } while (!this.#stopped && (this.#out.size > 0 || this.#nextAt() <= this.#parts.clock.now()))
  }

  async #runDue(): Promise<void> {
    const { clock, services } = this.#parts
    while (!this.#stopped) {
      // What has just been written must be durable before it is told to anybody.
      services.store.flush()
      this.#sendOut()
      const work = services.store.agenda.first()
      if (!work || work.dueAt > clock.now()) return
      await this.#run(work)
    }
  }

  /** In its own transaction, at its own instant: work that was due while nobody was there still happens on time. */
  async #run(work: Work): Promise<void> {
    const { services } = this.#parts
    const { store } = services
    try {
      const happening = await store.transact(() => {
        store.agenda.remove(work)
        return this.#do(work, new Unit(services, work.dueAt))
      })
      this.#happened.push(happening)
    } catch (cause) {
      this.#parts.bug(work, cause)
      await store.transact(() => store.agenda.remove(work))
    }
  }

  #do(work: Work, unit: Unit): FinishedWork {
    const refund = finishRefund(unit, work.subject)
    return { at: unit.now, what: 'refund.completed', id: refund.id, detail: `refund ${refund.id} completed` }
  }

  /** §6: at most sixteen at a time, and one for each resource, so that its events arrive in order where nothing fails (D50). */
  #sendOut(): void {
    if (this.#out.size >= WEBHOOK_CONCURRENCY) return
    const { clock } = this.#parts
    for (const { work, resourceId } of this.#waiting()) {
      if (work.dueAt > clock.now() || this.#out.size >= WEBHOOK_CONCURRENCY) return
      this.#send(work, resourceId)
    }
  }

  /** The deliveries that could go out, oldest first. */
  *#waiting(): Generator<{ work: Work; resourceId: string }> {
    const { store } = this.#parts.services
    const taken = new Set([...this.#out.values()].map(({ resourceId }) => resourceId))
    for (const work of store.agenda.deliveries(LOOK_AHEAD)) {
      const resourceId = store.deliveries.resourceOf(work.subject)
      if (taken.has(resourceId)) continue
      taken.add(resourceId)
      yield { work, resourceId }
    }
  }

  #send(work: Work, resourceId: string): void {
    const out = this.#out
    const done = this.#attempt(work)
      .catch((cause) => this.#parts.bug(work, cause))
      .finally(() => {
        out.delete(work.seq)
        this.wake()
      })
    out.set(work.seq, { resourceId, done })
  }

  async #attempt(work: Work): Promise<void> {
    const { services, clock, webhooks } = this.#parts
    const { store } = services
    const delivery = store.deliveries.find(work.subject)!
    const event = store.events.find(delivery.eventId)!
    const record = await webhooks.attempt(delivery, event)
    // Stopped, or another database in its place: the row stays as it was, and whoever opens it tries again.
    if (this.#stopped || store !== services.store) return
    const result = await store.transact(() => {
      store.agenda.remove(work)
      return record(new Unit(services, clock.now()))
    })
    this.#happened.push(toHappening(result, clock.now()))
  }

  /** When something is due that is not under way already. */
  #nextAt(): number {
    const { agenda } = this.#parts.services.store
    const delivery = this.#out.size < WEBHOOK_CONCURRENCY ? this.#waiting().next().value : undefined
    return Math.min(agenda.first()?.dueAt ?? NEVER, delivery?.work.dueAt ?? NEVER)
  }

  /** The next instant at which an advancing clock has to stand still. */
  #nextStop(): number {
    return Math.min(this.#nextAt(), this.#parts.clock.nextAlarm() ?? NEVER)
  }

  #setNextAlarm(): void {
    if (!this.#stopped) this.#setAlarm(this.#nextAt())
  }

  #setAlarm(instant: number): void {
    this.#cancelAlarm()
    this.#cancelAlarm = () => {}
    this.#alarmAt = instant
    if (instant === NEVER || this.#stopped || this.#advancing) return
    this.#cancelAlarm = this.#parts.clock.at(instant, () => {
      this.#alarmAt = NEVER
      this.wake()
    })
  }
}

function toHappening({ delivery, event, outcome }: DeliveryResult, at: number): FinishedWork {
  const delivered = delivery.status === 'delivered'
  const answer = outcome.status === null ? outcome.error : `status ${outcome.status}`
  return {
    at,
    what: delivered ? 'webhook.delivered' : 'webhook.attempt_failed',
    id: delivery.id,
    detail: `${event.type} of ${event.resourceId}, attempt ${delivery.attempts}: ${answer}`,
  }
}
