/**
 * What the behaviors of a sandbox remember, as JSON by kind and name. The kinds are theirs; here is only that it lies in the
 * database, so that a copy of that behaves as its original does.
 */
import { query, type Statements } from './statements.ts'

export interface RememberedRow {
  kind: string
  name: string
  value: string
}

const LIST = query<[], RememberedRow>('SELECT kind, name, value FROM behavior_state ORDER BY seq')
const PUT = query<[kind: string, name: string, value: string]>(
  'INSERT INTO behavior_state (kind, name, value) VALUES (?, ?, ?) ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value',
)
const REMOVE = query<[kind: string, name: string]>('DELETE FROM behavior_state WHERE kind = ? AND name = ?')

export class BehaviorStateTable {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  /** In the order in which they were first put. */
  list(): RememberedRow[] {
    return this.#db.all(LIST)
  }

  put(kind: string, name: string, value: unknown): void {
    this.#db.run(PUT, kind, name, JSON.stringify(value))
  }

  remove(kind: string, name: string): void {
    this.#db.run(REMOVE, kind, name)
  }
}
