/**
 * Later work, run oldest first, the clock standing at each item's own instant, each item in its own transaction.
 *
 * A running clock calls the agenda when something falls due. A tester's advance walks from instant to instant, and
 * waits at each for the deliveries that leave there, so work that is made on the way takes its turn.
 *
 * The rows are the agenda. In memory there are only the deliveries under way, which start again after a crash, and the
 * alarm for the next row that is due.
 *
 * When the disk refuses a commit, the row stays due and everything pauses, longer after every failure (D58). A delivery
 * that was made before is not made again: its result waits in memory, and until it is written no other one leaves. So a
 * receiver sees no more attempts than are planned.
 */
import { NotStored } from '../contract/errors.ts'
import { WEBHOOK_CONCURRENCY } from '../contract/limits.ts'
import { finishRefund } from '../operations/refunds.ts'
import { NEVER, Unit, type UnitServices } from '../operations/unit.ts'
import type { Work } from '../store/agenda.ts'
import type { CurrentStore } from '../store/current-store.ts'
import type { DeliveryResult, Webhooks } from '../webhooks/webhooks.ts'
import type { Clock } from '../world/clock.ts'

/** Work that is done, for the answer to a tester's advance. */
export interface FinishedWork {
  at: number
  what: 'refund.completed' | 'webhook.delivered' | 'webhook.attempt_failed'
  /** The refund, or the delivery. */
  id: string
  /** For a person. */
  detail: string
}

interface Parts {
  database: CurrentStore
  services: UnitServices
  clock: Clock
  /** The machine's, by which a pause ends: the sandbox's may stand still. */
  machine: Clock
  webhooks: Webhooks
  /** Resolves when the requests that waited for the clock's present instant have been answered. */
  requestsAnswered(): Promise<void>
  bug(cause: unknown, work?: Work): void
  diskFailed(cause: NotStored): void
}

/** Deliveries looked at in one go; those of a resource that has one under way wait for their turn. */
const LOOK_AHEAD = 256

/** The pause after a commit that failed doubles with every one that follows. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

export class Agenda {
  readonly #parts: Parts
  /** The deliveries under way, by their row, with the resource that they are about. */
  #underWay = new Map<number, { resourceId: string; done: Promise<void> }>()
  /** Those of them that were made, and whose result could not be written. */
  #unwritten = new Map<number, () => Promise<void>>()
  #pauseMs = 0
  #endPause: (() => void) | undefined
  #running: Promise<void> | undefined
  /** The last advance that was asked for; the next one waits for it. */
  #advances: Promise<unknown> = Promise.resolve()
  #advancing = false
  #stopped = false
  /** Counts the databases that this agenda has worked on. */
  #databases = 0
  #alarmAt = NEVER
  #cancelAlarm = () => {}
  #finished: FinishedWork[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    parts.database.watch({
      workAdded: (dueAt) => this.#added(dueAt),
      rolledBack: () => this.#setNextAlarm(),
    })
  }

  /** Runs what is due now, and from here on whatever falls due; during a pause nothing. */
  #wake(): void {
    if (!this.#endPause) this.#start()
  }

  #start(): void {
    if (this.#stopped || this.#advancing || this.#running) return
    const running = this.#runDue().finally(() => {
      this.#running = undefined
      this.#setNextAlarm()
    })
    this.#running = running
    running.catch((cause) => this.#failed(cause))
  }

  /** Its transaction is still open, so no row is looked at yet. */
  #added(dueAt: number): void {
    if (dueAt < this.#alarmAt) this.#setAlarm(dueAt)
  }

  /** The next commit would fail at once, too. */
  #failed(cause: unknown, work?: Work): void {
    if (cause instanceof NotStored) this.#parts.diskFailed(cause)
    else this.#parts.bug(cause, work)
    if (this.#stopped || this.#endPause) return
    this.#pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs), LONGEST_PAUSE_MS)
    const { machine } = this.#parts
    this.#endPause = machine.at(machine.now() + this.#pauseMs, () => {
      this.#endPause = undefined
      this.#wake()
    })
  }

  #succeeded(): void {
    this.#pauseMs = 0
    this.#endPause?.()
    this.#endPause = undefined
  }

  /**
   * Completes a refund that did not wait for the clock, unless it is completed already. It is committed when this
   * returns.
   */
  completeNow(refundId: string): void {
    const { clock, services } = this.#parts
    const { store } = services
    const work = store.agenda.find(refundId, 'refund.complete')
    if (work) store.transactNow(() => this.#do(work, clock.now()))
  }

  /**
   * Moves the clock to an instant, and resolves with the work done on the way. Advances take turns, so the target of
   * one is only asked for when the one before has arrived. It stops where a commit fails.
   */
  advanceTo(target: (now: number) => number): Promise<FinishedWork[]> {
    const advance = this.#advances.then(() => this.#advanceTo(target(this.#parts.clock.now())))
    this.#advances = advance.catch(() => {})
    return advance
  }

  async #advanceTo(instant: number): Promise<FinishedWork[]> {
    const { clock } = this.#parts
    const database = this.#databases
    this.#advancing = true
    this.#setAlarm(NEVER)
    const finished: FinishedWork[] = []
    this.#finished = finished
    try {
      await this.#running
      await this.#finishInstant()
      while (database === this.#databases && !this.#stopped) {
        const next = this.#nextStop()
        if (next > instant || next === NEVER) break
        clock.moveTo(next)
        await this.#finishInstant()
      }
      if (database === this.#databases) clock.moveTo(instant)
    } finally {
      this.#advancing = false
      this.#finished = []
      this.#setNextAlarm()
    }
    return finished
  }

  /** Called when another database was put in place of the one it worked on. */
  startOver(): void {
    this.#databases += 1
    this.#underWay = new Map()
    this.#unwritten = new Map()
    this.#succeeded()
    this.#setNextAlarm()
    this.#wake()
  }

  /** Whether something is due or under way at this instant. */
  get busy(): boolean {
    if (this.#stopped) return false
    if (this.#advancing || this.#running !== undefined || this.#underWay.size > 0) return true
    return this.#isDue()
  }

  #isDue(): boolean {
    return this.#nextAt() <= this.#parts.clock.now()
  }

  /** How many deliveries are under way. */
  get delivering(): number {
    return this.#underWay.size
  }

  /** Resolves once nothing is due and nothing is under way; rejects where a commit fails. */
  async idle(): Promise<void> {
    while (this.busy) {
      if (this.#advancing) await this.#advances
      else if (this.#running || this.#isDue() || this.#unwritten.size > 0) {
        this.#start()
        await this.#running
      } else await Promise.race([...this.#underWay.values()].map(({ done }) => done))
    }
  }

  stop(): void {
    this.#stopped = true
    this.#cancelAlarm()
    this.#endPause?.()
  }

  /**
   * Everything at the present instant: its work, the deliveries it sends out, and what those lead to. `requestsAnswered`
   * waits for the requests that are in flight now and for no later ones, so a platform under load does not keep it here.
   */
  async #finishInstant(): Promise<void> {
    do {
      await this.#runDue()
      await Promise.all([...this.#underWay.values()].map(({ done }) => done))
      await this.#parts.requestsAnswered()
    } while (!this.#stopped && (this.#underWay.size > 0 || this.#nextAt() <= this.#parts.clock.now()))
  }

  async #runDue(): Promise<void> {
    const { clock, services } = this.#parts
    while (!this.#stopped) {
      await this.#writeResults()
      // What has just been written is committed before a delivery of it leaves.
      services.store.flush()
      this.#sendOut()
      const work = services.store.agenda.first()
      if (!work || work.dueAt > clock.now()) return this.#succeeded()
      await this.#run(work)
    }
  }

  async #writeResults(): Promise<void> {
    for (const [seq, write] of this.#unwritten) {
      this.#unwritten.delete(seq)
      await write()
    }
  }

  /** In its own transaction, at its own instant: work that was due while the simulator was stopped still happens on time. */
  async #run(work: Work): Promise<void> {
    const { store } = this.#parts.services
    try {
      const finished = await store.transact(() => this.#do(work, work.dueAt))
      this.#finished.push(finished)
    } catch (cause) {
      if (cause instanceof NotStored) throw cause
      // It would fail the same way for ever, and keep everything after it from being done.
      this.#parts.bug(cause, work)
      await store.transact(() => store.agenda.remove(work))
    }
  }

  /** Inside a transaction. */
  #do(work: Work, now: number): FinishedWork {
    const { services } = this.#parts
    services.store.agenda.remove(work)
    const refund = finishRefund(new Unit(services, now), work.subject)
    return { at: now, what: 'refund.completed', id: refund.id, detail: `refund ${refund.id} completed` }
  }

  /** §6: at most sixteen at a time, and one for each resource, so that its events arrive in order where nothing fails (D50). */
  #sendOut(): void {
    if (this.#underWay.size >= WEBHOOK_CONCURRENCY) return
    const { clock } = this.#parts
    for (const { work, resourceId } of this.#waiting()) {
      if (work.dueAt > clock.now() || this.#underWay.size >= WEBHOOK_CONCURRENCY) return
      this.#send(work, resourceId)
    }
  }

  /** The deliveries that could go out, oldest first. */
  *#waiting(): Generator<{ work: Work; resourceId: string }> {
    const { store } = this.#parts.services
    const taken = new Set([...this.#underWay.values()].map(({ resourceId }) => resourceId))
    for (const work of store.agenda.deliveries(LOOK_AHEAD)) {
      const resourceId = store.deliveries.resourceOf(work.subject)
      if (taken.has(resourceId)) continue
      taken.add(resourceId)
      yield { work, resourceId }
    }
  }

  #send(work: Work, resourceId: string): void {
    const done = this.#attempt(work)
    this.#underWay.set(work.seq, { resourceId, done })
    done.then(
      () => this.#wake(),
      (cause) => this.#failed(cause, work),
    )
  }

  async #attempt(work: Work): Promise<void> {
    const { services, clock, webhooks } = this.#parts
    const { store } = services
    const [underWay, unwritten] = [this.#underWay, this.#unwritten]
    const delivery = store.deliveries.find(work.subject)!
    const event = store.events.find(delivery.eventId)!
    const record = await webhooks.attempt(delivery, event)
    const now = clock.now()

    const write = async () => {
      // Stopped, or another database in its place: the row stays as it was, and the next start tries again.
      if (!this.#stopped && store === services.store) {
        const result = await store.transact(() => {
          store.agenda.remove(work)
          return record(new Unit(services, now))
        })
        this.#finished.push(toFinished(result, now))
      }
      underWay.delete(work.seq)
    }
    const writeOrKeep = async (): Promise<void> => {
      try {
        await write()
      } catch (cause) {
        unwritten.set(work.seq, writeOrKeep)
        throw cause
      }
    }
    return writeOrKeep()
  }

  /** When something is due that is not under way already. */
  #nextAt(): number {
    const { agenda } = this.#parts.services.store
    const delivery = this.#underWay.size < WEBHOOK_CONCURRENCY ? this.#waiting().next().value : undefined
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
      this.#wake()
    })
  }
}

function toFinished({ delivery, event, outcome }: DeliveryResult, at: number): FinishedWork {
  const delivered = delivery.status === 'delivered'
  const answer = outcome.status === null ? outcome.error : `status ${outcome.status}`
  return {
    at,
    what: delivered ? 'webhook.delivered' : 'webhook.attempt_failed',
    id: delivery.id,
    detail: `${event.type} of ${event.resourceId}, attempt ${delivery.attempts}: ${answer}`,
  }
}
