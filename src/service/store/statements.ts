/**
 * Queries, the columns that they name, and the statements that run them. The SQL is the same for all databases, so a query is made once a
 * process. A database prepares its statement at the first run: a sandbox uses few of them, and most sandboxes
 * live for one test.
 */
import type Sqlite from 'better-sqlite3'
import { z } from 'zod'
import type { Database } from './sqlite.ts'

/**
 * The columns of a table are the fields of its rows' schema: the contract's own for a resource, one in the
 * store's file for other rows. So a new field is read and written everywhere; a test compares the schemas
 * with the tables that the migrations make. A field that is an object is stored as JSON.
 *
 * Loops over the names cost 1 % of a POST or a GET of one resource compared with code generated for each
 * table; named parameters would cost a POST 3 %.
 */
export class Columns<Row> {
  readonly names: readonly (keyof Row & string)[]
  /** The columns of a `SELECT` of whole rows, which {@link rowOf} reads. */
  readonly list: string
  /** The rest of an `INSERT` after the table's name; {@link valuesOf} gives its values. */
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

  /** The assignments of an `UPDATE … SET`; {@link valuesOf} gives their values. */
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

  /** Reads the objects of a row that a query of {@link list} found. */
  rowOf<Found extends FoundRow>(found: Found): Found & Row {
    for (const name of this.#objects) {
      const text = found[name]
      if (text !== null) (found as FoundRow)[name] = JSON.parse(text as string)
    }
    return found as Found & Row
  }
}

/** A row as SQLite gives it: an object is still the text of its JSON. */
export type FoundRow = Record<string, unknown>

const quoted = (name: string) => `"${name}"`

const isObject = (field: z.ZodType): boolean =>
  field instanceof z.ZodNullable ? isObject(field.unwrap() as z.ZodType) : field instanceof z.ZodObject

/**
 * The end of a query for so many rows. With a sum, SQLite keeps its plan: a bound value alone as the limit is
 * planned anew each time (17 µs instead of 11 for ten items of the agenda).
 */
export const LIMIT = 'LIMIT ? + 0'

export class Query<Params extends unknown[], Row> {
  readonly sql: string
  readonly #formed: (statement: Sqlite.Statement<Params, Row>) => Sqlite.Statement<Params, Row>

  constructor(
    sql: string,
    formed: (statement: Sqlite.Statement<Params, Row>) => Sqlite.Statement<Params, Row> = (statement) =>
      statement,
  ) {
    this.sql = sql
    this.#formed = formed
  }

  preparedIn(db: Database): Sqlite.Statement<Params, Row> {
    return this.#formed(db.prepare<Params, Row>(this.sql))
  }
}

/** A query that gives each row as an object. */
export const query = <Params extends unknown[] = [], Row = unknown>(sql: string) =>
  new Query<Params, Row>(sql)

/** A query that gives only the first value of each row. */
export const valueQuery = <Params extends unknown[], Value>(sql: string) =>
  new Query<Params, Value>(sql, (statement) => statement.pluck())

/** A query that gives each row as the list of its values. */
export const listQuery = <Params extends unknown[], Row extends unknown[]>(sql: string) =>
  new Query<Params, Row>(sql, (statement) => statement.raw())

/**
 * Makes a query for each set of column names, at its first use. The names come from the code, never from a
 * caller.
 */
export function madeOnce<Made>(make: (names: readonly string[]) => Made): (names: readonly string[]) => Made {
  const made = new Map<string, Made>()
  return (names) => {
    const key = names.join()
    let query = made.get(key)
    if (query === undefined) {
      query = make(names)
      made.set(key, query)
    }
    return query
  }
}

/** The prepared statements of one database. */
export class Statements {
  readonly #db: Database
  readonly #prepared = new Map<unknown, Sqlite.Statement<unknown[], unknown>>()

  constructor(db: Database) {
    this.#db = db
  }

  run<Params extends unknown[]>(query: Query<Params, unknown>, ...params: Params): Sqlite.RunResult {
    return this.#statementOf(query).run(...params)
  }

  get<Params extends unknown[], Row>(query: Query<Params, Row>, ...params: Params): Row | undefined {
    return this.#statementOf(query).get(...params)
  }

  all<Params extends unknown[], Row>(query: Query<Params, Row>, ...params: Params): Row[] {
    return this.#statementOf(query).all(...params)
  }

  #statementOf<Params extends unknown[], Row>(query: Query<Params, Row>): Sqlite.Statement<Params, Row> {
    return (this.#prepared.get(query) as Sqlite.Statement<Params, Row>) ?? this.#prepare(query)
  }

  #prepare<Params extends unknown[], Row>(query: Query<Params, Row>): Sqlite.Statement<Params, Row> {
    const statement = query.preparedIn(this.#db)
    this.#prepared.set(query, statement as Sqlite.Statement<unknown[], unknown>)
    return statement
  }
}
