/**
 * What behaviors remember: in memory, where each request reads and changes it, and as rows in the sandbox's database. A
 * change is written with the next commit, and a commit without changes runs no statement. A request
 * and the changes that it made here are committed together, and requests that share a commit share the writes.
 */
import type { Store } from '../../service/store/store.ts'
import type { RememberedKind } from './remembered-values.ts'

interface Change {
  kind: string
  name: string
  /** Undefined for what was deleted. */
  value: unknown
}

export class Remembered {
  readonly #maps = new Map<string, RememberedMap<unknown>>()
  /** What the next commit writes. */
  #changes = new Map<string, Change>()
  /** What the last commit wrote, or tried to. */
  #written = new Map<string, Change>()

  /** The values of one kind. They are replaced and never changed in place, because only a replaced value is written. */
  map<Value>(kind: RememberedKind): RememberedMap<Value> {
    const known = this.#maps.get(kind)
    if (known) return known as RememberedMap<Value>
    const map = new RememberedMap<Value>((name, value) => {
      this.#changes.set(`${kind}\n${name}`, { kind, name, value })
    })
    this.#maps.set(kind, map as RememberedMap<unknown>)
    return map
  }

  /** Deletes a kind. Its map stays usable, and nothing of it is written any more. */
  drop(kind: RememberedKind): void {
    const map = this.#maps.get(kind)
    map?.clear()
    map?.detach()
    this.#maps.delete(kind)
  }

  /** Inside the commit. */
  write({ behaviorState }: Store): void {
    if (this.#changes.size === 0 && this.#written.size === 0) return
    this.#written = this.#changes
    this.#changes = new Map()
    for (const { kind, name, value } of this.#written.values()) {
      if (value === undefined) behaviorState.remove(kind, name)
      else behaviorState.put(kind, name, value)
    }
  }

  /** The commit failed: the next one writes the same, unless it has changed since. */
  rolledBack(): void {
    this.#changes = new Map([...this.#written, ...this.#changes])
  }

  /** Another database is in place: takes over what it has. */
  load({ behaviorState }: Store): void {
    for (const map of this.#maps.values()) map.forget()
    this.#changes = new Map()
    this.#written = new Map()
    for (const { kind, name, value } of behaviorState.list()) {
      this.map(kind as RememberedKind).load(name, JSON.parse(value))
    }
  }

  /** An empty database is in place: the next commit writes everything. */
  writeAll(): void {
    this.#changes = new Map()
    this.#written = new Map()
    for (const map of this.#maps.values()) for (const [name, value] of map) map.set(name, value)
  }
}

export class RememberedMap<Value> {
  #changed: (name: string, value: Value | undefined) => void
  readonly #values = new Map<string, Value>()

  constructor(changed: (name: string, value: Value | undefined) => void) {
    this.#changed = changed
  }

  get size(): number {
    return this.#values.size
  }

  get(name: string): Value | undefined {
    return this.#values.get(name)
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value)
    this.#changed(name, value)
  }

  delete(name: string): void {
    if (this.#values.delete(name)) this.#changed(name, undefined)
  }

  clear(): void {
    for (const name of [...this.#values.keys()]) this.delete(name)
  }

  /** In the order in which the names were first set. */
  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.#values[Symbol.iterator]()
  }

  detach(): void {
    this.#changed = () => {}
  }

  /** From the database, so nothing is to be written. */
  load(name: string, value: Value): void {
    this.#values.set(name, value)
  }

  /** The values belong to a database that is not there any more. */
  forget(): void {
    this.#values.clear()
  }
}
