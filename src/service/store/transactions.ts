/**
 * One request is one transaction, and several may share a commit.
 *
 * Work runs at once; its promise resolves when the commit that holds it is as durable as the database promises. The commit
 * waits for a turn of the event loop without new work, so a busy server pays for the disk once for many requests, and no
 * operation knows. Without that wait the first requests after a commit had the next one, and its fsync, for themselves
 * alone: of fifty connections 20 shared a commit on average, and now 33.
 *
 * Work that fails is taken back alone. That is rare, so instead of a savepoint for each, which would copy every page that
 * it touches, the whole is rolled back and what the others wrote is written again. Savepoints would cost a POST 9 to 11 %
 * more CPU time, in memory and in a file alike (fifty connections, so that many requests share a commit).
 *
 * What work keeps in memory, such as the generator's state, is read again from the database when a group was not committed
 * (`rolledBack`).
 */
import type Sqlite from 'better-sqlite3'
import { NotStored } from '../../spec/contract/errors.ts'
import type { Database } from './sqlite.ts'
import { Statements } from './statements.ts'
import { asStorageFailure, onDisk } from './storage-failure.ts'

let writes = 0

/** Where work arrives in every turn, the first does not wait longer than for so much. */
const SHARED_MOST = 100

interface Waiting {
  resolve: () => void
  reject: (cause: unknown) => void
}

export interface TransactionHooks {
  beforeCommit(): void
  /** A whole group was not committed: the database is as it was after the last commit. */
  rolledBack(): void
}

export class Transactions {
  protected readonly db: Database
  protected readonly statements: Statements
  readonly #hooks: TransactionHooks
  readonly #begin: Sqlite.Statement
  readonly #commit: Sqlite.Statement

  #version = writes++
  #waiting: Waiting[] = []
  #working = false
  /** A group was not committed, and what is in memory is not yet as the database is. */
  #isAhead = false
  #scheduled: NodeJS.Immediate | undefined

  constructor(db: Database, hooks: TransactionHooks) {
    this.db = db
    this.statements = new Statements(db)
    this.#hooks = hooks
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** Another number for every work that may write; no two databases ever have the same one. */
  get version(): number {
    return this.#version
  }

  /**
   * Runs synchronous work. What it throws takes all its writes back and rejects; `undo` takes back the writes made so
   * far and goes on, for a refusal that is itself to be recorded. Work in several parts gives `of` with each of them: what
   * one throws takes back the writes of all that are not committed yet.
   */
  transact<Result>(work: (undo: () => void) => Result, of: object = {}): Promise<Result> {
    try {
      return this.#committed(this.#run(work, of))
    } catch (cause) {
      return Promise.reject(asStorageFailure(cause))
    }
  }

  /** The same, synchronously: it returns when the work is committed, together with the work that was under way. */
  transactNow<Result>(work: () => Result): Result {
    const result = onDisk(() => this.#run(work, {}))
    let failed: { cause: unknown } | undefined
    this.#waiting.push({ resolve: () => {}, reject: (cause) => (failed = { cause }) })
    this.flush()
    if (failed) throw failed.cause
    return result
  }

  /** Reads; what the answer rests on is committed before it is given, or read again without it. */
  read<Result>(work: () => Result): Promise<Result> | Result {
    const result = work()
    if (!this.db.inTransaction) return result
    return this.#committed(result).catch((cause) => {
      if (cause instanceof NotStored) return work()
      throw cause
    })
  }

  /** Called inside work: what is written here stays where that work is taken back. */
  apart(write: () => void): void {
    const { work } = this.statements
    this.statements.work = {}
    write()
    this.statements.work = work
  }

  /** Commits what is under way, now; inside of work it does nothing. */
  flush(): void {
    if (!this.db.inTransaction || this.#working) return
    clearImmediate(this.#scheduled)
    const group = this.#waiting
    this.#waiting = []
    try {
      this.#hooks.beforeCommit()
      this.#commit.run()
      this.statements.written.length = 0
    } catch (cause) {
      this.#giveUp(group, cause)
      return
    }
    for (const { resolve } of group) resolve()
  }

  #commitAfterTurn(waitingBefore: number): void {
    this.#scheduled = setImmediate(() => {
      const { length } = this.#waiting
      if (length > waitingBefore && length < SHARED_MOST) this.#commitAfterTurn(length)
      else this.flush()
    })
  }

  /** Nothing of what was under way is kept. */
  #giveUp(group: Waiting[], cause: unknown): void {
    this.statements.written.length = 0
    this.#version = writes++
    for (const { reject } of group) reject(asStorageFailure(cause))
    this.#isAhead = true
    try {
      this.#readAgain()
    } catch {
      // A disk that cannot be read. The next work tries again, and is refused as long as that fails.
    }
  }

  #readAgain(): void {
    if (this.db.inTransaction) this.db.exec('ROLLBACK')
    this.#hooks.rolledBack()
    this.#isAhead = false
  }

  #committed<Result>(result: Result): Promise<Result> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve: () => resolve(result), reject }))
  }

  #run<Result>(work: (undo: () => void) => Result, of: object): Result {
    const { written } = this.statements
    if (this.#isAhead) this.#readAgain()
    if (!this.db.inTransaction) {
      this.#begin.run()
      written.length = 0
      this.#commitAfterTurn(0)
    }
    this.#version = writes++
    const before = written.length
    this.#working = true
    this.statements.work = of
    try {
      return work(() => this.#takeBack(of, before))
    } catch (cause) {
      this.#takeBack(of, 0)
      throw cause
    } finally {
      this.#working = false
    }
  }

  /** What this work has written since then. */
  #takeBack(of: object, since: number): void {
    const { written } = this.statements
    const others = written.filter(({ work }, at) => work !== of || at < since)
    // SQLite itself gives up a transaction when its disk is full.
    if (others.length === written.length && this.db.inTransaction) return
    try {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      written.length = 0
      this.#begin.run()
      for (const { query, params, work } of others) {
        this.statements.work = work
        this.statements.run(query, ...params)
      }
      this.statements.work = of
    } catch (cause) {
      const group = this.#waiting
      this.#waiting = []
      this.#giveUp(group, cause)
      throw cause
    }
  }
}
