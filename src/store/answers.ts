/** §4 Idempotency: the first answer that a key got, kept to the byte, with the request that got it. */
import type { Database } from 'better-sqlite3'

export interface RecordedAnswer {
  key: string
  /** The method and path, ids included: the same key elsewhere is another key (D32). */
  operation: string
  /** The request's body in canonical form. */
  request: string
  status: number
  body: string
  location: string | null
  createdAt: number
}

export function answerStore(db: Database) {
  const find = db.prepare<[string, string], RecordedAnswer>(
    'SELECT key, operation, request, status, body, location, createdAt FROM answers WHERE key = ? AND operation = ?',
  )
  const insert = db.prepare<[(string | number | null)[]]>(
    'INSERT INTO answers (key, operation, request, status, body, location, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const oldest = db.prepare<[], { seq: number; createdAt: number }>(
    'SELECT seq, createdAt FROM answers ORDER BY seq LIMIT 1',
  )
  const forget = db.prepare<[number]>('DELETE FROM answers WHERE seq = ?')

  return {
    find: (key: string, operation: string): RecordedAnswer | undefined => find.get(key, operation),

    insert(answer: RecordedAnswer): void {
      const { key, operation, request, status, body, location, createdAt } = answer
      insert.run([key, operation, request, status, body, location, createdAt])
    },

    /** Forgets what was recorded up to an instant. Rows stand in time's order, so this reads one row more than it drops. */
    expire(recordedUntil: number): void {
      for (let row = oldest.get(); row !== undefined && row.createdAt <= recordedUntil; row = oldest.get()) {
        forget.run(row.seq)
      }
    },
  }
}
