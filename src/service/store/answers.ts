/** §4 Idempotency: the first response for a key, stored byte for byte, with its request. */
import { z } from 'zod'
import { Columns, type Statements } from './statements.ts'

export const RecordedAnswer = z.object({
  key: z.string(),
  /** The method and path, ids included: the same key elsewhere is another key (D32). */
  operation: z.string(),
  /** The raw request body. */
  request: z.string(),
  status: z.int(),
  body: z.string(),
  location: z.string().nullable(),
  createdAt: z.int(),
})

export type RecordedAnswer = z.output<typeof RecordedAnswer>

const COLUMNS = new Columns<RecordedAnswer>(RecordedAnswer)

const FIND = `SELECT ${COLUMNS.list} FROM answers WHERE key = ? AND operation = ?`
// REPLACE, because an expired response of the key may still be there. `expire` removes a limited number, and stops early if the
// clock was set back, after which rows are not in order of time.
const INSERT = `INSERT OR REPLACE INTO answers ${COLUMNS.insertion}`
/** At most 1,000: removing 20,000 in one go would block requests for most of a second. */
const EXPIRE =
  'DELETE FROM answers WHERE createdAt <= ? AND seq IN (SELECT seq FROM answers ORDER BY seq LIMIT 1000)'

export class AnswerTable {
  readonly #db: Statements
  /** No later than the time of the oldest row. */
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

  /** Removes the oldest responses up to an instant; the next call removes more. */
  expire(recordedUntil: number): void {
    if (this.#oldestAt > recordedUntil) return
    this.#db.run(EXPIRE, recordedUntil)
    this.#oldestAt =
      this.#db.value('SELECT createdAt FROM answers ORDER BY seq LIMIT 1') ?? Number.POSITIVE_INFINITY
  }
}
