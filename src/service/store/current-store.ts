/**
 * The current database of a sandbox. All parts of the sandbox hold this object, never a store, so replacing the database changes
 * one reference, and an unused database can be closed and reopened at the next access.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { notFound } from '../../spec/contract/errors.ts'
import { type DatabaseLocation, emptyBytes, requireSound } from './database.ts'
import { oncePerTurn, putInPlace, requireUnmoved, waitsForDisk, writeUnfinished } from './files.ts'
import { OpenDatabases, type Sleeper } from './open-databases.ts'
import type { DatabaseSource } from './source.ts'
import { onDisk } from './storage-failure.ts'
import { openStore, type Store, type StoreHooks } from './store.ts'

/** For a sleeping database in memory: most of it is empty pages, which compress to nothing at any level. */
const FAST = { level: 1 }

interface CurrentStoreHooks extends StoreHooks {
  /** Called before the database is closed, whether to sleep or for good. */
  closing(store: Store): void
}

interface CurrentStoreSetup extends Omit<DatabaseLocation, 'from'> {
  /** The open databases of the process; the store may have to sleep to make room there. */
  among?: OpenDatabases | undefined
  /** False while running work still needs the open store, which then must not sleep. */
  isAtRest?: () => boolean
}

export class CurrentStore implements Sleeper {
  readonly #file: string | undefined
  readonly #durability: DatabaseLocation['durability']
  readonly #among: OpenDatabases
  readonly #isAtRest: () => boolean
  readonly #watchers: Partial<CurrentStoreHooks>[] = []
  #store: Store | undefined
  /** Opens the database at the next access, if it is asleep or not created yet. */
  #wake: (() => Store) | undefined
  #isClosed = false
  usedAt = 0
  /** Throws if the file of the database was moved or removed while paysim runs. */
  requireFile: () => void = () => {}

  constructor({ file, durability, among = new OpenDatabases(), isAtRest = () => true }: CurrentStoreSetup) {
    this.#file = file
    this.#durability = durability
    this.#among = among
    this.#isAtRest = isAtRest
  }

  get store(): Store {
    this.usedAt = this.#among.countUse()
    return this.#store ?? this.#opened()
  }

  /** The store, if its database is open. Does not wake a database or count as a use, so that lists keep none awake. */
  get storeIfOpen(): Store | undefined {
    return this.#store
  }

  /**
   * Registers hooks that are called for each database while it is the current one, in the order of
   * registration.
   */
  watch(hooks: Partial<CurrentStoreHooks>): void {
    this.#watchers.push(hooks)
  }

  /** Opens the file's database; `complete` runs before it is used. */
  open(complete: (store: Store) => void): void {
    this.#store = this.#among.open(this, () => this.#openCompleted(undefined, complete))
  }

  /** An empty database in memory, created at its first use, because many sandboxes are never used. */
  openLater(complete: (store: Store) => void): void {
    this.#wake = () => this.#openCompleted(undefined, complete)
  }

  /**
   * Creates another database, empty or as a copy of `source`, completes it, and replaces the current one. If any step fails or
   * the process is killed, the current one stays.
   */
  replace(source: DatabaseSource | undefined, complete: (store: Store) => void): void {
    this.#requireNotClosed()
    this.#among.open(this, () => {
      if (this.#file === undefined) this.#replaceInMemory(source, complete)
      else this.#replaceFile(this.#file, source, complete)
    })
  }

  /** Closes the database until its next use. A database in memory is kept as compressed bytes. */
  sleep(): boolean {
    if (!this.#store || !this.#isAtRest()) return false
    const bytes = this.#file === undefined ? deflateRawSync(this.#store.serialize(), FAST) : undefined
    try {
      this.#closeOpen(this.#store)
    } finally {
      this.#wake = () => this.#openCurrent(bytes && inflateRawSync(bytes))
    }
    return true
  }

  /** Closes it for good, even while it sleeps or before its first use. */
  close(): void {
    this.#isClosed = true
    this.#wake = undefined
    if (this.#store) this.#closeOpen(this.#store)
  }

  #closeOpen(store: Store): void {
    store.flush()
    try {
      for (const { closing } of this.#watchers) closing?.(store)
    } finally {
      this.#store = undefined
      this.#among.closed(this)
      store.close()
    }
  }

  #opened(): Store {
    this.#requireNotClosed()
    this.#store = onDisk(() => this.#among.open(this, this.#wake!))
    this.#wake = undefined
    return this.#store
  }

  /** Throws for a removed sandbox, which a read in steps or a caller's object may still hold. */
  #requireNotClosed(): void {
    if (this.#isClosed) throw notFound('Sandbox')
  }

  #replaceInMemory(source: DatabaseSource | undefined, complete: (store: Store) => void): void {
    const next = this.#openCompleted(source?.bytes(), complete)
    this.#store?.close()
    this.#store = next
    this.#wake = undefined
  }

  #replaceFile(file: string, source: DatabaseSource | undefined, complete: (store: Store) => void): void {
    const isDurable = waitsForDisk(this.#durability)
    // Empties the write-ahead log, because a remaining log would be read as the new file's.
    this.#store?.checkpoint()
    const unfinished = writeUnfinished(file, isDurable, (unfinished) => {
      if (source) source.writeTo(unfinished)
      else writeFileSync(unfinished, emptyBytes('file'))
      if (source) requireSound(unfinished)
      completeFile(unfinished, complete)
    })
    this.#store?.close()
    this.#store = undefined
    this.#wake = () => this.#openCurrent(undefined)
    try {
      putInPlace(unfinished, file, isDurable)
    } finally {
      // If the rename failed, this opens the previous database again.
      if (existsSync(file)) this.#store = this.#wake()
    }
  }

  #openCompleted(from: Buffer | undefined, complete: (store: Store) => void): Store {
    const store = this.#openCurrent(from)
    try {
      complete(store)
      return store
    } catch (cause) {
      store.close()
      throw cause
    }
  }

  #openCurrent(from: Buffer | undefined): Store {
    const ifCurrent = (call: (hooks: Partial<StoreHooks>) => void) => {
      if (store === this.#store) this.#watchers.forEach(call)
    }
    const store: Store = openStore(
      { file: this.#file, durability: this.#durability, from },
      {
        beforeCommit: () => ifCurrent((hooks) => hooks.beforeCommit?.(store)),
        rolledBack: () => ifCurrent((hooks) => hooks.rolledBack?.(store)),
        workAdded: (dueAt) => ifCurrent((hooks) => hooks.workAdded?.(dueAt)),
      },
    )
    if (this.#file !== undefined) this.requireFile = oncePerTurn(requireUnmoved(this.#file))
    return store
  }
}

/** `process`: commits do not wait for the disk, because the whole file is flushed afterwards. */
function completeFile(file: string, complete: (store: Store) => void): void {
  const store = openStore({ file, durability: 'process' })
  try {
    complete(store)
    store.checkpoint()
  } finally {
    store.close()
  }
}
