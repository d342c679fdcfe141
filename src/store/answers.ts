/** §4 Idempotency: the first answer that a key got, kept to the byte, with the request that got it. */
import type { Statements } from './statements.ts'

export interface RecordedAnswer {
  key: string
  /** The method and path, ids included: the same key elsewhere is another key (D32). */
  operation: string
  /** The request's body as it was sent. */
  request: string
  status: number
  body: string
  location: string | null
  createdAt: number
}

export function answerStore(db: Statements) {
  const find = db.prepare<[string, string], RecordedAnswer>(
    'SELECT key, operation, request, status, body, location, createdAt FROM answers WHERE key = ? AND operation = ?',
  )
  // An answer whose day is over may still be here: after a clock was put back, rows no longer stand in time's order.
  const insert = db.prepare<[(string | number | null)[]]>(
    'INSERT OR REPLACE INTO answers (key, operation, request, status, body, location, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const oldest = db.prepare<[], { seq: number; createdAt: number }>(
    'SELECT seq, createdAt FROM answers ORDER BY seq LIMIT 1',
  )
  const forget = db.prepare<[number]>('DELETE FROM answers WHERE seq = ?')

  /** When the oldest row was recorded, as far as anybody has looked. */
  let oldestAt = Number.NEGATIVE_INFINITY

  return {
    find: (key: string, operation: string): RecordedAnswer | undefined => find.get(key, operation),

    insert(answer: RecordedAnswer): void {
      const { key, operation, request, status, body, location, createdAt } = answer
      insert.run([key, operation, request, status, body, location, createdAt])
      oldestAt = Math.min(oldestAt, createdAt)
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
