/**
 * What a database is asked. The SQL is the same for all databases, so each query is made once a process; a database prepares it
 * when it first runs it: a sandbox uses few of them, and most sandboxes live for one test.
 */
import type Sqlite from 'better-sqlite3'
import type { Database } from './sqlite.ts'

/**
 * Ends a question for so many rows, or for one more to know whether there are others. They are sums because SQLite plans a
 * statement anew whenever a value is bound that is the whole limit: 17 µs in place of 11 for ten items of the agenda.
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

/** Each row as an object. */
export const query = <Params extends unknown[] = [], Row = unknown>(sql: string) =>
  new Query<Params, Row>(sql)

/** Of each row only the first value. */
export const valueQuery = <Params extends unknown[], Value>(sql: string) =>
  new Query<Params, Value>(sql, (statement) => statement.pluck())

/** Each row as the list of its values. */
export const listQuery = <Params extends unknown[], Row extends unknown[]>(sql: string) =>
  new Query<Params, Row>(sql, (statement) => statement.raw())

/** Makes a query for each set of names when it is first asked for; the names come from the code, never from a caller. */
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

/** What was written, to be written once more. */
interface Written {
  query: Query<unknown[], unknown>
  params: unknown[]
  /** By which work. */
  work: object
}

/** The statements of one database. What was written is remembered until it is committed, so that a part of it can be taken back. */
export class Statements {
  /** Everything that was written in this transaction, in order. */
  readonly written: Written[] = []
  /** What is writing now. */
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
