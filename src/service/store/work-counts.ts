/** How much of a sandbox's work is done and left, in one question: metrics ask it of every sandbox. */
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

/** Counted once between two writes to the tables. */
export class CountedWork {
  readonly #db: Statements
  #known: WorkCounts | undefined

  /** `known`: where the database has not changed since it was counted. */
  constructor(db: Statements, known?: WorkCounts) {
    this.#db = db
    this.#known = known
  }

  /** One of the tables was written to. If that is rolled back, they are counted again all the same. */
  changed(): void {
    this.#known = undefined
  }

  /** Only what is committed may be counted. */
  read(): WorkCounts {
    this.#known ??= this.#count()
    return this.#known
  }

  #count(): WorkCounts {
    const [delivery, other, agendaItems, pending, delivered, failed] = this.#db.get(COUNTS)! as number[]
    const dueAt = Math.min(delivery ?? Number.MAX_SAFE_INTEGER, other ?? Number.MAX_SAFE_INTEGER)
    return {
      // A refund that waits for reads or for a gate is due at no time.
      dueAt: dueAt === Number.MAX_SAFE_INTEGER ? null : dueAt,
      agendaItems: agendaItems!,
      deliveries: { pending: pending!, delivered: delivered!, failed: failed! },
    }
  }
}
