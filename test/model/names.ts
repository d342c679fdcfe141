/** Maps the model's names to the service's ids. */
import { expect } from 'vitest'

const NAME = /\b[a-z]+\?\d+/g

export class Names {
  readonly #ids = new Map<string, string>()
  readonly #known = new Set<string>()

  copy(): Names {
    const copy = new Names()
    for (const [name, id] of this.#ids) copy.#ids.set(name, id)
    for (const id of this.#known) copy.#known.add(id)
    return copy
  }

  /** Replaces the model's names in a text by the service's ids; a name without an id stays. */
  real(text: string): string {
    return text.replaceAll(NAME, (name) => this.#ids.get(name) ?? name)
  }

  /** Learns new ids from a response; two names cannot share an id. */
  learn(expected: unknown, actual: unknown): void {
    if (typeof expected === 'string' && typeof actual === 'string') {
      if (expected.replace(NAME, '') !== '' || this.#ids.has(expected)) return
      expect(this.#known, `${expected} is called ${actual}`).not.toContain(actual)
      this.#known.add(actual)
      this.#ids.set(expected, actual)
    } else if (isObject(expected) && isObject(actual)) {
      for (const [field, value] of Object.entries(expected)) this.learn(value, actual[field])
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
