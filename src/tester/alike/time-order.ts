/**
 * Compares the order of times, as the times themselves differ from run to run. If both sides ran with a
 * frozen clock, equal times must be equal on both; with a running clock, times that are equal on one side may
 * be some moments apart on the other.
 */
import { isTime } from '../../spec/contract/time.ts'

export interface TimePair {
  /** Such as `$.createdAt of step 1`. */
  role: string
  ours: string
  theirs: string
}

export interface TimeConflict<Pair extends TimePair = TimePair> {
  time: Pair
  /** Another time, in a different order to `time` on the two sides. */
  to: Pair
}

type Moments = Record<'ours' | 'theirs', number>

/** Whether all texts are times. Such values are compared only by their order. */
export const areTimes = (...texts: readonly string[]): boolean => texts.every(isTime)

/** The times to leave out so that the rest has the same order on both sides; as few as possible. */
export function timeConflicts<Pair extends TimePair>(
  times: readonly Pair[],
  frozen: boolean,
): TimeConflict<Pair>[] {
  // Each time is read once, and not for each pair: a long scenario has some hundred times.
  const read = times.map((time) => ({ time, ours: Date.parse(time.ours), theirs: Date.parse(time.theirs) }))
  const conflict = (one: Moments, other: Moments): boolean => {
    const [ours, theirs] = [Math.sign(one.ours - other.ours), Math.sign(one.theirs - other.theirs)]
    return frozen ? ours !== theirs : ours * theirs < 0
  }
  const left = new Map(
    read.map((one) => [
      one.time,
      new Set(read.filter((other) => conflict(one, other)).map(({ time }) => time)),
    ]),
  )
  const found: TimeConflict<Pair>[] = []
  for (;;) {
    let worst: Pair | undefined
    // Of two with as many conflicts the later one: it is the answer to look at.
    for (const [time, others] of left)
      if (others.size > 0 && (worst === undefined || others.size >= left.get(worst)!.size)) worst = time
    if (worst === undefined) return found
    found.push({ time: worst, to: [...left.get(worst)!].at(-1)! })
    left.delete(worst)
    for (const others of left.values()) others.delete(worst)
  }
}

const orderOf = (one: string, other: string): number => Math.sign(Date.parse(one) - Date.parse(other))

export function timeInWords({ time, to }: TimeConflict): Record<'ours' | 'theirs', string> {
  const words = (one: string, other: string) =>
    `${['earlier than', 'the same as', 'later than'][orderOf(one, other) + 1]} ${to.role}`
  return { ours: words(time.ours, to.ours), theirs: words(time.theirs, to.theirs) }
}
