/**
 * Compares two texts line by line: lines that are in both, lines that differ only in an id or a time that is
 * created each time, and lines that really differ.
 */
import type { KnownIds } from '../../spec/contract/ids.ts'
import { MadeAnew } from '../../tester/alike/made-anew.ts'

type LineMark = 'same' | 'created' | 'differs'

export interface MarkedLine {
  text: string
  mark: LineMark
}

export interface MarkedTexts {
  first: readonly MarkedLine[]
  second: readonly MarkedLine[]
}

/** With more pairs of lines than this, lines are compared by position: the table would take seconds. */
const PAIRS_MAX = 4_000_000

export function markLines(first: readonly string[], second: readonly string[], ids: KnownIds): MarkedTexts {
  const madeAnew = new MadeAnew(ids)
  const lastingLines = (lines: readonly string[]) =>
    lines.map((line) => (isKey(line) ? line : madeAnew.lasting(withoutComma(line))))
  const [ours, theirs] = [lastingLines(first), lastingLines(second)]
  const pairs =
    ours.length * theirs.length <= PAIRS_MAX ? commonLines(ours, theirs) : linesInPlace(ours, theirs)
  const markedFirst = first.map((text): MarkedLine => ({ text, mark: 'differs' }))
  const markedSecond = second.map((text): MarkedLine => ({ text, mark: 'differs' }))
  for (const [at, other] of pairs) {
    const [one, another] = [markedFirst[at]!, markedSecond[other]!]
    const mark = withoutComma(one.text) === withoutComma(another.text) ? 'same' : 'created'
    one.mark = mark
    another.mark = mark
  }
  return { first: markedFirst, second: markedSecond }
}

/** The client chooses the key, so another key is a real difference. */
const isKey = (line: string) => line.startsWith('idempotency-key:')

/** The comma at the end of a line only says that another field follows. */
const withoutComma = (line: string) => line.replace(/,$/, '')

type Pair = readonly [first: number, second: number]

function linesInPlace(ours: readonly string[], theirs: readonly string[]): Pair[] {
  return ours.flatMap((line, at) => (theirs[at] === line ? [[at, at] as const] : []))
}

/** The longest sequence of lines that both have, in its order. */
function commonLines(ours: readonly string[], theirs: readonly string[]): Pair[] {
  const width = theirs.length + 1
  /** For each pair of positions, how many lines the rest of both texts has in common. */
  const lengths = new Uint32Array((ours.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column]!
  for (let row = ours.length - 1; row >= 0; row -= 1) {
    for (let column = theirs.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        ours[row] === theirs[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const pairs: Pair[] = []
  for (let row = 0, column = 0; row < ours.length && column < theirs.length; ) {
    if (ours[row] === theirs[column]) {
      pairs.push([row, column])
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return pairs
}

export const countOf = (lines: readonly MarkedLine[], mark: LineMark): number =>
  lines.filter((line) => line.mark === mark).length
