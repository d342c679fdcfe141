/** §4 Idempotency: the first answer that a key got, stored to the byte, with the request that got it. */
import { z } from 'zod'
import { Columns, query, type Statements } from './statements.ts'

export const RecordedAnswer = z.object({
  key: z.string(),
  /** The method and path, ids included: the same key elsewhere is another key (D32). */
  operation: z.string(),
  /** The request's body as it was sent. */
  request: z.string(),
  status: z.int(),
  body: z.string(),
  location: z.string().nullable(),
  createdAt: z.int(),
})

export type RecordedAnswer = z.output<typeof RecordedAnswer>

const COLUMNS = new Columns<RecordedAnswer>(RecordedAnswer)

const FIND = query<[key: string, operation: string], RecordedAnswer>(
  `SELECT ${COLUMNS.list} FROM answers WHERE key = ? AND operation = ?`,
)
// REPLACE: an expired answer of the key may still be here, because after the clock was put back rows are no
// longer in the order of time, and `expire` stops early.
const INSERT = query<unknown[]>(`INSERT OR REPLACE INTO answers ${COLUMNS.insertion}`)
const OLDEST = query<[], { seq: number; createdAt: number }>(
  'SELECT seq, createdAt FROM answers ORDER BY seq LIMIT 1',
)
const FORGET = query<[seq: number]>('DELETE FROM answers WHERE seq = ?')

export class AnswerTable {
  readonly #db: Statements
  /** A time not later than that of the oldest row; `expire` reads the exact one. */
  #oldestAt = Number.NEGATIVE_INFINITY

  constructor(db: Statements) {
    this.#db = db
  }

  find(key: string, operation: string): RecordedAnswer | undefined {
    return this.#db.get(FIND, key, operation)
  }

  insert(answer: RecordedAnswer): void {
    this.#db.run(INSERT, ...COLUMNS.valuesOf(answer))
    this.#oldestAt = Math.min(this.#oldestAt, answer.createdAt)
  }

  /**
   * Removes answers recorded up to an instant. Rows are in the order of time, so only the oldest are looked
   * at.
   */
  expire(recordedUntil: number): void {
    while (this.#oldestAt <= recordedUntil) {
      const row = this.#db.get(OLDEST)
      if (row !== undefined && row.createdAt <= recordedUntil) this.#db.run(FORGET, row.seq)
      this.#oldestAt = row?.createdAt ?? Number.POSITIVE_INFINITY
    }
  }
}
