/** The values of fields that a profile adds to resources, one per row. */
import type { AddedRow } from '../../spec/contract/added.ts'
import { LIMIT, type Statements } from './statements.ts'

const SEARCH = `SELECT resource FROM added
  WHERE name IN (SELECT value FROM json_each(?)) AND instr(lower(value), lower(?)) > 0
  GROUP BY resource ORDER BY max(seq) DESC ${LIMIT}`

export class AddedTable {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  put(resource: string, rows: readonly AddedRow[]): void {
    for (const { name, key, value } of rows)
      this.#db.run(
        'INSERT INTO added (resource, name, key, value) VALUES (?, ?, ?, ?)',
        resource,
        name,
        key,
        value,
      )
  }

  /** In insertion order. */
  of(resource: string): AddedRow[] {
    return this.#db.all('SELECT name, key, value FROM added WHERE resource = ? ORDER BY seq', resource)
  }

  /** The newest resources with the text in one of these fields. */
  search(names: readonly string[], text: string, limit: number): string[] {
    return this.#db.values(SEARCH, JSON.stringify(names), text, limit)
  }
}
