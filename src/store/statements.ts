/**
 * SQL that is prepared when it is first run: a sandbox uses few of its statements, and most sandboxes live for one test.
 * What was written is remembered until it is committed, so that a part of it can be taken back.
 */
import type Sqlite from 'better-sqlite3'
import type { Database } from './sqlite.ts'

/**
 * Ends a question for so many rows, or for one more to know whether there are others. They are sums because SQLite plans a
 * statement anew whenever a value is bound that is the whole limit: 17 µs in place of 11 for ten items of the agenda.
 */
export const LIMIT = 'LIMIT ? + 0'
export const LIMIT_AND_ONE_MORE = 'LIMIT ? + 1'

/** What was written, to be written once more. */
interface Written {
  statement: { run(...params: unknown[]): unknown }
  params: unknown[]
}

export class Statements {
  readonly #db: Database
  /** Everything that was written in this transaction, in order. */
  readonly written: Written[] = []
  readonly #onWritesTakenBack: (() => void)[] = []

  constructor(db: Database) {
    this.#db = db
  }

  prepare<Params extends unknown[] = [], Row = unknown>(sql: string): Statement<Params, Row> {
    return new Statement(() => this.#db.prepare(sql), this.written)
  }

  /** Called each time that writes are taken back, for as long as the database is open. */
  onWritesTakenBack(forget: () => void): void {
    this.#onWritesTakenBack.push(forget)
  }

  writesTakenBack(): void {
    for (const forget of this.#onWritesTakenBack) forget()
  }
}

export class Statement<Params extends unknown[], Row> {
  #prepare: () => Sqlite.Statement<Params, Row>
  #prepared: Sqlite.Statement<Params, Row> | undefined

  readonly #written: Written[]

  constructor(prepare: () => Sqlite.Statement<Params, Row>, written: Written[]) {
    this.#prepare = prepare
    this.#written = written
  }

  /** Of each row only the first value. */
  pluck(): this {
    const prepare = this.#prepare
    this.#prepare = () => prepare().pluck()
    return this
  }

  /** Each row as the list of its values. */
  raw(): this {
    const prepare = this.#prepare
    this.#prepare = () => prepare().raw()
    return this
  }

  run(...params: Params): Sqlite.RunResult {
    const result = this.#ready().run(...params)
    this.#written.push({ statement: this as Written['statement'], params })
    return result
  }

  get(...params: Params): Row | undefined {
    return this.#ready().get(...params)
  }

  all(...params: Params): Row[] {
    return this.#ready().all(...params)
  }

  #ready(): Sqlite.Statement<Params, Row> {
    this.#prepared ??= this.#prepare()
    return this.#prepared
  }
}
