/**
 * D13: a prefix that tells the resource, and 24 characters. The first six stand for how much had been drawn before, so ids
 * sort as they were made and an index grows at its end; the others tell nothing.
 */
import { customRandom } from 'nanoid'
import type { Random } from './random.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PLACE_CHARS = 6
const DRAWN_CHARS = 18

export type IdPrefix = 'chk' | 'auth' | 'ref' | 'cus' | 'pm' | 'evt' | 'dlv' | 'msg' | 'app' | 'ses'
export type Ids = (prefix: IdPrefix) => string

export function createIds(random: Random): Ids {
  const draw = customRandom(ALPHABET, DRAWN_CHARS, (count) => random.bytes(count))
  return (prefix) => `${prefix}_${written(random.drawn())}${draw()}`
}

/** In the alphabet's order, which is that of ASCII. */
function written(place: number): string {
  let text = ''
  for (let rest = place, at = 0; at < PLACE_CHARS; at += 1) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
