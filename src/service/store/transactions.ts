/**
 * One request is one transaction, and several may share a commit.
 *
 * Work runs at once; its promise resolves when the commit that holds it is as durable as the database
 * promises. The commit waits for a turn of the event loop without new work, so a busy server waits for the
 * disk once for many requests. (Without that turn, of fifty connections 20 shared a commit on average; with
 * it 33.)
 *
 * Work that fails is taken back alone. That is rare, so there is no savepoint for each work: the whole
 * transaction is rolled back, and the writes of the others are run again. Savepoints copy every page that
 * they touch, which would cost a POST 9 to 11 % more CPU time, in memory and in a file (measured with fifty
 * connections).
 *
 * Values in memory, such as the clock's state, are read again from the database when a group was not
 * committed (`rolledBack`).
 */
import type Sqlite from 'better-sqlite3'
import { NotStored } from '../../spec/contract/errors.ts'
import type { Database } from './sqlite.ts'
import { Statements } from './statements.ts'
import { asStorageFailure, onDisk } from './storage-failure.ts'

let writes = 0

/** Commits at this many works at the latest, even if more arrive in every turn. */
const SHARED_MOST = 100

interface Waiting {
  resolve: () => void
  reject: (cause: unknown) => void
}

export interface TransactionHooks {
  beforeCommit(): void
  /** A whole group was rolled back: the database is as after the last commit. */
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
  /** A group was rolled back, but values in memory are not read again yet. */
  #isAhead = false
  #scheduled: NodeJS.Immediate | undefined

  constructor(db: Database, hooks: TransactionHooks) {
    this.db = db
    this.statements = new Statements(db)
    this.#hooks = hooks
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** Changes with every work that may write; no two databases ever have the same number. */
  get version(): number {
    return this.#version
  }

  /**
   * Runs synchronous work. If it throws, its writes are taken back and the promise rejects. `undo` takes back
   * the writes so far and goes on, for a refusal that is itself recorded. Work in several parts passes the
   * same `of` each time: a throw then takes back all of its parts that are not committed yet.
   */
  transact<Result>(work: (undo: () => void) => Result, of: object = {}): Promise<Result> {
    try {
      return this.#committed(this.#run(work, of))
    } catch (cause) {
      return Promise.reject(asStorageFailure(cause))
    }
  }

  /** The same, synchronously: returns after the commit, which also commits the work that was waiting. */
  transactNow<Result>(work: () => Result): Result {
    const result = onDisk(() => this.#run(work, {}))
    let failed: { cause: unknown } | undefined
    this.#waiting.push({ resolve: () => {}, reject: (cause) => (failed = { cause }) })
    this.flush()
    if (failed) throw failed.cause
    return result
  }

  /**
   * Reads. The result is given after the rows that it saw are committed; if they are not, the work reads
   * again.
   */
  read<Result>(work: () => Result): Promise<Result> | Result {
    this.#noticeLoss()
    const result = work()
    if (!this.db.inTransaction) return result
    return this.#committed(result).catch((cause) => {
      if (cause instanceof NotStored) return this.read(work)
      throw cause
    })
  }

  /** Called inside a work: these writes stay even if the work is taken back. */
  apart(write: () => void): void {
    const { work } = this.statements
    this.statements.work = {}
    write()
    this.statements.work = work
  }

  /** Commits the open transaction now; does nothing when called inside a work. */
  flush(): void {
    this.#noticeLoss()
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

  /** Rolls back the whole group after a failed commit. */
  #giveUp(group: Waiting[], cause: unknown): void {
    this.statements.written.length = 0
    this.#version = writes++
    for (const { reject } of group) reject(asStorageFailure(cause))
    this.#isAhead = true
    try {
      this.#readAgain()
    } catch {
      // The disk cannot be read. The next work tries again, and is refused while that fails.
    }
  }

  #readAgain(): void {
    this.#rollBack()
    this.#hooks.rolledBack()
    this.#isAhead = false
  }

  /**
   * SQLite rolls back by itself where it has no memory, or where a disk fails, even while it only reads. What was
   * written since the last commit is lost then.
   */
  #noticeLoss(): void {
    if (this.#waiting.length === 0 && this.statements.written.length === 0) return
    if (this.#working || this.db.inTransaction) return
    const group = this.#waiting
    this.#waiting = []
    this.#giveUp(group, new NotStored('The disk or the memory failed at a read', undefined))
  }

  #rollBack(): void {
    this.statements.rollbacks += 1
    if (this.db.inTransaction) this.db.exec('ROLLBACK')
  }

  #committed<Result>(result: Result): Promise<Result> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve: () => resolve(result), reject }))
  }

  #run<Result>(work: (undo: () => void) => Result, of: object): Result {
    const { written } = this.statements
    this.#noticeLoss()
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

  /** Takes back the writes of one work, from the place `since` on. */
  #takeBack(of: object, since: number): void {
    const { written } = this.statements
    const others = written.filter(({ work }, at) => work !== of || at < since)
    // Not in a transaction: SQLite itself has rolled it back, as the disk is full. Then the others' writes
    // are run again too.
    if (others.length === written.length && this.db.inTransaction) return
    try {
      this.#rollBack()
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
