/** §4 Idempotency: the first answer that a key got, stored to the byte, with the request that got it. */
import { z } from 'zod'
import { tableColumns } from './columns.ts'
import type { Statements } from './statements.ts'

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

export function answerStore(db: Statements) {
  const columns = tableColumns(RecordedAnswer)
  const find = db.prepare<[string, string], RecordedAnswer>(
    `SELECT ${columns.list} FROM answers WHERE key = ? AND operation = ?`,
  )
  // An answer whose day is over may still be here: after a clock was put back, rows no longer stand in time's order.
  const insert = db.prepare<unknown[]>(`INSERT OR REPLACE INTO answers ${columns.insertion}`)
  const oldest = db.prepare<[], { seq: number; createdAt: number }>(
    'SELECT seq, createdAt FROM answers ORDER BY seq LIMIT 1',
  )
  const forget = db.prepare<[number]>('DELETE FROM answers WHERE seq = ?')

  /** When the oldest row was recorded, or earlier; `expire` looks for the exact instant. */
  let oldestAt = Number.NEGATIVE_INFINITY

  return {
    find: (key: string, operation: string): RecordedAnswer | undefined => find.get(key, operation),

    insert(answer: RecordedAnswer): void {
      insert.run(...columns.valuesOf(answer))
      oldestAt = Math.min(oldestAt, answer.createdAt)
    },

    /** Forgets what was recorded up to an instant. Rows stand in time's order, so only the front is looked at. */
    expire(recordedUntil: number): void {
      while (oldestAt <= recordedUntil) {
        const row = oldest.get()
        if (row !== undefined && row.createdAt <= recordedUntil) forget.run(row.seq)
        oldestAt = row?.createdAt ?? Number.POSITIVE_INFINITY
      }
    },
  }
}
