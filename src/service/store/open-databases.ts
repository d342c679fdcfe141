/**
 * How many databases are open at a time. Each takes two descriptors where it is a file, and some hundred KB where it is in
 * memory. One more makes one that was not used lately sleep: it is closed, and opened again when it is asked for.
 */
import { isOutOfDescriptors } from './storage-failure.ts'

export interface Sleeper {
  /** Whether it was used since it was asked this the last time. */
  wasUsed(): boolean
  /** Closes its database; false where that cannot be now. */
  sleep(): boolean
}

/** How many sleep where the process can open nothing more. */
const SLEEP_WHEN_SHORT = 16

export class OpenDatabases {
  readonly #most: number
  /** In the order in which they are looked at: one that was used is looked at again after all the others. */
  readonly #open = new Set<Sleeper>()

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  get size(): number {
    return this.#open.size
  }

  /** Opens the database of this one, with others asleep where that is one too many. */
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

  /** The process may be allowed fewer descriptors than expected, or its connections take them. */
  #openOrMakeRoom<Opened>(open: () => Opened): Opened {
    try {
      return open()
    } catch (cause) {
      if (!isOutOfDescriptors(cause) || this.#putToSleep(SLEEP_WHEN_SHORT) === 0) throw cause
      return open()
    }
  }

  /** How many sleep now. Each is looked at twice at most, so all may stay open where all are at work. */
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

/** A disk that fails here is no reason to refuse the one that is to be opened; its own next request meets it. */
function fallsAsleep(one: Sleeper): boolean {
  try {
    return one.sleep()
  } catch {
    return false
  }
}
