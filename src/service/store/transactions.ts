/**
 * One request is one savepoint, and several requests may share a commit. Work runs immediately; its promise resolves when its commit
 * is as durable as the database promises. The commit waits for a turn of the event loop without new work, so a busy server waits
 * for the disk once for many requests. (Without that turn, of fifty connections 20 shared a commit on average; with it 33.) Work
 * that throws is rolled back to its savepoint. If the commit fails, or SQLite rolls back by itself because the disk or the memory
 * fails, all work of the group is refused. Values in memory, such as the clock's state, are then read again from the database
 * (`rolledBack`).
 */
import type Sqlite from 'better-sqlite3'
import { NotStored } from '../../spec/contract/errors.ts'
import type { Database } from './sqlite.ts'
import { Statements } from './statements.ts'
import { asStorageFailure, onDisk } from './storage-failure.ts'

let writes = 0

/** Commits after at most this many units of work, even if more arrive in every turn. */
const SHARED_MOST = 100

interface Waiting {
  resolve: () => void
  reject: (cause: unknown) => void
}

interface TransactionHooks {
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
  readonly #savepoint: Sqlite.Statement
  readonly #release: Sqlite.Statement
  readonly #rollBackTo: Sqlite.Statement

  #version = writes++
  #waiting: Waiting[] = []
  /** Set from BEGIN until the commit or its failure is noticed, even if SQLite has rolled back on its own. */
  #isOpen = false
  /** The writes of the running work that stay if it is rolled back; undefined if no work is running. */
  #apart: (() => void)[] | undefined
  /** A group was rolled back, but values in memory are not read again yet. */
  #isAhead = false
  #scheduled: NodeJS.Immediate | undefined

  constructor(db: Database, hooks: TransactionHooks) {
    this.db = db
    this.statements = new Statements(db)
    this.#hooks = hooks
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#savepoint = db.prepare('SAVEPOINT work')
    this.#release = db.prepare('RELEASE work')
    this.#rollBackTo = db.prepare('ROLLBACK TO work')
  }

  /** Changes with all work that may write; no two databases ever have the same number. */
  get version(): number {
    return this.#version
  }

  /**
   * Runs synchronous work. If it throws, its writes are rolled back and the promise rejects. `undo` rolls back the writes so far
   * and continues, for a refusal that is itself recorded.
   */
  transact<Result>(work: (undo: () => void) => Result): Promise<Result> {
    try {
      return this.#committed(this.#run(work))
    } catch (cause) {
      return Promise.reject(asStorageFailure(cause))
    }
  }

  /** The same, synchronously: returns after the commit, which also commits the work that was waiting. */
  transactNow<Result>(work: () => Result): Result {
    const result = onDisk(() => this.#run(work))
    let failed: { cause: unknown } | undefined
    this.#waiting.push({ resolve: () => {}, reject: (cause) => (failed = { cause }) })
    this.flush()
    if (failed) throw failed.cause
    return result
  }

  /** Reads. The result is returned after the rows that it saw are committed; if that fails, the work reads again. */
  read<Result>(work: () => Result): Promise<Result> | Result {
    this.#noticeLoss()
    const result = work()
    if (!this.db.inTransaction) return result
    return this.#committed(result).catch((cause) => {
      if (cause instanceof NotStored) return this.read(work)
      throw cause
    })
  }

  /** Called inside a unit of work: these writes are run again if the work is rolled back. */
  apart(write: () => void): void {
    write()
    this.#apart?.push(write)
  }

  /** Commits the open transaction now; does nothing when called inside a work. */
  flush(): void {
    this.#noticeLoss()
    if (!this.#isOpen || this.#apart) return
    try {
      this.#hooks.beforeCommit()
      this.#commit.run()
    } catch (cause) {
      this.#giveUp(cause)
      return
    }
    for (const { resolve } of this.#endGroup()) resolve()
  }

  #commitAfterTurn(waitingBefore: number): void {
    this.#scheduled = setImmediate(() => {
      const { length } = this.#waiting
      if (length > waitingBefore && length < SHARED_MOST) this.#commitAfterTurn(length)
      else this.flush()
    })
  }

  #endGroup(): Waiting[] {
    clearImmediate(this.#scheduled)
    const group = this.#waiting
    this.#waiting = []
    this.#isOpen = false
    return group
  }

  /** Rolls back the whole group after a failed commit. */
  #giveUp(cause: unknown): void {
    this.#version = writes++
    for (const { reject } of this.#endGroup()) reject(asStorageFailure(cause))
    this.#isAhead = true
    try {
      this.#readAgain()
    } catch {
      // The disk cannot be read. The next work tries again, and is refused as long as that fails.
    }
  }

  #readAgain(): void {
    if (this.db.inTransaction) this.db.exec('ROLLBACK')
    this.#hooks.rolledBack()
    this.#isAhead = false
  }

  /**
   * SQLite rolls back by itself if it lacks memory or the disk fails, even during a read. Everything written since the last
   * commit is then lost.
   */
  #noticeLoss(): void {
    if (!this.#isOpen || this.#apart || this.db.inTransaction) return
    this.#giveUp(new NotStored('The disk or the memory failed', undefined))
  }

  #committed<Result>(result: Result): Promise<Result> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve: () => resolve(result), reject }))
  }

  #run<Result>(work: (undo: () => void) => Result): Result {
    this.#noticeLoss()
    if (this.#isAhead) this.#readAgain()
    if (!this.#isOpen) {
      this.#begin.run()
      this.#isOpen = true
      this.#commitAfterTurn(0)
    }
    this.#version = writes++
    const outer = this.#apart
    this.#apart = []
    this.#savepoint.run()
    try {
      const result = work(() => this.#undo())
      this.#requireTransaction()
      return result
    } catch (cause) {
      if (this.db.inTransaction) this.#undo()
      else if (!outer) this.#giveUp(cause)
      throw cause
    } finally {
      if (this.db.inTransaction) this.#release.run()
      this.#apart = outer
    }
  }

  #undo(): void {
    this.#requireTransaction()
    this.#rollBackTo.run()
    for (const write of this.#apart!) write()
  }

  #requireTransaction(): void {
    if (!this.db.inTransaction) throw new NotStored('The disk or the memory failed', undefined)
  }
}
