/**
 * Limits how many databases are open at a time: a file takes two descriptors, a database in memory some hundred KB. The least
 * recently used one is closed to make room, and reopened at its next use.
 */
export interface Sleeper {
  /** Grows with each use. */
  readonly usedAt: number
  /** Closes its database; returns false if that is not possible now. */
  sleep(): boolean
}

export class OpenDatabases {
  readonly #most: number
  readonly #open = new Set<Sleeper>()
  #uses = 0

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  get size(): number {
    return this.#open.size
  }

  /** The number of this use among those of all databases. */
  countUse(): number {
    this.#uses += 1
    return this.#uses
  }

  /** Opens a database, or replaces an open one. Databases in use stay open even beyond the limit. */
  open<Opened>(database: Sleeper, open: () => Opened): Opened {
    if (this.#open.has(database)) return open()
    if (this.#open.size >= this.#most) {
      const leastRecentFirst = [...this.#open].sort((left, right) => left.usedAt - right.usedAt)
      leastRecentFirst.some(fallsAsleep)
    }
    const opened = open()
    this.#open.add(database)
    return opened
  }

  closed(database: Sleeper): void {
    this.#open.delete(database)
  }
}

/**
 * A disk error in the evicted database does not fail the one being opened; the evicted database reports it at its next request.
 */
function fallsAsleep(database: Sleeper): boolean {
  try {
    return database.sleep()
  } catch {
    return false
  }
}
