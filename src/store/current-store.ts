/**
 * The database that a sandbox stands on now. Every part of the sandbox holds this object and none holds a store, so
 * another database is put in its place by changing one reference.
 */
import type { DatabaseLocation } from './database.ts'
import { openStore, type Store, type StoreHooks } from './store.ts'

export class CurrentStore {
  readonly #location: Omit<DatabaseLocation, 'from'>
  readonly #watchers: Partial<StoreHooks>[] = []
  readonly #hooks: StoreHooks = {
    beforeCommit: (store) => {
      for (const { beforeCommit } of this.#watchers) beforeCommit?.(store)
    },
    rolledBack: (store) => {
      for (const { rolledBack } of this.#watchers) rolledBack?.(store)
    },
    workAdded: (dueAt) => {
      for (const { workAdded } of this.#watchers) workAdded?.(dueAt)
    },
  }
  #store: Store

  constructor({ file, durability, from }: DatabaseLocation) {
    this.#location = { file, durability }
    this.#store = openStore({ file, durability, from }, this.#hooks)
  }

  get store(): Store {
    return this.#store
  }

  /** Calls the hooks of this database and of every later one, in the order in which they were given. */
  watch(hooks: Partial<StoreHooks>): void {
    this.#watchers.push(hooks)
  }

  /** Puts another database in this one's place: one that begins with these bytes, or an empty one. */
  exchange(from: Buffer | undefined): void {
    this.#store.destroy()
    this.#store = openStore({ ...this.#location, from }, this.#hooks)
  }
}
