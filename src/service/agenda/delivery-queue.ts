/**
 * The deliveries of one sandbox that are due: which of them may start, and which are under way. In memory are only those;
 * after a crash their rows are still there, and they start again.
 *
 * An attempt that was sent is not sent again because the disk refused its result: the result is kept in memory, and no other
 * delivery starts until it is written. So a receiver gets no more attempts than D49 says.
 */
import { WEBHOOK_CONCURRENCY } from '../../spec/contract/limits.ts'
import type { Clock } from '../../spec/world/clock.ts'
import { NEVER, Unit, type UnitServices } from '../operations/unit.ts'
import type { Work } from '../store/agenda.ts'
import type { DeliveryPlaces, PlaceTaker } from '../webhooks/places.ts'
import type { DeliveryResult, Webhooks } from '../webhooks/webhooks.ts'

interface Parts {
  services: UnitServices
  clock: Clock
  webhooks: Webhooks
  /** Shared by all sandboxes of a process. */
  places: DeliveryPlaces
  /** Around what an attempt writes. */
  writing(write: () => DeliveryResult): DeliveryResult
  /** Called with every attempt whose result is committed. */
  attempted(result: DeliveryResult, at: number): void
  /** One has ended, and another may start. */
  ended(): void
  /** There is a place for one that was refused it. */
  placeIsFree(): void
  /** Its result could not be committed, or the machine lacks what an attempt needs. */
  failed(cause: unknown, work: Work): void
}

/** So many are read at a time to find those that may start: an order has one under way at a time (D50). */
const LOOK_AHEAD = 64

export class DeliveryQueue implements PlaceTaker {
  readonly #parts: Parts
  /** By id, with the order of their event. Not by item: the number of a removed one is used again. */
  #underWay = new Map<string, string>()
  /** Those of them that were sent, but whose result could not be written yet. */
  #unwritten = new Map<string, () => Promise<void>>()
  #waitsForPlace = false
  #stopped = false
  /** Those who wait until one has ended. */
  #watchers: { resolve: () => void; reject: (cause: unknown) => void }[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get underWayCount(): number {
    return this.#underWay.size
  }

  get underWay(): Iterable<string> {
    return this.#underWay.keys()
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0
  }

  /** Nothing is under way, and nothing is due that waits for a place. */
  get isEmpty(): boolean {
    return this.#underWay.size === 0 && !this.#waitsForPlace
  }

  /** Resolves when the next has ended or may start; rejects when its result could not be written. */
  change(): Promise<void> {
    return new Promise((resolve, reject) => this.#watchers.push({ resolve, reject }))
  }

  /** §6: at most sixteen are under way, and one for each order: its events arrive in order unless an attempt fails (D50). */
  startDue(): void {
    const { clock, places } = this.#parts
    this.#waitsForPlace = false
    for (let next = this.#next(LOOK_AHEAD); next.length > 0; next = this.#next(LOOK_AHEAD)) {
      for (const work of next) {
        if (work.dueAt > clock.now() || !this.#hasRoom) return
        if (this.#isUnderWay(work.belongsTo)) continue
        this.#waitsForPlace = !places.take(this)
        if (this.#waitsForPlace) return
        this.#start(work)
      }
    }
  }

  placeIsFree(): void {
    this.#waitsForPlace = false
    this.#parts.placeIsFree()
    this.#tell(({ resolve }) => resolve())
  }

  /** The earliest due time of one that may start. */
  nextDueAt(): number {
    return this.#waitsForPlace ? NEVER : (this.#next(1)[0]?.dueAt ?? NEVER)
  }

  async writeResults(): Promise<void> {
    for (const [id, write] of this.#unwritten) {
      this.#unwritten.delete(id)
      await write()
    }
  }

  /** Called when another database has replaced the one that has those under way. */
  startOver(): void {
    this.#underWay = new Map()
    this.#unwritten = new Map()
    this.#waitsForPlace = false
    this.#tell(({ resolve }) => resolve())
  }

  stop(): void {
    this.#stopped = true
    this.#parts.places.leave(this)
    this.startOver()
  }

  get #hasRoom(): boolean {
    return this.#underWay.size < WEBHOOK_CONCURRENCY && !this.#stopped
  }

  #isUnderWay(order: string): boolean {
    return [...this.#underWay.values()].includes(order)
  }

  /** Those that may start, earliest due time first: of the orders that have none under way. */
  #next(limit: number) {
    if (!this.#hasRoom) return []
    return this.#parts.services.store.agenda.deliveries(limit, [...this.#underWay.values()])
  }

  #start(work: Work & { belongsTo: string }): void {
    const { ended, failed, places } = this.#parts
    const done = this.#attempt(work).finally(() => places.giveBack())
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
      // After a stop, or when another database is in use, nothing is written: the next start makes the attempt again.
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
