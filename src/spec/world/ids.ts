/**
 * D13: a prefix that names the kind, and 24 characters. The first six are the count of numbers drawn before, so ids
 * sort in the order in which they were made and an index grows at its end; the others are random.
 */
import { customRandom } from 'nanoid'
import type { Random } from './random.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHARS = 24
const COUNT_CHARS = 6

export type Ids<Kind extends string> = (kind: Kind) => string

/** Makes ids of any kind: the kind's prefix and `chars` characters. */
export function createIds<Kind extends string>(
  random: Random,
  prefixes: Readonly<Record<Kind, string>>,
  chars = CHARS,
): Ids<Kind> {
  let bytes = new Uint8Array()
  const draw = customRandom(ALPHABET, chars - COUNT_CHARS, (count) => {
    if (bytes.length !== count) bytes = new Uint8Array(count)
    return random.fill(bytes)
  })
  return (kind) => `${prefixes[kind]}${sortable(random.drawn())}${draw()}`
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
