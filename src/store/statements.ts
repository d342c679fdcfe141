/** SQL that is prepared when it is first run: a sandbox uses few of its statements, and most sandboxes live for one test. */
import type Sqlite from 'better-sqlite3'
import type { Database } from './sqlite.ts'

export class Statements {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  prepare<Params extends unknown[] = [], Row = unknown>(sql: string): Statement<Params, Row> {
    return new Statement(() => this.#db.prepare(sql))
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }
}

export class Statement<Params extends unknown[], Row> {
  #prepare: () => Sqlite.Statement<Params, Row>
  #prepared: Sqlite.Statement<Params, Row> | undefined

  constructor(prepare: () => Sqlite.Statement<Params, Row>) {
    this.#prepare = prepare
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
    return this.#ready().run(...params)
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
