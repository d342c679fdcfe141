/**
 * What behaviors remember, as rows in the sandbox's database. They are written in the transaction of what they are about, such
 * as the request that was counted, so they are committed and taken back with it.
 */
import type { CurrentStore } from '../../service/store/current-store.ts'
import type { RememberedKind } from './remembered-values.ts'

export class Remembered {
  readonly #database: CurrentStore
  /** Of which there may be rows. Of most there never is one, and then no request asks the database for them. */
  #kinds = new Set<string>()

  constructor(database: CurrentStore) {
    this.#database = database
  }

  /** The values of one kind. They are replaced and never changed in place, because only a replaced value is written. */
  map<Value>(kind: RememberedKind): RememberedMap<Value> {
    const rows = () => this.#database.store.behaviorState
    const readable = () => (this.#kinds.has(kind) ? rows() : undefined)
    return {
      get size() {
        return readable()?.count(kind) ?? 0
      },
      get: (name) => readable()?.get(kind, name) as Value | undefined,
      set: (name, value) => {
        this.#kinds.add(kind)
        rows().put(kind, name, value)
      },
      delete: (name) => readable()?.remove(kind, name),
      keepNewest: (most) => readable()?.keepNewest(kind, most),
      clear: () => readable()?.clear(kind),
      [Symbol.iterator]: () => ((readable()?.ofKind(kind) ?? []) as [string, Value][])[Symbol.iterator](),
    }
  }

  /** Another database is in place. */
  load(): void {
    this.#kinds = new Set(this.#database.store.behaviorState.list().map(({ kind }) => kind))
  }
}

/** Writes at once, in the transaction of what a trigger is about. */
export type Write = (write: () => void) => void

/** In the order in which the names were first set. All but reading is done inside of work. */
export interface RememberedMap<Value> extends Iterable<[name: string, value: Value]> {
  readonly size: number
  get(name: string): Value | undefined
  set(name: string, value: Value): void
  delete(name: string): void
  /** Called after each that is set: removes the oldest beyond so many. */
  keepNewest(most: number): void
  clear(): void
}
