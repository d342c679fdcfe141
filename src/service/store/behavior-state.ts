/**
 * The state of a sandbox's behaviors, as JSON by kind and name. Stored in the database so that a copy behaves like the original.
 * Each kind of behavior defines its content.
 */
import type { Statements } from './statements.ts'

export interface RememberedRow {
  kind: string
  name: string
  value: string
}

const PUT =
  'INSERT INTO behavior_state (kind, name, value) VALUES (?, ?, ?) ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value'

export class BehaviorStateTable {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  /** In the order of first insertion. */
  list(): RememberedRow[] {
    return this.#db.all('SELECT kind, name, value FROM behavior_state ORDER BY seq')
  }

  ofKind(kind: string): [name: string, value: unknown][] {
    const sql = 'SELECT name, value FROM behavior_state WHERE kind = ? ORDER BY seq'
    return this.#db.lists<[string, string]>(sql, kind).map(([name, value]) => [name, JSON.parse(value)])
  }

  count(kind: string): number {
    return this.#db.value<number>('SELECT count(*) FROM behavior_state WHERE kind = ?', kind)!
  }

  get(kind: string, name: string): unknown {
    const sql = 'SELECT value FROM behavior_state WHERE kind = ? AND name = ?'
    const value = this.#db.value<string>(sql, kind, name)
    return value === undefined ? undefined : JSON.parse(value)
  }

  put(kind: string, name: string, value: unknown): void {
    this.#db.run(PUT, kind, name, JSON.stringify(value))
  }

  remove(kind: string, name: string): void {
    this.#db.run('DELETE FROM behavior_state WHERE kind = ? AND name = ?', kind, name)
  }

  keepNewest(kind: string, most: number): void {
    if (this.count(kind) <= most) return
    const oldest = 'SELECT name FROM behavior_state WHERE kind = ? ORDER BY seq LIMIT 1'
    this.remove(kind, this.#db.value<string>(oldest, kind)!)
  }

  clear(kind: string): void {
    this.#db.run('DELETE FROM behavior_state WHERE kind = ?', kind)
  }

  clearAll(): void {
    this.#db.run('DELETE FROM behavior_state')
  }
}
