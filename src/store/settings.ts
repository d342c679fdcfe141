/** What a sandbox knows about itself, as JSON by name. It lives in the database, so a copy of that is a copy of all. */
import type { Statements } from './statements.ts'

export function settingStore(db: Statements) {
  const get = db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck()
  const put = db.prepare<[string, string]>(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  return {
    get<Value>(name: string): Value | undefined {
      const text = get.get(name)
      return text === undefined ? undefined : JSON.parse(text)
    },
    put(name: string, value: unknown): void {
      put.run(name, JSON.stringify(value))
    },
  }
}
