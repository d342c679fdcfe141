/**
 * The due deliveries of one sandbox: which may start, and which are in flight. Only those in flight are in memory. After a crash
 * their rows are still in the database, so they start again. If the disk refuses the result of an attempt, the result stays in
 * memory, and no other delivery starts until it is written. The attempt is not repeated, so a receiver gets no more attempts than
 * D49 allows.
 */
import { WEBHOOK_CONCURRENCY } from '../../spec/contract/limits.ts'
import type { Clock } from '../../spec/world/clock.ts'
import { Unit, type UnitServices } from '../operations/unit.ts'
import { NEVER, type Work } from '../store/agenda.ts'
import type { AttemptSlots, SlotTaker } from '../webhooks/attempt-slots.ts'
import type { DeliveryResult, Webhooks } from '../webhooks/webhooks.ts'

interface Parts {
  services: UnitServices
  clock: Clock
  webhooks: Webhooks
  /** The slots for attempts, shared by all sandboxes of a process. */
  slots: AttemptSlots
  /** Called around the writes of an attempt's result, inside the transaction. */
  writing(write: () => DeliveryResult): DeliveryResult
  /** Called with every attempt whose result is committed. */
  attempted(result: DeliveryResult, at: number): void
  /** An attempt has ended, so another may start. */
  ended(): void
  /** A slot is free again after a refusal. */
  slotIsFree(): void
  /**
   * The result of an attempt could not be committed, or the machine lacks what an attempt needs, such as a
   * descriptor.
   */
  failed(cause: unknown, work: Work): void
}

/** How many due deliveries are read at a time. Some may not start: an order has only one in flight (D50). */
const LOOK_AHEAD = 64

export class DeliveryQueue implements SlotTaker {
  readonly #parts: Parts
  /**
   * The order of each delivery in flight, by delivery id. Not by the number of its agenda item, which SQLite reuses after the
   * item is removed.
   */
  #underWay = new Map<string, string>()
  /** Functions that write the results that the disk refused, by the delivery's id. */
  #unwritten = new Map<string, () => Promise<void>>()
  #waitsForSlot = false
  #stopped = false
  /** Promises of `change` that are not settled yet. */
  #watchers: { resolve: () => void; reject: (cause: unknown) => void }[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get underWayCount(): number {
    return this.#underWay.size
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0
  }

  /** No delivery is in flight, and none that is due waits for a slot. */
  get isEmpty(): boolean {
    return this.#underWay.size === 0 && !this.#waitsForSlot
  }

  /** Resolves when a delivery ends or the next may start; rejects if a result could not be written. */
  change(): Promise<void> {
    return new Promise((resolve, reject) => this.#watchers.push({ resolve, reject }))
  }

  /**
   * Starts due deliveries. At most sixteen are in flight (§6), and one for each order, so that its events arrive in order unless
   * an attempt fails (D50).
   */
  startDue(): void {
    const { clock, slots } = this.#parts
    this.#waitsForSlot = false
    for (let next = this.#next(LOOK_AHEAD); next.length > 0; next = this.#next(LOOK_AHEAD)) {
      for (const work of next) {
        if (work.dueAt > clock.now() || !this.#hasRoom) return
        if (this.#isUnderWay(work.belongsTo)) continue
        this.#waitsForSlot = !slots.take(this)
        if (this.#waitsForSlot) return
        this.#start(work)
      }
    }
  }

  slotIsFree(): void {
    this.#waitsForSlot = false
    this.#parts.slotIsFree()
    this.#tell(({ resolve }) => resolve())
  }

  /** The earliest due time of a delivery that may start. */
  nextDueAt(): number {
    return this.#waitsForSlot ? NEVER : (this.#next(1)[0]?.dueAt ?? NEVER)
  }

  async writeResults(): Promise<void> {
    for (const [id, write] of this.#unwritten) {
      this.#unwritten.delete(id)
      await write()
    }
  }

  /** Called when another database has replaced that of the deliveries in flight. */
  startOver(): void {
    this.#underWay = new Map()
    this.#unwritten = new Map()
    this.#waitsForSlot = false
    this.#tell(({ resolve }) => resolve())
  }

  stop(): void {
    this.#stopped = true
    this.#parts.slots.leave(this)
    this.startOver()
  }

  get #hasRoom(): boolean {
    return this.#underWay.size < WEBHOOK_CONCURRENCY && !this.#stopped
  }

  #isUnderWay(order: string): boolean {
    return [...this.#underWay.values()].includes(order)
  }

  /** Deliveries of orders with none in flight, earliest due time first. */
  #next(limit: number) {
    if (!this.#hasRoom) return []
    return this.#parts.services.store.agenda.deliveries(limit, [...this.#underWay.values()])
  }

  #start(work: Work & { belongsTo: string }): void {
    const { ended, failed, slots } = this.#parts
    const done = this.#attempt(work).finally(() => slots.giveBack())
    this.#underWay.set(work.subject, work.belongsTo)
    done.then(
      () => {
        ended()
        this.#tell(({ resolve }) => resolve())
      },
      (cause) => {
        failed(cause, work)
        this.#tell(({ reject }) => reject(cause))
      },
    )
  }

  #tell(tell: (watcher: { resolve: () => void; reject: (cause: unknown) => void }) => void): void {
    const watchers = this.#watchers
    this.#watchers = []
    watchers.forEach(tell)
  }

  async #attempt(work: Work): Promise<void> {
    const { services, clock, webhooks, attempted, writing } = this.#parts
    const { store } = services
    const [underWay, unwritten] = [this.#underWay, this.#unwritten]
    const delivery = store.deliveries.find(work.subject)!
    const event = store.events.find(delivery.eventId)!
    const record = await webhooks.attempt(delivery, event, clock.now()).catch((cause) => {
      underWay.delete(work.subject)
      throw cause
    })
    const now = clock.now()

    const write = async () => {
      // After a stop or a change of databases the result is not written, and the next start repeats the attempt.
      if (!this.#stopped && store === services.store) {
        const result = await store.transact(() =>
          writing(() => {
            store.agenda.remove(work.subject, work.kind)
            return record(new Unit(services, now))
          }),
        )
        attempted(result, now)
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
}
