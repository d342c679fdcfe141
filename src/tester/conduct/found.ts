/** How findings say what they found. */
import { type Cents, cents } from '../../spec/contract/money.ts'

export const sumOf = (amounts: Iterable<Cents | null>): Cents | null => {
  let sum = 0
  let known = false
  for (const amount of amounts) {
    sum += amount ?? 0
    known ||= amount !== null
  }
  return known ? cents(sum) : null
}

export const idsOf = (requests: readonly { id: string }[]): string[] => requests.map(({ id }) => id)
