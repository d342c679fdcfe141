/**
 * Caches responses to reads until the next write, because a polling platform sends the same request many times. A response
 * depends only on the store and the address that the platform used. Without the cache, a list of twenty takes two to six times
 * the CPU time.
 */
import type { Performed } from '../operations/operation.ts'
import type { Store } from '../store/store.ts'
import type { PlatformRequest } from './request.ts'

const MAX_CHARS = 1_000_000

export class ReadCache {
  #answers = new Map<string, Performed>()
  #version = -1
  #origin = ''
  #chars = 0

  /** The response cached since the last write, or the result of `read`. */
  keptOrRead({ version }: Store, { target, origin }: PlatformRequest, read: () => Performed): Performed {
    if (version !== this.#version || origin !== this.#origin || this.#chars > MAX_CHARS) {
      // A new Map instead of `clear()`: V8's cleared Map leaves a chain of old tables that keep one another
      // alive until a full collection.
      this.#answers = new Map()
      this.#chars = 0
      this.#version = version
      this.#origin = origin
    }
    let performed = this.#answers.get(target)
    if (!performed) {
      performed = read()
      this.#answers.set(target, performed)
      this.#chars += target.length + performed.body.length
    }
    return performed
  }
}
