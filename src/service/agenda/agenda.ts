/**
 * Runs work when it is due: timed moves, such as the completion of a refund, and attempts to deliver webhooks
 * (delivery-queue.ts). An item is a row with a due time. Items run in due order, each in its own transaction, with the clock at
 * the item's time. While the clock runs, an alarm at the earliest due time starts the agenda. A tester's advance moves the clock
 * from one due time to the next and waits at each for the work due there (advance.ts), so work added on the way runs on time too.
 * A failed delivery attempt writes its retry in the transaction that records the attempt (webhooks.ts). If the disk refuses a
 * commit, the row stays and the agenda pauses, longer after each failure (D58).
 */
import { NotStored } from '../../spec/contract/errors.ts'
import { DEFINITIONS } from '../../spec/contract/resources/index.ts'
import { timedMove } from '../../spec/contract/resources/timed.ts'
import type { Clock } from '../../spec/world/clock.ts'
import { makeNamedMove } from '../operations/plain.ts'
import { Unit, type UnitServices } from '../operations/unit.ts'
import { NEVER, type TimedItem, type Work } from '../store/agenda.ts'
import type { CurrentStore } from '../store/current-store.ts'
import { asStorageFailure } from '../store/storage-failure.ts'
import type { AttemptSlots } from '../webhooks/attempt-slots.ts'
import type { DeliveryResult, Webhooks } from '../webhooks/webhooks.ts'
import { Advance, type FinishedWork } from './advance.ts'
import { DeliveryQueue } from './delivery-queue.ts'

interface Parts {
  database: CurrentStore
  services: UnitServices
  clock: Clock
  /** The machine's clock times the end of a pause, because the sandbox's clock may be frozen. */
  machine: Clock
  webhooks: Webhooks
  slots: AttemptSlots
  /** Resolves when the requests waiting for the clock's current time are answered. */
  requestsAnswered(): Promise<void>
  /** Called with every attempt whose result is committed. */
  attempted(result: DeliveryResult): void
  bug(cause: unknown, work?: Work): void
  diskFailed(cause: NotStored): void
}

export class Agenda {
  readonly #parts: Parts
  readonly #queue: DeliveryQueue
  readonly #pause: Pause
  #running: Promise<void> | undefined
  #advance: Advance | undefined
  /** Resolves when the latest advance has ended: the next one waits for it. */
  #advanceEnded: Promise<unknown> = Promise.resolve()
  #stopped = false
  /** True while an item of the agenda runs: items added now were not added by a request. */
  #isAtWork = false
  #alarmAt = NEVER
  #cancelAlarm = () => {}

  constructor(parts: Parts) {
    this.#parts = parts
    this.#pause = new Pause(parts.machine, () => this.#start())
    this.#queue = new DeliveryQueue({
      ...parts,
      writing: (write) => this.#atWork(write),
      attempted: (result, at) => {
        this.#advance?.attempted(result, at)
        parts.attempted(result)
      },
      ended: () => this.#wake(),
      slotIsFree: () => {
        if (!this.#pause.isOn) this.#startDeliveries()
      },
      failed: (cause, work) => this.#failed(cause, work),
    })
    parts.database.watch({
      workAdded: (dueAt) => this.#onWorkAdded(dueAt),
      rolledBack: () => this.#setNextAlarm(),
    })
  }

  /** Runs what is due and sets the next alarm; does nothing during a pause. */
  #wake(): void {
    if (!this.#pause.isOn) this.#start()
  }

  #start(): void {
    if (this.#stopped || this.#running) return
    const running = this.#runDue().finally(() => {
      this.#running = undefined
      this.#setNextAlarm()
    })
    this.#running = running
    running.catch((cause) => this.#failed(cause))
  }

  /** Called in the transaction that adds an item, so it only sets the alarm and reads no row. */
  #onWorkAdded(dueAt: number): void {
    if (!this.#isAtWork) this.#advance?.added()
    if (dueAt < this.#alarmAt) this.#setAlarm(dueAt)
  }

  #failed(thrown: unknown, work?: Work): void {
    const cause = asStorageFailure(thrown)
    if (cause instanceof NotStored) this.#parts.diskFailed(cause)
    else this.#parts.bug(cause, work)
    this.#advance?.failed(cause)
    if (!this.#stopped) this.#pause.begin()
  }

  /**
   * Makes the move that a resource is waiting for (after a read or at a gate), unless it is done already. `write` runs in the
   * same transaction, which is committed when this returns.
   */
  completeNow(id: string, write: () => void): void {
    const { clock, services } = this.#parts
    const { store } = services
    const work = store.agenda.moveOf(id)
    store.transactNow(() => {
      write()
      if (work) this.#do(work, clock.now())
    })
  }

  /**
   * Moves the clock to a time, and resolves with the items that ran. Advances run one at a time, so `target` is called when the
   * previous advance has ended. An advance stops at a failed commit.
   */
  advanceTo(target: (now: number) => number): Promise<FinishedWork[]> {
    const advance = this.#advanceEnded.then(() => this.#advanceTo(target(this.#parts.clock.now())))
    this.#advanceEnded = advance.catch(() => {})
    return advance
  }

  async #advanceTo(instant: number): Promise<FinishedWork[]> {
    const { clock, services } = this.#parts
    const advance = new Advance(services.store.agenda.count() + clock.alarmCount)
    this.#advance = advance
    this.#setNextAlarm()
    try {
      await this.#finishInstant(advance)
      for (let next = this.#nextStop(); next <= instant; next = this.#nextStop()) {
        if (advance.waitsNoLonger || next === NEVER) break
        advance.stopped()
        clock.moveTo(next)
        await this.#finishInstant(advance)
      }
      if (!advance.isCalledOff) clock.moveTo(instant)
      if (advance.isImpatient) await this.#finishOwn(advance)
    } finally {
      this.#advance = undefined
      this.#setNextAlarm()
    }
    return advance.finished
  }

  /** Called when another database has replaced the previous one. */
  startOver(): void {
    this.#queue.startOver()
    this.clockPutBack()
  }

  /**
   * Called if the clock is set back. Attempts already sent remain in flight: otherwise they would be sent again, and both results
   * written.
   */
  clockPutBack(): void {
    this.#advance?.callOff()
    this.#pause.end()
    this.#setNextAlarm()
    this.#wake()
  }

  /** Whether an item is due or running. */
  get busy(): boolean {
    if (this.#stopped) return false
    return !this.isAtRest || this.#isDue()
  }

  /** True if no running work still needs the open database, which may then be closed. */
  get isAtRest(): boolean {
    return this.#advance === undefined && this.#running === undefined && this.#queue.isEmpty
  }

  #isDue(): boolean {
    return this.#nextDueAt() <= this.#parts.clock.now()
  }

  /** How many deliveries are in flight. */
  get delivering(): number {
    return this.#queue.underWayCount
  }

  /** Resolves when no item is due or running; rejects when a commit fails. */
  async idle(): Promise<void> {
    while (this.busy) {
      if (this.#advance) await this.#advanceEnded
      else if (this.#running || this.#isDue() || this.#queue.hasUnwritten) {
        this.#start()
        await this.#running
      } else await this.#queue.change()
    }
  }

  stop(): void {
    this.#stopped = true
    this.#advance?.callOff()
    this.#queue.stop()
    this.#cancelAlarm()
    this.#pause.end()
  }

  /**
   * Runs the items that are due now, and those that they add, as far as the advance waits for them. `requestsAnswered` waits for
   * requests in flight now, not for later ones.
   */
  async #finishInstant(advance: Advance): Promise<void> {
    const { clock, requestsAnswered, services } = this.#parts
    let times = 0
    do {
      await this.#makeMoves(advance)
      // The due deliveries: those in flight, and those caused by the moves just made.
      await advance.until(services.store.agenda.dueDeliveries(clock.now()), [])
      await requestsAnswered()
      times += 1
    } while (advance.waitsAgain(services.store.agenda.countDue(clock.now()), times))
  }

  /** Makes the moves due on the way and waits for their own deliveries, however many others are due. */
  async #finishOwn(advance: Advance): Promise<void> {
    const { clock, services } = this.#parts
    await this.#makeMoves(advance)
    await advance.until(
      services.store.agenda.dueDeliveries(clock.now()).filter((id) => advance.caused.has(id)),
      [],
    )
  }

  async #makeMoves(advance: Advance): Promise<void> {
    const { clock, services } = this.#parts
    clock.moveTo(clock.now())
    const done = advance.until([], services.store.agenda.dueMoves(clock.now()))
    this.#start()
    await done
  }

  async #runDue(): Promise<void> {
    const { clock, services } = this.#parts
    while (!this.#stopped) {
      await this.#queue.writeResults()
      this.#startDeliveries()
      const work = services.store.agenda.firstMove()
      const isDue = work !== undefined && work.dueAt <= clock.now()
      // Items run oldest first, so once the next item is not awaited, the advance's own items are done.
      if (!isDue || !this.#advance?.isAwaited(work.subject)) this.#advance?.movesAreMade()
      if (!isDue) return this.#pause.end()
      await this.#run(work)
    }
  }

  #startDeliveries(): void {
    if (this.#stopped || this.#queue.hasUnwritten) return
    // Commits first: an event must be in the database before it is delivered.
    this.#parts.services.store.flush()
    this.#queue.startDue()
  }

  /**
   * Runs an item in its own transaction. `now` is its due time, even if it runs late because the simulator
   * was stopped.
   */
  async #run(work: TimedItem): Promise<void> {
    const { store } = this.#parts.services
    try {
      const advance = this.#advance
      const finished = await store.transact(() => this.#atWork(() => this.#do(work, work.dueAt, advance)))
      advance?.ran(finished)
    } catch (cause) {
      if (cause instanceof NotStored) throw cause
      // Without removing it, it would fail again every time, and the items after it would never run.
      this.#parts.bug(cause, work)
      await store.transact(() => store.agenda.remove(work.subject, work.kind))
    }
  }

  #atWork<Result>(work: () => Result): Result {
    this.#isAtWork = true
    try {
      return work()
    } finally {
      this.#isAtWork = false
    }
  }

  /** Makes the move that is due; called inside a transaction. */
  #do({ kind: work, subject: id }: TimedItem, now: number, advance?: Advance): FinishedWork {
    const { services } = this.#parts
    const { kind, move, to, event } = timedMove(work)
    const unit = new Unit(services, now)
    makeNamedMove(unit, kind, id, move)
    for (const caused of unit.events)
      for (const { id } of services.store.deliveries.ofEvent(caused.id)) advance?.caused.add(id)
    return { at: now, what: event, id, detail: `${DEFINITIONS[kind].words.one.toLowerCase()} ${id} ${to}` }
  }

  /** The earliest due time of an item that is not running. */
  #nextDueAt(): number {
    const move = this.#parts.services.store.agenda.firstMove()
    return Math.min(move?.dueAt ?? NEVER, this.#queue.nextDueAt())
  }

  /**
   * The next time at which an advance stops the clock: the due time of an item, or an alarm, such as the end of a delay. Only
   * future times, because a platform that never pauses may always have items due now.
   */
  #nextStop(): number {
    const { clock, services } = this.#parts
    const now = clock.now()
    return Math.min(services.store.agenda.nextAfter(now) ?? NEVER, clock.nextAlarmAfter(now) ?? NEVER)
  }

  #setNextAlarm(): void {
    if (!this.#stopped) this.#setAlarm(this.#nextDueAt())
  }

  /**
   * During an advance an alarm is only set for a time that is already reached: the advance moves the clock to
   * later ones.
   */
  #setAlarm(instant: number): void {
    const { clock } = this.#parts
    this.#cancelAlarm()
    this.#cancelAlarm = () => {}
    this.#alarmAt = instant
    if (instant === NEVER || this.#stopped || (this.#advance && instant > clock.now())) return
    this.#cancelAlarm = clock.alarmWhileProcessRuns(instant, () => {
      this.#alarmAt = NEVER
      this.#wake()
    })
  }
}

/** A pause doubles with each failure. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * The pause after a failed commit, a bug, or a request for which this machine lacked descriptors or memory. Without it the next
 * attempt would follow immediately and fail again.
 */
class Pause {
  /** The machine's clock, because the sandbox's may be frozen. */
  readonly #machine: Clock
  readonly #over: () => void
  #lastMs = 0
  #cancel: (() => void) | undefined

  constructor(machine: Clock, over: () => void) {
    this.#machine = machine
    this.#over = over
  }

  get isOn(): boolean {
    return this.#cancel !== undefined
  }

  begin(): void {
    if (this.#cancel) return
    this.#lastMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * this.#lastMs), LONGEST_PAUSE_MS)
    this.#cancel = this.#machine.alarmWhileProcessRuns(this.#machine.now() + this.#lastMs, () => {
      this.#cancel = undefined
      this.#over()
    })
  }

  /** Called after a successful commit, and when the failed work is discarded. */
  end(): void {
    this.#lastMs = 0
    this.#cancel?.()
    this.#cancel = undefined
  }
}
