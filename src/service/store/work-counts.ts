/** How many items of a sandbox's work wait and are done, in one query: metrics ask every sandbox for it. */
import type { DeliveryRow } from './deliveries.ts'
import { listQuery, type Statements } from './statements.ts'

export interface WorkCounts {
  /** When the next work is due; null where there is none. */
  dueAt: number | null
  agendaItems: number
  deliveries: Record<DeliveryRow['status'], number>
}

const DELIVERIES = (status: DeliveryRow['status']) =>
  `(SELECT count(*) FROM deliveries WHERE status = '${status}')`
const FIRST = (kinds: string) => `(SELECT dueAt FROM agenda WHERE ${kinds} ORDER BY dueAt, seq LIMIT 1)`

export const NO_WORK: WorkCounts = {
  dueAt: null,
  agendaItems: 0,
  deliveries: { pending: 0, delivered: 0, failed: 0 },
}

const COUNTS = listQuery<[], (number | null)[]>(
  `SELECT ${FIRST(`kind = 'webhook.deliver'`)}, ${FIRST(`kind <> 'webhook.deliver'`)}, (SELECT count(*) FROM agenda),
     ${DELIVERIES('pending')}, ${DELIVERIES('delivered')}, ${DELIVERIES('failed')}`,
)

/** Keeps the counts until the next write to one of the tables. */
export class CountedWork {
  readonly #db: Statements
  #known: WorkCounts | undefined

  /** `known`: counts of this database, if it has not changed since. */
  constructor(db: Statements, known?: WorkCounts) {
    this.#db = db
    this.#known = known
  }

  /**
   * Called when one of the tables is written to. After a rollback they are counted again too, which does no
   * harm.
   */
  changed(): void {
    this.#known = undefined
  }

  /** Call it when all is committed: counts of rows that are rolled back would be kept. */
  read(): WorkCounts {
    this.#known ??= this.#count()
    return this.#known
  }

  #count(): WorkCounts {
    const [delivery, other, agendaItems, pending, delivered, failed] = this.#db.get(COUNTS)! as number[]
    const dueAt = Math.min(delivery ?? Number.MAX_SAFE_INTEGER, other ?? Number.MAX_SAFE_INTEGER)
    return {
      // The time of a refund that waits for reads or for a gate: no clock reaches it.
      dueAt: dueAt === Number.MAX_SAFE_INTEGER ? null : dueAt,
      agendaItems: agendaItems!,
      deliveries: { pending: pending!, delivered: delivered!, failed: failed! },
    }
  }
}
