/** The columns of tables, and the prepared statements of a database. */
import type Sqlite from 'better-sqlite3'
import { z } from 'zod'
import type { Database } from './sqlite.ts'

/**
 * The columns of a table are the fields of its rows' schema: the contract's own for a resource, one in the
 * store's file for other rows. So a new field is read and written everywhere; a test compares the schemas
 * with the tables of `schema.ts`. A field that is an object is stored as JSON.
 *
 * Loops over the names cost 1 % of a POST or a GET of one resource compared with code generated for each
 * table; named parameters would cost a POST 3 %.
 */
export class Columns<Row> {
  readonly names: readonly (keyof Row & string)[]
  /** The columns of a `SELECT` of whole rows, to be read by {@link rowOf}. */
  readonly list: string
  /** The part of an `INSERT` after the table name; {@link valuesOf} returns its values. */
  readonly insertion: string
  readonly #isJson: readonly boolean[]
  /** The names of the columns whose values are objects. */
  readonly #objects: readonly (keyof Row & string)[]

  constructor(schema: z.ZodObject & z.ZodType<Row>, except: readonly (keyof Row & string)[] = []) {
    const fields = (Object.entries(schema.shape) as [keyof Row & string, z.ZodType][]).filter(
      ([name]) => !except.includes(name),
    )
    this.names = fields.map(([name]) => name)
    this.list = this.names.map(quoted).join(', ')
    this.insertion = `(${this.list}) VALUES (${this.names.map(() => '?').join(', ')})`
    this.#isJson = fields.map(([, field]) => isObject(field))
    this.#objects = this.names.filter((_, at) => this.#isJson[at])
  }

  /** The assignments of an `UPDATE … SET`; {@link valuesOf} returns their values. */
  get assignments(): string {
    return this.names.map((name) => `${quoted(name)} = ?`).join(', ')
  }

  valuesOf(row: Row): unknown[] {
    const values: unknown[] = []
    for (let at = 0; at < this.names.length; at += 1) {
      const value = row[this.names[at]!]
      values.push(this.#isJson[at] && value !== null ? JSON.stringify(value) : value)
    }
    return values
  }

  /** Parses the object columns of a row that a query of {@link list} found. */
  rowOf<Found extends FoundRow>(found: Found): Found & Row {
    for (const name of this.#objects) {
      const text = found[name]
      if (text !== null) (found as FoundRow)[name] = JSON.parse(text as string)
    }
    return found as Found & Row
  }
}

/** A row as SQLite returns it: objects are still JSON text. */
export type FoundRow = Record<string, unknown>

const quoted = (name: string) => `"${name}"`

const isObject = (field: z.ZodType): boolean =>
  field instanceof z.ZodNullable ? isObject(field.unwrap() as z.ZodType) : field instanceof z.ZodObject

/**
 * The `LIMIT` of a query. As a sum it lets SQLite keep its plan: with a plain bound value the query is planned each time (17 µs
 * instead of 11 for ten items of the agenda).
 */
export const LIMIT = 'LIMIT ? + 0'

/** How a statement returns its rows: as objects, as the first value of each, or as lists of values. */
type Form = 'objects' | 'values' | 'lists'

/** The prepared statements of one database, by their SQL. Each is prepared at its first use. */
export class Statements {
  readonly #db: Database
  readonly #prepared: Record<Form, Map<string, Sqlite.Statement>> = {
    objects: new Map(),
    values: new Map(),
    lists: new Map(),
  }

  constructor(db: Database) {
    this.#db = db
  }

  run(sql: string, ...params: unknown[]): Sqlite.RunResult {
    return this.#prepare(sql, 'objects').run(...params)
  }

  get<Row>(sql: string, ...params: unknown[]): Row | undefined {
    return this.#prepare(sql, 'objects').get(...params) as Row | undefined
  }

  all<Row>(sql: string, ...params: unknown[]): Row[] {
    return this.#prepare(sql, 'objects').all(...params) as Row[]
  }

  /** The first value of the first row. */
  value<Value>(sql: string, ...params: unknown[]): Value | undefined {
    return this.#prepare(sql, 'values').get(...params) as Value | undefined
  }

  /** The first value of each row. */
  values<Value>(sql: string, ...params: unknown[]): Value[] {
    return this.#prepare(sql, 'values').all(...params) as Value[]
  }

  /** Each row as the list of its values. */
  lists<Row extends unknown[]>(sql: string, ...params: unknown[]): Row[] {
    return this.#prepare(sql, 'lists').all(...params) as Row[]
  }

  #prepare(sql: string, form: Form): Sqlite.Statement {
    const known = this.#prepared[form].get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    if (form === 'values') statement.pluck()
    if (form === 'lists') statement.raw()
    this.#prepared[form].set(sql, statement)
    return statement
  }
}
