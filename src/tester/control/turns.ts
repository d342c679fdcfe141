/** Runs long work in turns, so that it does not block other requests. */
import { stopwatch } from '../../spec/world/clock.ts'

/** Work that yields where other requests may run; after a yield, data may have changed. */
export type InTurns<Result> = Generator<undefined, Result>

/** How long one turn takes before waiting requests are answered. */
const TURN_MS = 5

/**
 * Runs work in turns, for HTTP and the pages. Starts again if the database changed during a turn: after a restore or a reset, or
 * because it slept and was reopened.
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
    if (stopwatch() - begun < TURN_MS) continue
    await new Promise<void>((resolve) => setImmediate(resolve))
    begun = stopwatch()
    if (databaseNow() !== database) {
      database = databaseNow()
      work = begin()
    }
  }
}

/** Runs work in one go, for the synchronous methods of the embedded object. */
export function atOnce<Result>(work: InTurns<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
