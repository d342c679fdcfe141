/**
 * The behaviors' state, as rows in the sandbox's database. A row is written in the transaction of its subject, such as the
 * counted request, and is committed or rolled back with it.
 */
import type { CurrentStore } from '../../service/store/current-store.ts'

/** Kinds about the sandbox's own refunds, deliveries and events. A reset removes these resources and the values. */
const KINDS_OF_DATA = [
  'held back delivery',
  'signature fault',
  'done to',
  'reads left of a refund',
  'gate of a refund',
  'X-Sim of a key',
] as const

/** The name of a kind in the database, followed by the behavior's number for per-behavior kinds. */
export type RememberedKind =
  | (typeof KINDS_OF_DATA)[number]
  | 'random numbers'
  | 'behaviors without an id'
  | 'armed'
  | `counts of ${string}`
  | `rate windows of ${string}`

export const isOfData = (kind: string): boolean => KINDS_OF_DATA.some((name) => name === kind)

/** The values of one kind. Replace a value, never change it in place: only `set` writes it. */
export type Remembered = <Value>(kind: RememberedKind) => RememberedMap<Value>

export const rememberedIn =
  (database: CurrentStore): Remembered =>
  <Value>(kind: RememberedKind) => {
    const rows = () => database.store.behaviorState
    return {
      get size() {
        return rows().count(kind)
      },
      get: (name) => rows().get(kind, name) as Value | undefined,
      set: (name, value) => rows().put(kind, name, value),
      delete: (name) => rows().remove(kind, name),
      keepNewest: (most) => rows().keepNewest(kind, most),
      clear: () => rows().clear(kind),
      [Symbol.iterator]: () => (rows().ofKind(kind) as [string, Value][])[Symbol.iterator](),
    }
  }

/** Runs the writes in the transaction of the trigger. */
export type Write = (write: () => void) => void

/**
 * A map in the database, in the order of first assignment. Everything but reading needs a
 * transaction.
 */
export interface RememberedMap<Value> extends Iterable<[name: string, value: Value]> {
  readonly size: number
  get(name: string): Value | undefined
  set(name: string, value: Value): void
  delete(name: string): void
  /** Removes the oldest values beyond `most`; called after each `set`. */
  keepNewest(most: number): void
  clear(): void
}
