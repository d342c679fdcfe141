/**
 * The database that a sandbox stands on now. Every part of the sandbox holds this object and none holds a store, so
 * another database is put in its place by changing one reference.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { invalidSnapshot } from '../contract/errors.ts'
import { type DatabaseLocation, emptyBytes, whyNotOurs } from './database.ts'
import { putInPlace, writeUnfinished } from './files.ts'
import type { DatabaseSource } from './source.ts'
import { Database } from './sqlite.ts'
import { openStore, type Store, type StoreHooks } from './store.ts'

export class CurrentStore {
  readonly #file: string | undefined
  readonly #durability: DatabaseLocation['durability']
  readonly #watchers: Partial<StoreHooks>[] = []
  #store: Store | undefined

  constructor({ file, durability }: Omit<DatabaseLocation, 'from'>) {
    this.#file = file
    this.#durability = durability
  }

  get store(): Store {
    if (!this.#store) throw new Error('no database is open')
    return this.#store
  }

  /** Calls the hooks of every database while it is the current one, in the order in which they were given. */
  watch(hooks: Partial<StoreHooks>): void {
    this.#watchers.push(hooks)
  }

  /** Opens what the file has, and has it completed first. */
  open(complete: (store: Store) => void): void {
    this.#store = this.#openCompleted(undefined, complete)
  }

  /**
   * Makes another database, empty or as its source is, has it completed, and puts it in place of the present one. When any
   * of that fails, or the process is killed, the present one stays.
   */
  replace(source: DatabaseSource | undefined, complete: (store: Store) => void): void {
    if (this.#file === undefined) this.#replaceInMemory(source, complete)
    else this.#replaceFile(this.#file, source, complete)
  }

  #replaceInMemory(source: DatabaseSource | undefined, complete: (store: Store) => void): void {
    const next = this.#openCompleted(source?.bytes(), complete)
    this.#store?.close()
    this.#store = next
  }

  #replaceFile(file: string, source: DatabaseSource | undefined, complete: (store: Store) => void): void {
    const isDurable = this.#durability !== 'process'
    // Its log would be read as the next one's.
    this.#store?.checkpoint()
    const unfinished = writeUnfinished(file, isDurable, (unfinished) => {
      if (source) source.writeTo(unfinished)
      else writeFileSync(unfinished, emptyBytes())
      if (source) requireSandbox(unfinished)
      completeFile(unfinished, complete)
    })
    this.#store?.close()
    try {
      putInPlace(unfinished, file, isDurable)
    } finally {
      // Where that failed, it is the one that was there before.
      if (existsSync(file)) this.#store = this.#openCurrent(undefined)
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
        beforeCommit: () => ifCurrent(({ beforeCommit }) => beforeCommit?.(store)),
        rolledBack: () => ifCurrent(({ rolledBack }) => rolledBack?.(store)),
        workAdded: (dueAt) => ifCurrent(({ workAdded }) => workAdded?.(dueAt)),
      },
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
