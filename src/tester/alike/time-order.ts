/**
 * Times differ from run to run, but not their order. Where both sides ran by a frozen clock, equal times must be equal on
 * both; by a running clock, what was equal on one side may be a moment later on the other.
 */

export interface TimePair {
  /** Such as `$.createdAt of step 1`. */
  role: string
  ours: string
  theirs: string
}

export interface TimeConflict<Pair extends TimePair = TimePair> {
  time: Pair
  /** Another time that shows it. */
  to: Pair
}

type Moments = Record<'ours' | 'theirs', number>

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`
/** Those within a text. */
export const WIRE_TIMES = new RegExp(`\\b${TIME}`, 'g')

const WIRE_TIME = new RegExp(`^${TIME}$`)

/** Whether both texts are times, which say no more than that both are there, and their order. */
export const areTimes = (...texts: readonly string[]): boolean => texts.every((text) => WIRE_TIME.test(text))

/** The fewest times without which the order is the same on both sides. */
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
    // Of two that contradict each other, the later answer is the one to look at.
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
