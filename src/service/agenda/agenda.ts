/**
 * Runs work when it is due: refunds complete, and deliveries of webhooks are attempted. An item is a row with its due time.
 * Items run in the order of that time, each in its own transaction, with the clock at the item's time.
 *
 * While the clock runs, an alarm at the earliest due time starts the agenda. A tester's advance moves the clock from one due
 * time to the next, and waits at each for the deliveries that start there, so work that they add runs at its time too.
 *
 * An attempt of a delivery that fails writes its next item, the retry, in the transaction that records the attempt
 * (webhooks.ts). After a crash the rows are still there. In memory are only the deliveries under way, which start again
 * then, and the alarm.
 *
 * When the disk refuses a commit, the row stays and the agenda pauses, longer after every failure (D58). An attempt that was
 * already sent is not sent again: its result is kept in memory, and no other delivery starts until it is written. So a
 * receiver gets no more attempts than D49 says.
 */
import { NotStored } from '../../spec/contract/errors.ts'
import { WEBHOOK_CONCURRENCY } from '../../spec/contract/limits.ts'
import type { Clock } from '../../spec/world/clock.ts'
import { finishRefund } from '../operations/refunds.ts'
import { NEVER, Unit, type UnitServices } from '../operations/unit.ts'
import type { Work } from '../store/agenda.ts'
import type { CurrentStore } from '../store/current-store.ts'
import type { DeliveryResult, Webhooks } from '../webhooks/webhooks.ts'

/** One item that ran, for the answer to a tester's advance. */
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
  /** The machine's time, for the end of a pause: the sandbox's clock may be frozen. */
  machine: Clock
  webhooks: Webhooks
  /** Resolves when the requests that waited for the clock's present time are answered. */
  requestsAnswered(): Promise<void>
  /** Called with every attempt whose result is committed. */
  attempted(result: DeliveryResult): void
  bug(cause: unknown, work?: Work): void
  diskFailed(cause: NotStored): void
}

/** At most so many due deliveries are read to find those that may start: a resource has one under way at a time (D50). */
const LOOK_AHEAD = 256

/** The pause after a failed commit doubles with every further failure. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

export class Agenda {
  readonly #parts: Parts
  /** The deliveries under way by id, with the resource of their event. Not by item: the number of a removed one is used again. */
  #underWay = new Map<string, { resourceId: string; done: Promise<void> }>()
  /** Those of them that were sent, but whose result could not be written yet. */
  #unwritten = new Map<string, () => Promise<void>>()
  #pauseMs = 0
  #endPause: (() => void) | undefined
  #running: Promise<void> | undefined
  /** The latest advance; the next one waits for it. */
  #advances: Promise<unknown> = Promise.resolve()
  #advancing = false
  #stopped = false
  /** How often time began anew: an advance of before stops. */
  #beginnings = 0
  #alarmAt = NEVER
  #cancelAlarm = () => {}
  #finished: FinishedWork[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    parts.database.watch({
      workAdded: (dueAt) => this.#onWorkAdded(dueAt),
      rolledBack: () => this.#setNextAlarm(),
    })
  }

  /** Runs what is due and sets the next alarm; does nothing during a pause. */
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
    running.catch((cause) => this.#pauseAfter(cause))
  }

  /** Called in the transaction that adds an item, so it only sets the alarm and reads no row. */
  #onWorkAdded(dueAt: number): void {
    if (dueAt < this.#alarmAt) this.#setAlarm(dueAt)
  }

  /** Pauses: without it, the next commit on a full disk would fail at once, again and again. */
  #pauseAfter(cause: unknown, work?: Work): void {
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

  #endPauses(): void {
    this.#pauseMs = 0
    this.#endPause?.()
    this.#endPause = undefined
  }

  /**
   * Completes a refund that waits for a read, a gate or a tester, unless it is completed already. It is committed when
   * this returns.
   */
  completeNow(refundId: string): void {
    const { clock, services } = this.#parts
    const { store } = services
    const work = store.agenda.find(refundId, 'refund.complete')
    if (work) store.transactNow(() => this.#do(work, clock.now()))
  }

  /**
   * Moves the clock to a time, and resolves with the items that ran. Advances run one after the other, so `target` is
   * called when the one before has ended. An advance stops at a commit that fails.
   */
  advanceTo(target: (now: number) => number): Promise<FinishedWork[]> {
    const advance = this.#advances.then(() => this.#advanceTo(target(this.#parts.clock.now())))
    this.#advances = advance.catch(() => {})
    return advance
  }

  async #advanceTo(instant: number): Promise<FinishedWork[]> {
    const { clock } = this.#parts
    const beginning = this.#beginnings
    this.#advancing = true
    this.#setAlarm(NEVER)
    const finished: FinishedWork[] = []
    this.#finished = finished
    try {
      await this.#running
      await this.#finishInstant()
      while (beginning === this.#beginnings && !this.#stopped) {
        const next = this.#nextStop()
        if (next > instant || next === NEVER) break
        clock.moveTo(next)
        await this.#finishInstant()
      }
      if (beginning === this.#beginnings) clock.moveTo(instant)
    } finally {
      this.#advancing = false
      this.#finished = []
      this.#setNextAlarm()
    }
    return finished
  }

  /** Called when another database has replaced the previous one. */
  startOver(): void {
    this.#underWay = new Map()
    this.#unwritten = new Map()
    this.clockPutBack()
  }

  /** Called when the clock was put back. What is sent stays under way: it would be sent a second time, and both would be written. */
  clockPutBack(): void {
    this.#beginnings += 1
    this.#endPauses()
    this.#setNextAlarm()
    this.#wake()
  }

  /** Whether an item is due or under way now. */
  get busy(): boolean {
    if (this.#stopped) return false
    return !this.isAtRest || this.#isDue()
  }

  /** Nothing is under way, which would go on with the database that is open now. */
  get isAtRest(): boolean {
    return !this.#advancing && this.#running === undefined && this.#underWay.size === 0
  }

  #isDue(): boolean {
    return this.#nextDueAt() <= this.#parts.clock.now()
  }

  /** How many deliveries are under way. */
  get delivering(): number {
    return this.#underWay.size
  }

  /** Resolves when no item is due or under way; rejects when a commit fails. */
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
   * Runs everything that is due at the present time, with the deliveries and the work that they add. `requestsAnswered`
   * waits for the requests that are in flight now and not for later ones, so it also ends while a platform keeps sending.
   */
  async #finishInstant(): Promise<void> {
    do {
      await this.#runDue()
      await Promise.all([...this.#underWay.values()].map(({ done }) => done))
      await this.#parts.requestsAnswered()
    } while (!this.#stopped && (this.#underWay.size > 0 || this.#nextDueAt() <= this.#parts.clock.now()))
  }

  async #runDue(): Promise<void> {
    const { clock, services } = this.#parts
    while (!this.#stopped) {
      await this.#writeResults()
      // Commits first: an event must be in the database before it is delivered.
      services.store.flush()
      this.#startDueDeliveries()
      const work = services.store.agenda.first()
      if (!work || work.dueAt > clock.now()) return this.#endPauses()
      await this.#run(work)
    }
  }

  async #writeResults(): Promise<void> {
    for (const [id, write] of this.#unwritten) {
      this.#unwritten.delete(id)
      await write()
    }
  }

  /** Runs an item in its own transaction. Its time is `dueAt`, also when it is late because the simulator was stopped. */
  async #run(work: Work): Promise<void> {
    const { store } = this.#parts.services
    try {
      const finished = await store.transact(() => this.#do(work, work.dueAt))
      this.#finished.push(finished)
    } catch (cause) {
      if (cause instanceof NotStored) throw cause
      // Without removing it, it would fail again every time, and the items after it would never run.
      this.#parts.bug(cause, work)
      await store.transact(() => store.agenda.remove(work.subject, work.kind))
    }
  }

  /** Inside a transaction. */
  #do(work: Work, now: number): FinishedWork {
    const { services } = this.#parts
    const refund = finishRefund(new Unit(services, now), work.subject)
    return { at: now, what: 'refund.completed', id: refund.id, detail: `refund ${refund.id} completed` }
  }

  /** §6: at most sixteen are under way, and one for each resource: its events arrive in order unless an attempt fails (D50). */
  #startDueDeliveries(): void {
    if (this.#underWay.size >= WEBHOOK_CONCURRENCY) return
    const { clock } = this.#parts
    for (const { work, resourceId } of this.#startable()) {
      if (work.dueAt > clock.now() || this.#underWay.size >= WEBHOOK_CONCURRENCY) return
      this.#startDelivery(work, resourceId)
    }
  }

  /** The deliveries that may start, earliest due time first: one for each resource that has none under way. */
  *#startable(): Generator<{ work: Work; resourceId: string }> {
    const { store } = this.#parts.services
    const busyResources = new Set([...this.#underWay.values()].map(({ resourceId }) => resourceId))
    for (const work of store.agenda.deliveries(LOOK_AHEAD)) {
      const resourceId = store.deliveries.resourceOf(work.subject)
      if (busyResources.has(resourceId)) continue
      busyResources.add(resourceId)
      yield { work, resourceId }
    }
  }

  #startDelivery(work: Work, resourceId: string): void {
    const done = this.#attempt(work)
    this.#underWay.set(work.subject, { resourceId, done })
    done.then(
      () => this.#wake(),
      (cause) => this.#pauseAfter(cause, work),
    )
  }

  async #attempt(work: Work): Promise<void> {
    const { services, clock, webhooks } = this.#parts
    const { store } = services
    const [underWay, unwritten] = [this.#underWay, this.#unwritten]
    const delivery = store.deliveries.find(work.subject)!
    const event = store.events.find(delivery.eventId)!
    const record = await webhooks.attempt(delivery, event, clock.now())
    const now = clock.now()

    const write = async () => {
      // After a stop, or when another database is in use, nothing is written: the next start makes the attempt again.
      if (!this.#stopped && store === services.store) {
        const result = await store.transact(() => {
          store.agenda.remove(work.subject, work.kind)
          return record(new Unit(services, now))
        })
        this.#finished.push(toFinished(result, now))
        this.#parts.attempted(result)
      }
      underWay.delete(work.subject)
    }
    const writeOrKeep = async (): Promise<void> => {
      try {
        await write()
      } catch (cause) {
        unwritten.set(work.subject, writeOrKeep)
        throw cause
      }
    }
    return writeOrKeep()
  }

  /** The earliest due time of an item that is not under way. */
  #nextDueAt(): number {
    const { agenda } = this.#parts.services.store
    const delivery = this.#underWay.size < WEBHOOK_CONCURRENCY ? this.#startable().next().value : undefined
    return Math.min(agenda.first()?.dueAt ?? NEVER, delivery?.work.dueAt ?? NEVER)
  }

  /** The next time at which an advance has to stop the clock: an item is due, or an alarm, such as the end of a delay. */
  #nextStop(): number {
    return Math.min(this.#nextDueAt(), this.#parts.clock.nextAlarm() ?? NEVER)
  }

  #setNextAlarm(): void {
    if (!this.#stopped) this.#setAlarm(this.#nextDueAt())
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

function toFinished({ delivery, text }: DeliveryResult, at: number): FinishedWork {
  const what = delivery.status === 'delivered' ? 'webhook.delivered' : 'webhook.attempt_failed'
  return { at, what, id: delivery.id, detail: text }
}
