/**
 * The settings of a sandbox, as JSON by name. They are in the database, so a copy of the database has them
 * too.
 */
import { query, type Statements, valueQuery } from './statements.ts'

const GET = valueQuery<[name: string], string>('SELECT value FROM settings WHERE name = ?')
const PUT = query<[name: string, value: string]>(
  'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
)

export class SettingTable {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  get<Value>(name: string): Value | undefined {
    const text = this.#db.get(GET, name)
    return text === undefined ? undefined : JSON.parse(text)
  }

  put(name: string, value: unknown): void {
    this.#db.run(PUT, name, JSON.stringify(value))
  }
}
