/**
 * Implements `--data FOLDER`: sandboxes are stored in files. Without it they are in memory, and nothing is written. The folder has
 * - `NAME.sqlite` and `NAME.sqlite-wal`: the database of a sandbox. `openFile` in `service/store/database.ts` locks it and
 *   applies `--durability`. `commit`, the default: a response waits until its commit is on the disk, and concurrent requests
 *   share a commit (`service/store/transactions.ts`). `process`: nothing waits for the disk;
 * - `snapshots/NAME/SNAPSHOT.sqlite`: its snapshots, which are databases too;
 * - `paysim.lock`, which keeps a second process out;
 * - `NAME.sqlite.set-aside-1`: a file that could not be served.
 *
 * The command's `start.ts` passes the option through `buildServer` in `server/simulator/server.ts` to `SandboxRegistry`. No port
 * is opened before the folder and the sandboxes named below are open. A start with a folder in use by another paysim, or with a
 * file locked by another program, fails with exit code 1; a folder that cannot be created or written to, with exit code 2.
 *
 * At a start the constructor of `SandboxRegistry` in `registry.ts` locks the folder, reads the options and the pending work of
 * each database, and removes unfinished files of a killed process. `default` and the sandboxes named by the command are opened
 * immediately, others at their first use or when their work is due; from there `Sandbox`, `CurrentStore` and `openStore` lead to
 * `openFile`.
 *
 * A file that cannot be read, has another layout (`service/store/schema.ts`), or has the API key of another sandbox, such as a
 * copy, is set aside and reported, and a new, empty sandbox replaces it. Opening reads little: damage elsewhere in a file causes
 * a 503 once it is read. If the disk cannot be read, nothing is set aside, and the start fails. A sandbox whose `ttl` has passed
 * is removed. A stored sandbox keeps its options: the command's options apply only to new ones, except `--trust-proxy`.
 * `service/store/files.ts` writes, replaces and removes the files.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { SandboxSummary } from '../../sandbox/summary.ts'
import { readDatabase } from '../../service/store/database.ts'
import {
  type Durability,
  databaseFile,
  databasesIn,
  readToTheEnd,
  requireOwnFile,
  requireUnmoved,
  type SandboxFiles,
  sandboxFiles,
  setAside,
  sweep,
} from '../../service/store/files.ts'
import { SettingTable } from '../../service/store/settings.ts'
import { Database } from '../../service/store/sqlite.ts'
import type { Statements } from '../../service/store/statements.ts'
import { asStorageFailure, isDamage } from '../../service/store/storage-failure.ts'
import { nextDueIn } from '../../service/store/store.ts'
import type { Endpoint } from '../../service/webhooks/webhooks.ts'
import { ApiError, NotStored } from '../../spec/contract/errors.ts'
import { qualifiedName } from '../../spec/environments/environment.ts'
import type { Log } from '../../spec/log.ts'
import { WrongOption } from '../../spec/options/read.ts'
import { type SandboxConfig, sandboxConfig } from '../../spec/options/sandbox.ts'
import { SandboxName, sandboxName } from '../../spec/options/values.ts'
import type { ClockState } from '../../spec/world/clock.ts'

/** What is known of a sandbox that is not open: its stored options, and the content of its database. */
export interface KnownSandbox {
  config: SandboxConfig
  summary: SandboxSummary
}

/** A file that is written and removed to test the folder. */
const PROBE = '.writable'

export class DataFolder {
  readonly #path: string
  readonly #durability: Durability
  readonly #log: Log
  /** Throws if the folder was moved or removed while paysim runs. */
  readonly requireThere: () => void
  /** Releases the folder's lock, so that another process may use it. */
  readonly unlock: () => void

  /** Creates the folder if it does not exist. */
  constructor(path: string, durability: Durability, log: Log) {
    // Without a slash at its end: a file's path would otherwise have two.
    this.#path = join(dirname(path), basename(path))
    this.#durability = durability
    this.#log = log
    this.unlock = makeAndLock(this.#path)
    this.requireThere = requireUnmoved(this.#path)
  }

  /**
   * The stored sandboxes by full name; undefined if the file was set aside. Every file is read before anything is removed:
   * SQLite's locks on them hold even if the folder's lock file was deleted.
   */
  read(): Map<string, KnownSandbox | undefined> {
    const kept = new Map<string, KnownSandbox | undefined>()
    for (const name of databasesIn(this.#path)) {
      const file = databaseFile(this.#path, name)
      // Such as `shop copy`, which has the API key of the original and would be registered before it.
      if (!SandboxName.safeParse(qualifiedName(name, 'staging').name).success) {
        this.setAside(name, new Error('its name is not that of a sandbox'))
        continue
      }
      try {
        kept.set(name, readDatabase(file, knownIn))
      } catch (cause) {
        if (isHeld(cause)) {
          // Another paysim may hold it if the folder's lock file was removed.
          throw new Error(`${file} is in use by another program. End it, or give each paysim its own folder.`)
        }
        this.setAside(name, cause)
        kept.set(name, undefined)
      }
    }
    sweep(this.#path)
    return kept
  }

  /**
   * Throws unless the folder is writable. Writes, flushes and reads a byte: creating an empty file works even on a full disk, and
   * flushing or reading may fail separately.
   */
  requireWritable(): void {
    this.requireThere()
    const file = join(this.#path, PROBE)
    try {
      writeFileSync(file, 'x', { flush: true })
      readFileSync(file)
      rmSync(file)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw new NotStored(`Cannot write to the data folder (${code})`, cause)
    }
  }

  /** Called for a new sandbox: moves away a file that another program may have put under its name since the start. */
  clearName(name: string): void {
    requireOwnFile(this.#path, name)
    if (existsSync(databaseFile(this.#path, name)))
      this.setAside(name, new Error('it was not there when paysim was started'))
  }

  filesOf(name: string): SandboxFiles {
    return sandboxFiles(this.#path, name, this.#durability)
  }

  /**
   * Renames the file of a sandbox that cannot be served, and reports it. A file whose disk fails, or that another program has
   * locked, stays: its content is unknown.
   */
  setAside(name: string, cause: unknown): void {
    const file = databaseFile(this.#path, name)
    if (isHeld(cause)) throw new NotStored(`${file} is in use by another program`, cause)
    // An invalid option does not mean that the file is damaged.
    if (!(cause instanceof Error) || (cause instanceof ApiError && cause.status === 400)) throw cause
    if (asStorageFailure(cause) instanceof NotStored && !isDamage(cause)) throw cause
    requireReadable(file)
    const aside = setAside(file)
    this.#log('error', `${file} cannot be served and is now ${aside}: ${cause.message}`)
  }
}

function knownIn(statements: Statements): KnownSandbox {
  const settings = new SettingTable(statements)
  const endpoint = settings.get<Endpoint>('webhook') ?? null
  const summary = { dueAt: nextDueIn(statements), endpoint, clock: settings.get<ClockState>('clock')! }
  return { config: settings.get<SandboxConfig>('config')!, summary }
}

/**
 * The config of a kept sandbox: the options of its creation. An option that is newer than the file gets its
 * default; the webhook is read from the database.
 */
export function configOfKept(name: string, kept: SandboxConfig): SandboxConfig {
  const { webhook: _, expiresAt, ttl, startedFrom, ...options } = kept
  const qualified = qualifiedName(name, 'staging')
  const config = sandboxConfig(sandboxName(qualified.name), {
    ...options,
    environment: qualified.environment,
  })
  return { ...config, expiresAt, ttl, startedFrom }
}

/** SQLite also reports damage if the disk cannot be read. */
function requireReadable(file: string): void {
  try {
    readToTheEnd(file)
  } catch (cause) {
    const failure = asStorageFailure(cause)
    if (failure instanceof NotStored) throw failure
  }
}

/**
 * Creates one folder after another, because Node's recursive mkdir never returns if a folder cannot be created, such as
 * below /proc.
 */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

function makeAndLock(folder: string): () => void {
  try {
    makeFolder(resolve(folder))
    accessSync(folder, constants.W_OK)
  } catch {
    throw new WrongOption('data', 'must be a writable folder', folder)
  }
  return lockFolder(folder)
}

/**
 * Lets only one process use a data folder. The lock is a lock of SQLite, which the system releases however the process ends. If
 * the lock file is removed, the locks of the sandboxes' databases still stop a second process.
 */
function lockFolder(folder: string): () => void {
  const file = join(folder, 'paysim.lock')
  let db: Database | undefined
  try {
    db = new Database(file, { timeout: 0 })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    return db.close.bind(db)
  } catch (cause) {
    db?.close()
    if (isHeld(cause)) throw new Error(`${folder} is in use by another paysim. Give each its own folder.`)
    if (hasCode(cause, 'SQLITE_NOTADB'))
      throw new Error(`${file} is not the lock file of a paysim; remove it and start again.`)
    throw new Error(`${file} cannot be locked; --data needs a folder whose files this user can write to.`)
  }
}

const isHeld = (cause: unknown): boolean => hasCode(cause, 'SQLITE_BUSY')

const hasCode = (cause: unknown, code: string) => (cause as { code?: string }).code === code
