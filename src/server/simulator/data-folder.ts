/**
 * What `--data FOLDER` does: it keeps the sandboxes in files. Without it they are in memory, and nothing is written.
 * The folder has
 *
 * - `NAME.sqlite` and `NAME.sqlite-wal`: the database of a sandbox. `openFile` in `service/store/database.ts` locks it and sets what
 *   `--durability` says. `commit`, the default: an answer waits until its commit is on the disk, and requests of the same moment share
 *   one (`service/store/transactions.ts`). `process`: nothing waits for the disk;
 * - `snapshots/NAME/SNAPSHOT.sqlite`: its snapshots, databases too;
 * - `paysim.lock`, which keeps a second process out;
 * - `paysim.index`, by which a start knows the sandboxes without opening their databases;
 * - `NAME.sqlite.set-aside-1`: a file that could not be served.
 *
 * The option comes from `start.ts` of the commands by `buildServer` in `server/simulator/server.ts` and `SandboxRegistry`.
 * Nothing listens before the folder and the sandboxes named below are open. A folder that another paysim uses, or whose file another
 * program holds, ends the start with a sentence and exit code 1; one that cannot be made or written to, with exit code 2.
 *
 * At a start the constructor of `SandboxRegistry` in `registry.ts` locks the folder and reads the index, and of databases that the index
 * does not know, such as those of a process that was killed or of another version, their options. What cannot be served is set aside,
 * and what a killed process left unfinished is removed. `default`, the sandboxes that the command names and those that the index does not
 * know are opened at once, others when they are asked for or when their work is due; `Sandbox`, `CurrentStore` and `openStore` lead from
 * there to `openFile`. Opening brings an older schema up to date. It reads little: damage elsewhere in a file is a 503 once it is read. In
 * place of a `default` that was set aside, or of a sandbox that the command names, a new and empty one is made. A file with the API key of
 * another sandbox, such as a copy, is set aside too. One that is opened later and cannot be served is set aside then, and its key is
 * unknown. Where the disk cannot be read nothing is set aside, and the start ends. A sandbox
 * whose `ttl` has passed is removed. A kept sandbox keeps its options: those of the command count for new ones only, but for
 * `--trust-proxy`.
 *
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
import { isDeepStrictEqual } from 'node:util'
import type { SandboxSummary } from '../../sandbox/summary.ts'
import { readSetting } from '../../service/store/database.ts'
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
import { KeptIndex } from '../../service/store/kept-index.ts'
import { Database } from '../../service/store/sqlite.ts'
import { asStorageFailure, isDamage } from '../../service/store/storage-failure.ts'
import { ApiError, NotStored } from '../../spec/contract/errors.ts'
import { qualifiedName } from '../../spec/environments/environment.ts'
import type { Log } from '../../spec/log.ts'
import { WrongOption } from '../../spec/options/read.ts'
import { type SandboxConfig, sandboxConfig } from '../../spec/options/sandbox.ts'
import { sandboxName } from '../../spec/options/values.ts'
import { VERSION } from '../../spec/package.ts'

/** What the index says of a sandbox: its options as they were kept, and what is in its database. */
export interface KnownSandbox {
  config: SandboxConfig
  summary: SandboxSummary
}

/** A sandbox that the folder has at the start; with a summary if the index has one. */
export type KeptSandbox = Omit<KnownSandbox, 'summary'> & Partial<KnownSandbox>

/** A file that is written and removed, to test the folder. */
const PROBE = '.writable'

export class DataFolder {
  readonly #path: string
  readonly #durability: Durability
  readonly #log: Log
  readonly #index: KeptIndex<KnownSandbox>
  /** Throws if the folder was moved or removed while paysim runs. */
  readonly requireThere: () => void
  /** Releases the folder's lock, so that another process may use it. */
  readonly unlock: () => void

  /** Makes the folder if it does not exist. */
  constructor(path: string, durability: Durability, log: Log) {
    // Without a slash at its end: a file's path would otherwise have two.
    this.#path = join(dirname(path), basename(path))
    this.#durability = durability
    this.#log = log
    this.unlock = makeAndLock(this.#path)
    this.requireThere = requireUnmoved(this.#path)
    this.#index = new KeptIndex(this.#path, VERSION)
  }

  /**
   * The kept sandboxes by their full names, with the options that they were created with. Every file that the index does not
   * know is tried before anything is removed: SQLite's locks on them hold even where the folder's lock file is gone.
   */
  read(): Map<string, KeptSandbox> {
    const known = this.#index.read()
    const kept = new Map<string, KeptSandbox>()
    for (const name of databasesIn(this.#path)) {
      const file = databaseFile(this.#path, name)
      try {
        kept.set(name, known.get(name) ?? { config: readSetting(file, 'config') as SandboxConfig })
      } catch (cause) {
        if (isHeld(cause)) throw heldByAnother(file)
        this.#setAside(file, cause)
      }
    }
    sweep(this.#path)
    return kept
  }

  /**
   * Throws unless the folder can be written to. Writes, flushes and reads a byte: an empty file can be made
   * even on a full disk, and flushing or reading may fail alone.
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
      throw new NotStored(`The data folder cannot be written to (${code})`, cause)
    }
  }

  /** Called when the database of a sandbox has been closed; updates the index. */
  closed(name: string, config: SandboxConfig, summary: SandboxSummary): void {
    this.#index.put(name, { config: withoutDefaults(name, config), summary })
  }

  /**
   * Called for a new sandbox: moves a file away that another program may have put under its name since the
   * start.
   */
  clearName(name: string): void {
    requireOwnFile(this.#path, name)
    const file = databaseFile(this.#path, name)
    if (existsSync(file)) this.#setAside(file, new Error('it was not there when paysim was started'))
  }

  cannotServe(name: string, cause: unknown): void {
    // A refused option is no fault of the file.
    if (cause instanceof ApiError && cause.status === 400) throw cause
    this.#setAside(databaseFile(this.#path, name), cause)
  }

  /** A file that another program holds ends a start with a sentence that names it; later a request for it gets 503. */
  cannotServeAtStart(name: string, cause: unknown): void {
    if (isHeld(cause)) throw heldByAnother(databaseFile(this.#path, name))
    this.cannotServe(name, cause)
  }

  filesOf(name: string): SandboxFiles {
    return sandboxFiles(this.#path, name, this.#durability)
  }

  /**
   * Renames a file that cannot be served. One whose disk fails, or that another program has locked, stays:
   * its content is unknown.
   */
  #setAside(file: string, cause: unknown): void {
    if (isHeld(cause)) throw new NotStored(`${file} is in use by another program`, cause)
    if (!(cause instanceof Error)) throw cause
    if (asStorageFailure(cause) instanceof NotStored && !isDamage(cause)) throw cause
    requireReadable(file)
    const aside = setAside(file)
    this.#log('error', `${file} cannot be served and is now ${aside}: ${cause.message}`)
  }
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

/**
 * Shortens the line in the index: most sandboxes have few options of their own, and a start reads all lines.
 */
function withoutDefaults(name: string, config: SandboxConfig): SandboxConfig {
  const { environment, name: plain } = qualifiedName(name, 'staging')
  const usual = sandboxConfig(plain, { environment, profile: config.profile })
  const isOwn = ([option, value]: [string, unknown]) =>
    option === 'apiKey' || !isDeepStrictEqual(value, usual[option as keyof SandboxConfig])
  return Object.fromEntries(Object.entries(config).filter(isOwn)) as SandboxConfig
}

/** SQLite takes it for damage, too, where the disk fails to read. */
function requireReadable(file: string): void {
  try {
    readToTheEnd(file)
  } catch (cause) {
    const failure = asStorageFailure(cause)
    if (failure instanceof NotStored) throw failure
  }
}

/**
 * Makes one folder after another: Node's recursive mkdir never ends where a folder cannot be made, such as
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
    throw new WrongOption('data', 'must be a folder that can be made and written to', folder)
  }
  return lockFolder(folder)
}

/**
 * Lets only one process use a data folder. The lock is one of SQLite's, which the system releases when the
 * process ends in any way. If the lock's file is removed, the locks of the sandboxes' databases still stop a
 * second process.
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
    if (isHeld(cause)) throw folderInUse(folder)
    if (hasCode(cause, 'SQLITE_NOTADB'))
      throw new Error(`${file} is not the lock file of a paysim; remove it and start again.`)
    throw new Error(`${file} cannot be locked; --data needs a folder whose files this user can write to.`)
  }
}

const isHeld = (cause: unknown): boolean => hasCode(cause, 'SQLITE_BUSY')

const hasCode = (cause: unknown, code: string) => (cause as { code?: string }).code === code

const folderInUse = (folder: string) =>
  new Error(`${folder} is in use by another paysim; give each one a folder of its own.`)

/** Another paysim holds it too where the folder's lock file was removed. */
const heldByAnother = (file: string) =>
  new Error(`${file} is in use by another program; end that, or give each paysim a folder of its own.`)
