/**
 * The database that a sandbox stands on now. Every part of the sandbox holds this object and none holds a store, so
 * another database is put in its place by changing one reference, and it can be closed until it is asked for again.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { invalidSnapshot, notFound } from '../../spec/contract/errors.ts'
import { type DatabaseLocation, emptyBytes, waitsForDisk, whyNotOurs } from './database.ts'
import { putInPlace, writeUnfinished } from './files.ts'
import { OpenDatabases, type Sleeper } from './open-databases.ts'
import type { DatabaseSource } from './source.ts'
import { Database } from './sqlite.ts'
import { onDisk } from './storage-failure.ts'
import { openStore, type Store, type StoreHooks } from './store.ts'
import type { WorkCounts } from './work-counts.ts'

/** Most of a database is empty pages, which compress to nothing at any level. */
const FAST = { level: 1 }

export interface CurrentStoreHooks extends StoreHooks {
  /** Before the database is closed, to sleep or for good. */
  closing(store: Store): void
  closed(): void
}

export interface CurrentStoreSetup extends Omit<DatabaseLocation, 'from' | 'isThere'> {
  /** Among which it may have to sleep. */
  among?: OpenDatabases | undefined
  /** Whether no work is under way that goes on with the open store. */
  isAtRest?: () => boolean
}

export class CurrentStore implements Sleeper {
  readonly #file: string | undefined
  readonly #durability: DatabaseLocation['durability']
  readonly #among: OpenDatabases
  readonly #isAtRest: () => boolean
  readonly #watchers: Partial<CurrentStoreHooks>[] = []
  #store: Store | undefined
  /** What opens it when it is asked for; undefined while nothing has been put in place. */
  #wake: (() => Store) | undefined
  #used = false
  #isClosed = false

  constructor({ file, durability, among = new OpenDatabases(), isAtRest = () => true }: CurrentStoreSetup) {
    this.#file = file
    this.#durability = durability
    this.#among = among
    this.#isAtRest = isAtRest
  }

  get store(): Store {
    this.#used = true
    return this.#store ?? this.#opened()
  }

  get isOpen(): boolean {
    return this.#store !== undefined
  }

  /** Calls the hooks of every database while it is the current one, in the order in which they were given. */
  watch(hooks: Partial<CurrentStoreHooks>): void {
    this.#watchers.push(hooks)
  }

  /** Opens what the file has, and has it completed first. */
  open(complete: (store: Store) => void): void {
    this.#store = this.#among.open(this, () => this.#openCompleted(undefined, complete))
  }

  /** An empty one in memory, which is made and completed when it is first asked for: many are never asked. */
  openLater(complete: (store: Store) => void): void {
    this.#wake = () => this.#openCompleted(undefined, complete)
  }

  /**
   * Makes another database, empty or as its source is, has it completed, and puts it in place of the present one. When any
   * of that fails, or the process is killed, the present one stays.
   */
  replace(source: DatabaseSource | undefined, complete: (store: Store) => void): void {
    this.#requireNotClosed()
    this.#among.open(this, () => {
      if (this.#file === undefined) this.#replaceInMemory(source, complete)
      else this.#replaceFile(this.#file, source, complete)
    })
  }

  wasUsed(): boolean {
    const used = this.#used
    this.#used = false
    return used
  }

  /** In memory, what stays is its compressed bytes. */
  sleep(): boolean {
    if (!this.#store || !this.#isAtRest()) return false
    const bytes = this.#file === undefined ? deflateRawSync(this.#store.serialize(), FAST) : undefined
    const counts = this.#store.counts()
    try {
      this.#closeOpen(this.#store)
    } finally {
      this.#wake = () => this.#openCurrent(bytes && inflateRawSync(bytes), counts)
    }
    return true
  }

  /** Resolves once all is on the disk that `close` would have to wait for. */
  async readyToClose(): Promise<void> {
    await this.#store?.readyToClose()
  }

  /** For good, also where it sleeps or was never opened. */
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
    for (const { closed } of this.#watchers) closed?.()
  }

  #opened(): Store {
    this.#requireNotClosed()
    const wake = this.#wake!
    const store = onDisk(() => this.#among.open(this, wake))
    this.#store = store
    this.#wake = undefined
    return store
  }

  /** A sandbox is removed while it is read in turns, and its object may be asked afterwards. */
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
    // Its log would be read as the next one's.
    this.#store?.checkpoint()
    const unfinished = writeUnfinished(file, isDurable, (unfinished) => {
      if (source) source.writeTo(unfinished)
      else writeFileSync(unfinished, emptyBytes('file'))
      if (source) requireSandbox(unfinished)
      completeFile(unfinished, complete)
    })
    this.#store?.close()
    this.#store = undefined
    this.#wake = () => this.#openCurrent(undefined)
    try {
      putInPlace(unfinished, file, isDurable)
    } finally {
      // Where that failed, it is the one that was there before.
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

  #openCurrent(from: Buffer | undefined, counts?: WorkCounts): Store {
    const ifCurrent = (call: (hooks: Partial<StoreHooks>) => void) => {
      if (store === this.#store) this.#watchers.forEach(call)
    }
    const store: Store = openStore(
      { file: this.#file, durability: this.#durability, from, isThere: this.#file !== undefined },
      {
        beforeCommit: () => ifCurrent(({ beforeCommit }) => beforeCommit?.(store)),
        rolledBack: () => ifCurrent(({ rolledBack }) => rolledBack?.(store)),
        workAdded: (dueAt) => ifCurrent(({ workAdded }) => workAdded?.(dueAt)),
      },
      counts,
    )
    return store
  }
}

function requireSandbox(file: string): void {
  const why = whyNotOurs(() => new Database(file))
  if (why !== undefined) throw invalidSnapshot(why)
}

/** It is flushed as a whole afterwards, so that no commit in it has to wait for the disk. */
function completeFile(file: string, complete: (store: Store) => void): void {
  const store = openStore(
    { file, durability: 'process' },
    { beforeCommit() {}, rolledBack() {}, workAdded() {} },
  )
  try {
    complete(store)
    store.checkpoint()
  } finally {
    store.close()
  }
}
