/** Later work as rows: it survives a restart, can be listed, and is run oldest first. */
import type { Database } from 'better-sqlite3'

export type WorkKind = 'refund.complete' | 'webhook.deliver'

export interface Work {
  seq: number
  dueAt: number
  kind: WorkKind
  subject: string
}

export function agendaStore(db: Database) {
  const insert = db.prepare<[number, string, string]>(
    'INSERT INTO agenda (dueAt, kind, subject) VALUES (?, ?, ?)',
  )
  const remove = db.prepare<[number]>('DELETE FROM agenda WHERE seq = ?')
  const removeFor = db.prepare<[string, string]>('DELETE FROM agenda WHERE kind = ? AND subject = ?')
  const due = db.prepare<[number, number], Work>(
    'SELECT seq, dueAt, kind, subject FROM agenda WHERE dueAt <= ? ORDER BY dueAt, seq LIMIT ?',
  )
  const list = db.prepare<[number], Work>(
    'SELECT seq, dueAt, kind, subject FROM agenda ORDER BY dueAt, seq LIMIT ?',
  )
  const nextAt = db.prepare<[], number>('SELECT dueAt FROM agenda ORDER BY dueAt, seq LIMIT 1').pluck()
  const count = db.prepare<[], number>('SELECT count(*) FROM agenda').pluck()

  return {
    insert(dueAt: number, kind: WorkKind, subject: string): void {
      insert.run(dueAt, kind, subject)
    },
    remove(work: Work): void {
      remove.run(work.seq)
    },
    removeFor(kind: WorkKind, subject: string): void {
      removeFor.run(kind, subject)
    },
    /** What is due at an instant, oldest first; among equals, first come. */
    due: (instant: number, limit: number): Work[] => due.all(instant, limit),
    list: (limit: number): Work[] => list.all(limit),
    nextAt: (): number | undefined => nextAt.get(),
    count: (): number => count.get() ?? 0,
  }
}
