/** Work over a sandbox of any size, in turns: nothing that a tester asks may keep the requests of others waiting. */
import { stopwatch } from '../world/clock.ts'
import type { SandboxInternals } from './internals.ts'

/** It yields wherever others may have their turn; what it reads after that may have changed. */
export type InTurns<Result> = Generator<undefined, Result>

/** How long one turn takes before the requests that have arrived meanwhile are answered. */
const TURN_MS = 5

/** What has arrived by now is answered first. */
export const othersTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** For a caller that waits for it: over HTTP, and the pages. */
export async function inTurns<Result>(
  internals: SandboxInternals,
  begin: () => InTurns<Result>,
): Promise<Result> {
  let { store } = internals
  let work = begin()
  let begun = stopwatch()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (stopwatch() - begun < TURN_MS) continue
    await othersTurn()
    begun = stopwatch()
    // After a restore or a reset it is another database, and one that slept was opened anew.
    if (internals.store !== store) {
      store = internals.store
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
