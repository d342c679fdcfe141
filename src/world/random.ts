/**
 * The only source of chance. A generator is seeded, handed on, and its state is a value: it is kept in the
 * sandbox's database, so a restored or restarted sandbox goes on drawing where it was.
 */
import { randomBytes } from 'node:crypto'

/** Four 32-bit words of the sfc32 generator. */
export type RandomState = readonly [number, number, number, number]

export interface Random {
  /** A whole number from 0 to 2^32 - 1. */
  next(): number
  /** A number from 0 up to, but not including, 1. */
  fraction(): number
  bytes(count: number): Uint8Array
  /** How many numbers were drawn, counted from wherever it began and starting over after 2^32. */
  drawn(): number
  state(): RandomState
  restore(state: RandomState): void
}

/**
 * The same seed draws the same numbers; without one they cannot be guessed. One seed has several streams, so that what
 * is drawn for one purpose leaves the others where they are.
 */
export function createRandom(seed?: number, stream = 1): Random {
  const random = generator()
  if (seed === undefined) random.restore(unguessableState())
  else warmUp(random, seed, stream)
  return random
}

/** Close seeds start close together and part within a few rounds, which are therefore drawn and dropped. */
function warmUp(random: Random, seed: number, stream: number): void {
  random.restore([seed | 0, Math.floor(seed / 0x1_0000_0000) | 0, 0x9e3779b9 | 0, stream])
  for (let round = 0; round < 16; round += 1) random.next()
}

function generator(): Random {
  let a = 0
  let b = 0
  let c = 0
  let d = 0

  const next = () => {
    const sum = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  return {
    next,
    fraction: () => next() / 0x1_0000_0000,
    bytes(count) {
      const bytes = new Uint8Array(count)
      for (let at = 0; at < count; at += 4) {
        const word = next()
        bytes[at] = word
        bytes[at + 1] = word >>> 8
        bytes[at + 2] = word >>> 16
        bytes[at + 3] = word >>> 24
      }
      return bytes
    },
    // The generator counts in its fourth word.
    drawn: () => d >>> 0,
    state: () => [a, b, c, d],
    restore(state) {
      ;[a, b, c, d] = state
    },
  }
}

function unguessableState(): RandomState {
  const bytes = randomBytes(16)
  return [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)]
}
