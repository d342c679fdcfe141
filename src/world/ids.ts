/** D13: a prefix that tells the resource, and 24 characters that tell nothing. */
import { customRandom } from 'nanoid'
import type { Random } from './random.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 24

export type IdPrefix = 'chk' | 'auth' | 'ref' | 'cus' | 'pm' | 'evt' | 'dlv' | 'msg' | 'app' | 'ses'
export type Ids = (prefix: IdPrefix) => string

export function createIds(random: Random): Ids {
  const draw = customRandom(ALPHABET, LENGTH, (count) => random.bytes(count))
  return (prefix) => `${prefix}_${draw()}`
}
