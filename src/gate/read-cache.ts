/**
 * What a platform read and nobody has written to since is given again as it was: whoever polls asks the same many times.
 * A read depends on the store and on the address that the platform used, and on nothing else.
 */
import type { Performed } from '../operations/operation.ts'
import type { Store } from '../store/store.ts'
import type { PlatformRequest } from './request.ts'

const KEPT_MAX_CHARS = 1_000_000

export class ReadCache {
  readonly #known = new Map<string, Performed>()
  #version = -1
  #origin = ''
  #chars = 0

  again({ version }: Store, { target, origin }: PlatformRequest, read: () => Performed): Performed {
    if (version !== this.#version || origin !== this.#origin || this.#chars > KEPT_MAX_CHARS) {
      this.#known.clear()
      this.#chars = 0
      this.#version = version
      this.#origin = origin
    }
    let performed = this.#known.get(target)
    if (!performed) {
      performed = read()
      this.#known.set(target, performed)
      this.#chars += target.length + performed.body.length
    }
    return performed
  }
}
