/**
 * The random numbers of a sandbox, and the ids made from them. A generator has a seed, and its state is stored in the sandbox's
 * database: after a restart or a restored snapshot the sequence continues.
 */
import { randomUUID } from 'node:crypto'
import { customRandom } from 'nanoid'
import { ID_CHARS } from '../contract/ids.ts'

/** Four 32-bit words of the sfc32 generator. */
export type RandomState = readonly [number, number, number, number]

export class Random {
  #a = 0
  #b = 0
  #c = 0
  #d = 0

  /**
   * The same seed gives the same numbers; without a seed they cannot be predicted. A seed has several streams: drawing from one
   * does not change the others.
   */
  constructor(seed?: number, stream = 1) {
    if (seed === undefined) this.restore(unguessableState())
    else this.#warmUp(seed, stream)
  }

  /** Similar seeds give similar numbers at first, so the first sixteen are dropped. */
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

  fill(bytes: Uint8Array): Uint8Array {
    for (let at = 0; at < bytes.length; at += 4) {
      const word = this.next()
      bytes[at] = word
      bytes[at + 1] = word >>> 8
      bytes[at + 2] = word >>> 16
      bytes[at + 3] = word >>> 24
    }
    return bytes
  }

  /** How many numbers were drawn since the seed, modulo 2^32: sfc32 counts in its fourth word. */
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

/** From a UUID, for which Node has a reserve of random bytes: asking the system takes 40 µs each time. */
function unguessableState(): RandomState {
  const digits = randomUUID().replaceAll('-', '')
  const word = (at: number) => Number.parseInt(digits.slice(at, at + 8), 16) | 0
  return [word(0), word(8), word(16), word(24)]
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const COUNT_CHARS = 6

export type Ids<Kind extends string> = (kind: Kind) => string

/**
 * D13: an id is the prefix of its kind and `chars` characters. The first six count the numbers drawn before, so ids sort in order
 * of creation and an index grows at its end; the others are random.
 */
export function createIds<Kind extends string>(
  random: Random,
  prefixes: Readonly<Record<Kind, string>>,
  chars: number = ID_CHARS.usual,
): Ids<Kind> {
  let bytes = new Uint8Array()
  const draw = customRandom(ALPHABET, chars - COUNT_CHARS, (count) => {
    if (bytes.length !== count) bytes = new Uint8Array(count)
    return random.fill(bytes)
  })
  return (kind) => `${prefixes[kind]}${sortable(random.drawn())}${draw()}`
}

/** A number in base 62. The alphabet is in ASCII order, so the texts sort like the numbers. */
function sortable(count: number): string {
  let text = ''
  for (let rest = count, at = 0; at < COUNT_CHARS; at += 1) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
