/** §4 Idempotency: the first answer that a key got, stored to the byte, with the request that got it. */
import { z } from 'zod'
import { Columns, type Statements } from './statements.ts'

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

const FIND = `SELECT ${COLUMNS.list} FROM answers WHERE key = ? AND operation = ?`
// REPLACE: an expired answer of the key may still be here. `expire` removes a limited number, and stops early if
// the clock was put back, after which rows are not in the order of time.
const INSERT = `INSERT OR REPLACE INTO answers ${COLUMNS.insertion}`
/** At most 1,000: if 20,000 expired at once, removing them all would block the request for most of a second. */
const EXPIRE =
  'DELETE FROM answers WHERE createdAt <= ? AND seq IN (SELECT seq FROM answers ORDER BY seq LIMIT 1000)'

export class AnswerTable {
  readonly #db: Statements
  /** Not later than the time of the oldest row. */
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

  /** Removes the oldest answers recorded up to an instant; the next call removes more. */
  expire(recordedUntil: number): void {
    if (this.#oldestAt > recordedUntil) return
    this.#db.run(EXPIRE, recordedUntil)
    this.#oldestAt =
      this.#db.value('SELECT createdAt FROM answers ORDER BY seq LIMIT 1') ?? Number.POSITIVE_INFINITY
  }
}
