/**
 * One sandbox of a run, from its opening to its end. It meets the run's trouble. What a test removes by a reset, a restored
 * snapshot or a cleared journal is read before, so that it counts too.
 */
import type { Forgotten, Sandbox } from '../../sandbox/sandbox.ts'
import type { Opened } from '../../server/simulator/registered.ts'
import { controlOf } from '../../server/simulator/sandboxes-at.ts'
import { lastingOf } from '../../spec/contract/connection-fault.ts'
import { stopwatch, wallClock } from '../../spec/world/clock.ts'
import type { Ignored } from '../../tester/audit/judge.ts'
import { factsOf, type ReadBefore, type SandboxFacts } from './facts.ts'
import type { Live, RunRules } from './run-folder.ts'

export type WatchedSandbox = ReturnType<typeof watchedSandbox>

export function watchedSandbox(opened: Opened, { behaviors, ignoredRules }: RunRules) {
  const sandbox = opened.internals
  const { journal } = sandbox
  const control = controlOf(opened, 'staging')
  /** The facts of what is forgotten. */
  const forgotten: SandboxFacts[] = []
  /** The requests that those facts contain, and how often each behavior had acted since it was last armed. */
  let readBefore: ReadBefore = { request: 0, fired: [] }
  /** How often each behavior had acted before they were last armed. */
  let firedBefore: readonly number[] = []
  /** How many requests had arrived when the present state began. */
  let stateBeganAt = 0

  const arm = () => {
    if (behaviors.length > 0) sandbox.behaviors.armFromOutside(behaviors)
  }
  arm()

  /** How often each behavior of the trouble has acted. */
  const fired = () => plus(firedIn(sandbox), firedBefore)

  function present(ignored: Ignored, what: 'all' | 'requests'): SandboxFacts[] {
    const facts = factsOf(sandbox, control, ignored, readBefore, what)
    const isOfRequests = journal.arrived > stateBeganAt
    return facts.requests === 0 && (facts.money.length === 0 || !isOfRequests) ? [] : [facts]
  }

  return {
    control,

    /** What the run has to know before the end. */
    live(): Live {
      const [newest] = journal.newestFirst()
      // A client that gave up would have sent something since, or ended.
      const isSilent = newest?.fault != null && lastingOf(newest.fault) === 'patience'
      const isWaiting = newest && (newest.answeredAt === null || isSilent)
      return {
        fired: fired(),
        waiting: isWaiting
          ? { request: newest.id, since: Math.round(wallClock() - (stopwatch() - newest.begunAt)) }
          : null,
      }
    },

    /** Called before a part is removed, and reads it. The function that it returns is called after the removal. */
    forgetting(what: Forgotten): () => void {
      const isState = what === 'state'
      const facts = present(ignoredRules, isState ? 'all' : 'requests')
      const { arrived } = journal
      return () => {
        forgotten.push(...facts)
        if (isState) {
          stateBeganAt = arrived
          firedBefore = fired()
          // As in a new sandbox: with a seed, the ids that it acted upon are made again.
          arm()
        }
        readBefore = { request: arrived, fired: firedIn(sandbox) }
      }
    },

    /** Empty if no request was sent; one more for each time that journal or state were cleared before the end. */
    facts: (ignored: Ignored = ignoredRules): SandboxFacts[] => [...forgotten, ...present(ignored, 'all')],
  }
}

const firedIn = ({ behaviors }: Sandbox) => behaviors.fromOutside.map(({ fired }) => fired)

/** Adds two lists number by number; the second may be shorter. */
export const plus = (some: readonly number[], more: readonly number[]): readonly number[] =>
  some.map((count, index) => count + (more[index] ?? 0))
