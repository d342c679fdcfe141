/**
 * One request is one transaction, and several may share a commit.
 *
 * Work runs at once, inside a savepoint of its own; its promise resolves when the commit that holds it is as durable
 * as the database promises. Whatever arrives before the event loop comes round again joins the same commit, so a
 * busy server pays for the disk once for many requests, and no operation knows.
 */
import type { Statements } from './statements.ts'

export interface Transactions {
  /**
   * Runs synchronous work. What it throws takes all its writes back and rejects; `undo` takes back the writes made so
   * far and goes on, for a refusal that is itself to be recorded.
   */
  transact<Result>(work: (undo: () => void) => Result): Promise<Result>
  /** The same at once: whoever waits for nothing gets the result when it is committed, together with what was under way. */
  transactNow<Result>(work: () => Result): Result
  /** Reads; what the answer rests on is committed before it is given. */
  read<Result>(work: () => Result): Promise<Result> | Result
  /** Commits what is under way, now. */
  flush(): void
  /** Another number after every write; no two databases ever have the same one. */
  readonly version: number
}

let writes = 0

interface Waiting {
  resolve: () => void
  reject: (cause: unknown) => void
}

export function transactions(db: Statements, beforeCommit: () => void): Transactions {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT request')
  const undo = db.prepare('ROLLBACK TO request')
  const release = db.prepare('RELEASE request')

  let version = writes++
  let waiting: Waiting[] = []
  let scheduled: NodeJS.Immediate | undefined

  function flush(): void {
    if (!db.inTransaction) return
    clearImmediate(scheduled)
    const group = waiting
    waiting = []
    try {
      beforeCommit()
      commit.run()
    } catch (cause) {
      if (db.inTransaction) rollback.run()
      version = writes++
      for (const { reject } of group) reject(cause)
      return
    }
    for (const { resolve } of group) resolve()
  }

  const committed = <Result>(result: Result) =>
    new Promise<Result>((resolve, reject) => waiting.push({ resolve: () => resolve(result), reject }))

  function run<Result>(work: (undo: () => void) => Result): Result {
    if (!db.inTransaction) {
      begin.run()
      scheduled = setImmediate(flush)
    }
    version = writes++
    savepoint.run()
    try {
      return work(() => undo.run())
    } catch (cause) {
      undo.run()
      throw cause
    } finally {
      release.run()
    }
  }

  return {
    flush,
    get version() {
      return version
    },
    transact(work) {
      try {
        return committed(run(work))
      } catch (cause) {
        return Promise.reject(cause)
      }
    },
    transactNow(work) {
      const result = run(work)
      let failed: { cause: unknown } | undefined
      waiting.push({ resolve: () => {}, reject: (cause) => (failed = { cause }) })
      flush()
      if (failed) throw failed.cause
      return result
    },
    read(work) {
      const result = work()
      return db.inTransaction ? committed(result) : result
    },
  }
}
