/**
 * The only source of chance. A generator is seeded and handed to the parts that draw from it, and its state is a value:
 * it is kept in the sandbox's database, so a restored or restarted sandbox goes on drawing where it was.
 */
import { randomBytes } from 'node:crypto'

/** Four 32-bit words of the sfc32 generator. */
export type RandomState = readonly [number, number, number, number]

export class Random {
  #a = 0
  #b = 0
  #c = 0
  #d = 0

  /**
   * The same seed draws the same numbers; without one they cannot be guessed. One seed has several streams, so that what
   * is drawn for one purpose leaves the others where they are.
   */
  constructor(seed?: number, stream = 1) {
    if (seed === undefined) this.restore(unguessableState())
    else this.#warmUp(seed, stream)
  }

  /** Close seeds start close together and part within a few rounds, which are therefore drawn and dropped. */
  #warmUp(seed: number, stream: number): void {
    this.restore([seed | 0, Math.floor(seed / 0x1_0000_0000) | 0, 0x9e3779b9 | 0, stream])
    for (let round = 0; round < 16; round += 1) this.next()
  }

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** A number from 0 up to, but not including, 1. */
  fraction(): number {
    return this.next() / 0x1_0000_0000
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count)
    for (let at = 0; at < count; at += 4) {
      const word = this.next()
      bytes[at] = word
      bytes[at + 1] = word >>> 8
      bytes[at + 2] = word >>> 16
      bytes[at + 3] = word >>> 24
    }
    return bytes
  }

  /** How many numbers were drawn, counted from the seed and starting over after 2^32: sfc32 counts in its fourth word. */
  drawn(): number {
    return this.#d >>> 0
  }

  state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#d]
  }

  restore(state: RandomState): void {
    ;[this.#a, this.#b, this.#c, this.#d] = state
  }
}

function unguessableState(): RandomState {
  const bytes = randomBytes(16)
  return [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)]
}
