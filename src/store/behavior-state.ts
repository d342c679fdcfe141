/**
 * What the behaviors of a sandbox remember, as JSON by kind and name. The kinds are theirs; here is only that it lies in the
 * database, so that a copy of that behaves as its original does.
 */
import type { Statements } from './statements.ts'

export interface RememberedRow {
  kind: string
  name: string
  value: string
}

export function behaviorStateStore(db: Statements) {
  const list = db.prepare<[], RememberedRow>('SELECT kind, name, value FROM behavior_state ORDER BY seq')
  const put = db.prepare<[string, string, string]>(
    'INSERT INTO behavior_state (kind, name, value) VALUES (?, ?, ?) ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare<[string, string]>('DELETE FROM behavior_state WHERE kind = ? AND name = ?')
  return {
    /** In the order in which they were first put. */
    list: (): RememberedRow[] => list.all(),
    put(kind: string, name: string, value: unknown): void {
      put.run(kind, name, JSON.stringify(value))
    },
    remove(kind: string, name: string): void {
      remove.run(kind, name)
    },
  }
}
