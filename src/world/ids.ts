/**
 * D13: a prefix that names the resource, and 24 characters. The first six are the count of numbers drawn before, so ids
 * sort in the order in which they were made and an index grows at its end; the other eighteen are random.
 */
import { customRandom } from 'nanoid'
import type { Random } from './random.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const COUNT_CHARS = 6
const RANDOM_CHARS = 18

export type IdPrefix = 'chk' | 'auth' | 'ref' | 'cus' | 'pm' | 'evt' | 'dlv' | 'msg' | 'app' | 'ses'
export type Ids = (prefix: IdPrefix) => string

export function createIds(random: Random): Ids {
  const draw = customRandom(ALPHABET, RANDOM_CHARS, (count) => random.bytes(count))
  return (prefix) => `${prefix}_${sortable(random.drawn())}${draw()}`
}

/** A number in base 62. The alphabet is in ASCII's order, so the texts sort as the numbers do. */
function sortable(count: number): string {
  let text = ''
  for (let rest = count, at = 0; at < COUNT_CHARS; at += 1) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
