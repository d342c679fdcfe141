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
 * What work changes in memory is changed at once, because the work after it in the same group has to see it, and is
 * taken back together with the work's writes: by `onRollback` for a change that has no row, by `rolledBack` for what can
 * be read again from the database.
 */
import { NotStored } from '../contract/errors.ts'
import type { Database } from './sqlite.ts'
import type { Statements } from './statements.ts'
import { asStorageFailure, onDisk } from './storage-failure.ts'

export interface Transactions {
  /**
   * Runs synchronous work. What it throws takes all its writes back and rejects; `undo` takes back the writes made so
   * far and goes on, for a refusal that is itself to be recorded.
   */
  transact<Result>(work: (undo: () => void) => Result): Promise<Result>
  /** The same, synchronously: it returns when the work is committed, together with the work that was under way. */
  transactNow<Result>(work: () => Result): Result
  /** Reads; what the answer rests on is committed before it is given, or read again without it. */
  read<Result>(work: () => Result): Promise<Result> | Result
  /**
   * Called inside work, with what takes back a change that it has just made in memory. Outside of work there is nothing
   * to roll back, and nothing is called. The last change is taken back first.
   */
  onRollback(takeBack: () => void): void
  /** Commits what is under way, now; inside of work it does nothing. */
  flush(): void
  /** Another number for every work that may write; no two databases ever have the same one. */
  readonly version: number
}

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

export function transactions(
  db: Database,
  statements: Statements,
  { beforeCommit, rolledBack }: TransactionHooks,
): Transactions {
  const { written } = statements
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')

  let version = writes++
  let waiting: Waiting[] = []
  /** Takes back what the work of this group changed in memory, in the order of the changes. */
  const inMemory: (() => void)[] = []
  let working = false
  let scheduled: NodeJS.Immediate | undefined

  function commitAfterTurn(waitingBefore: number): void {
    scheduled = setImmediate(() => {
      const { length } = waiting
      if (length > waitingBefore && length < SHARED_MOST) commitAfterTurn(length)
      else flush()
    })
  }

  function flush(): void {
    if (!db.inTransaction || working) return
    clearImmediate(scheduled)
    const group = waiting
    waiting = []
    try {
      beforeCommit()
      commit.run()
      written.length = 0
      inMemory.length = 0
    } catch (cause) {
      giveUp(group, cause)
      return
    }
    for (const { resolve } of group) resolve()
  }

  /** Nothing of what was under way is kept. */
  function giveUp(group: Waiting[], cause: unknown): void {
    written.length = 0
    version = writes++
    for (const { reject } of group) reject(asStorageFailure(cause))
    if (db.inTransaction) rollback.run()
    statements.rolledBack()
    takeBackInMemory(0)
    rolledBack()
  }

  function takeBackInMemory(before: number): void {
    while (inMemory.length > before) inMemory.pop()?.()
  }

  const committed = <Result>(result: Result) =>
    new Promise<Result>((resolve, reject) => waiting.push({ resolve: () => resolve(result), reject }))

  function run<Result>(work: (undo: () => void) => Result): Result {
    if (!db.inTransaction) {
      begin.run()
      written.length = 0
      commitAfterTurn(0)
    }
    version = writes++
    const before = written.length
    const beforeInMemory = inMemory.length
    const undo = () => {
      takeBackInMemory(beforeInMemory)
      takeBack(before)
    }
    working = true
    try {
      return work(undo)
    } catch (cause) {
      undo()
      throw cause
    } finally {
      working = false
    }
  }

  /** Everything that was written since then. */
  function takeBack(before: number): void {
    // SQLite itself gives up a transaction when its disk is full.
    if (written.length <= before && db.inTransaction) return
    const others = written.slice(0, before)
    try {
      if (db.inTransaction) rollback.run()
      statements.rolledBack()
      written.length = 0
      begin.run()
      for (const { statement, params } of others) statement.run(...params)
    } catch (cause) {
      const group = waiting
      waiting = []
      giveUp(group, cause)
      throw cause
    }
  }

  return {
    flush,
    onRollback(takeBack) {
      if (working) inMemory.push(takeBack)
    },
    get version() {
      return version
    },
    transact(work) {
      try {
        return committed(run(work))
      } catch (cause) {
        return Promise.reject(asStorageFailure(cause))
      }
    },
    transactNow(work) {
      const result = onDisk(() => run(work))
      let failed: { cause: unknown } | undefined
      waiting.push({ resolve: () => {}, reject: (cause) => (failed = { cause }) })
      flush()
      if (failed) throw failed.cause
      return result
    },
    read(work) {
      const result = work()
      if (!db.inTransaction) return result
      return committed(result).catch((cause) => {
        if (cause instanceof NotStored) return work()
        throw cause
      })
    },
  }
}
