/**
 * Bounds how many databases are open at a time. Each takes two descriptors if it is a file, and some hundred
 * KB if it is in memory. To open one more, a database that was not used lately is put to sleep: closed, and
 * opened again at its next use.
 */
import { isOutOfDescriptors } from './storage-failure.ts'

export interface Sleeper {
  /** Whether it was used since the last call. */
  wasUsed(): boolean
  /** Closes its database; false if that is not possible now. */
  sleep(): boolean
}

/** How many are put to sleep when the process has no descriptor left. */
const SLEEP_WHEN_SHORT = 16

export class OpenDatabases {
  readonly #most: number
  /** In the order in which they are considered for sleep: one that was used moves to the end. */
  readonly #open = new Set<Sleeper>()

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  get size(): number {
    return this.#open.size
  }

  /** Opens a database; puts others to sleep first if the bound is reached. */
  open<Opened>(one: Sleeper, open: () => Opened): Opened {
    this.#open.delete(one)
    this.#putToSleep(this.#open.size + 1 - this.#most)
    const opened = this.#openOrMakeRoom(open)
    this.#open.add(one)
    return opened
  }

  closed(one: Sleeper): void {
    this.#open.delete(one)
  }

  /**
   * If no descriptor is left, puts some to sleep and tries again: the process may have fewer than expected,
   * or its connections take them.
   */
  #openOrMakeRoom<Opened>(open: () => Opened): Opened {
    try {
      return open()
    } catch (cause) {
      if (!isOutOfDescriptors(cause) || this.#putToSleep(SLEEP_WHEN_SHORT) === 0) throw cause
      return open()
    }
  }

  /**
   * Puts up to `count` to sleep and returns how many it were. Each is looked at twice at most, so when all
   * are at work, all stay open.
   */
  #putToSleep(count: number): number {
    let slept = 0
    for (let looks = 2 * this.#open.size; looks > 0 && slept < count; looks -= 1) {
      const [oldest] = this.#open
      if (!oldest!.wasUsed() && fallsAsleep(oldest!)) slept += 1
      else {
        this.#open.delete(oldest!)
        this.#open.add(oldest!)
      }
    }
    return slept
  }
}

/**
 * Ignores an error of the disk here: it must not fail the database that is to be opened. The next request of
 * the other one meets the error itself.
 */
function fallsAsleep(one: Sleeper): boolean {
  try {
    return one.sleep()
  } catch {
    return false
  }
}
