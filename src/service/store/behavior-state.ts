/**
 * The memory of a sandbox's behaviors, as JSON by kind and name. It is in the database so that a copy of the
 * database behaves as its original does. Each kind of behavior defines what it stores.
 */
import { listQuery, query, type Statements, valueQuery } from './statements.ts'

export interface RememberedRow {
  kind: string
  name: string
  value: string
}

const LIST = query<[], RememberedRow>('SELECT kind, name, value FROM behavior_state ORDER BY seq')
const OF_KIND = listQuery<[kind: string], [name: string, value: string]>(
  'SELECT name, value FROM behavior_state WHERE kind = ? ORDER BY seq',
)
const COUNT = valueQuery<[kind: string], number>('SELECT count(*) FROM behavior_state WHERE kind = ?')
const GET = valueQuery<[kind: string, name: string], string>(
  'SELECT value FROM behavior_state WHERE kind = ? AND name = ?',
)
const PUT = query<[kind: string, name: string, value: string]>(
  'INSERT INTO behavior_state (kind, name, value) VALUES (?, ?, ?) ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value',
)
const REMOVE = query<[kind: string, name: string]>('DELETE FROM behavior_state WHERE kind = ? AND name = ?')
const OLDEST = valueQuery<[kind: string], string>(
  'SELECT name FROM behavior_state WHERE kind = ? ORDER BY seq LIMIT 1',
)
const CLEAR = query<[kind: string]>('DELETE FROM behavior_state WHERE kind = ?')

export class BehaviorStateTable {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  /** In the order in which they were first put. */
  list(): RememberedRow[] {
    return this.#db.all(LIST)
  }

  ofKind(kind: string): [name: string, value: unknown][] {
    return this.#db.all(OF_KIND, kind).map(([name, value]) => [name, JSON.parse(value)])
  }

  count(kind: string): number {
    return this.#db.get(COUNT, kind)!
  }

  get(kind: string, name: string): unknown {
    const value = this.#db.get(GET, kind, name)
    return value === undefined ? undefined : JSON.parse(value)
  }

  put(kind: string, name: string, value: unknown): void {
    this.#db.run(PUT, kind, name, JSON.stringify(value))
  }

  remove(kind: string, name: string): void {
    this.#db.run(REMOVE, kind, name)
  }

  keepNewest(kind: string, most: number): void {
    if (this.count(kind) > most) this.remove(kind, this.#db.get(OLDEST, kind)!)
  }

  clear(kind: string): void {
    this.#db.run(CLEAR, kind)
  }
}
