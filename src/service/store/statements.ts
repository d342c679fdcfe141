/**
 * Queries and the statements that run them. The SQL is the same for all databases, so a query is made once a
 * process. A database prepares its statement at the first run: a sandbox uses few of them, and most sandboxes
 * live for one test.
 */
import type Sqlite from 'better-sqlite3'
import type { Database } from './sqlite.ts'

/**
 * The end of a query for so many rows, or for one more to see whether there are others. With a sum, SQLite
 * keeps its plan: a bound value alone as the limit is planned anew each time (17 µs instead of 11 for ten
 * items of the agenda).
 */
export const LIMIT = 'LIMIT ? + 0'
export const LIMIT_AND_ONE_MORE = 'LIMIT ? + 1'

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

/** A write of the open transaction, kept so that it can be run again. */
interface Written {
  query: Query<unknown[], unknown>
  params: unknown[]
  /** The work that wrote it. */
  work: object
}

/**
 * The statements of one database. Remembers the writes of the open transaction, so that those of one work can
 * be taken back.
 */
export class Statements {
  /** Everything that was written in this transaction, in order. */
  readonly written: Written[] = []
  /** The work that writes now. */
  work: object = {}
  readonly #db: Database
  readonly #prepared = new Map<unknown, Sqlite.Statement<unknown[], unknown>>()

  constructor(db: Database) {
    this.#db = db
  }

  run<Params extends unknown[]>(query: Query<Params, unknown>, ...params: Params): Sqlite.RunResult {
    const result = this.#statementOf(query).run(...params)
    this.written.push({ query: query as unknown as Written['query'], params, work: this.work })
    return result
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
