/** Work over a sandbox of any size, in turns: nothing that a tester asks may keep the requests of others waiting. */
import { stopwatch } from '../../spec/world/clock.ts'

/** It yields wherever others may have their turn; what it reads after that may have changed. */
export type InTurns<Result> = Generator<undefined, Result>

/**
 * How long one turn takes before the requests that have arrived meanwhile are answered. Of no length, each step is a turn
 * of its own, and what it reads can be counted.
 */
export const TURN = { ms: 5 }

/**
 * For a caller that waits for it: over HTTP, and the pages. It begins again where the database is another one than before: after a
 * restore or a reset, or because it slept and was opened anew.
 */
export async function inTurns<Result>(
  begin: () => InTurns<Result>,
  databaseNow: () => unknown = () => undefined,
): Promise<Result> {
  let database = databaseNow()
  let work = begin()
  let begun = stopwatch()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (stopwatch() - begun < TURN.ms) continue
    await new Promise<void>((resolve) => setImmediate(resolve))
    begun = stopwatch()
    if (databaseNow() !== database) {
      database = databaseNow()
      work = begin()
    }
  }
}

/** For the embedded object, whose methods return at once. */
export function atOnce<Result>(work: InTurns<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
