/** Executes the faults of a request: before its operation, and after its commit. */
import type { InterruptionPlan, Interruptions, MatchedRequest } from '../../service/door/interruptions.ts'
import type { Answer } from '../../service/door/request.ts'
import type { PreparedFault } from './faults/fault.ts'

/**
 * The plan for the faults of a request. A response instead of the operation's waits until `counted`, the write of the counters,
 * is committed. `reachesOperation` is called only if the operation runs: `polls` counts only those reads.
 */
export function planOf(
  faults: PreparedFault[],
  matched: MatchedRequest,
  counted: Promise<void> | undefined,
  reachesOperation: () => void,
): ReturnType<Interruptions['beforeOperation']> {
  if (faults.some(({ before }) => before)) return runBefore()
  return planOperation()

  async function runBefore(): Promise<InterruptionPlan | undefined> {
    for (const fault of faults) {
      try {
        const instead = await fault.before?.(matched)
        if (!instead) continue
        await counted
        // A stub (`id` null) has no operation: this response replaces it, so faults after the commit apply to it too.
        if (matched.operation.id !== null) return { instead }
        return { instead: { ...instead, ...(await afterCommit(instead)) } }
      } catch (cause) {
        await counted
        throw cause
      }
    }
    return planOperation()
  }

  function planOperation(): InterruptionPlan | undefined {
    reachesOperation()
    return faults.some((fault) => fault.afterCommit) ? { afterCommit } : undefined
  }

  async function afterCommit(answer: Answer): Promise<Answer> {
    // A replay writes nothing itself with which the count would be committed.
    if (matched.isReplay) await counted
    let changed = answer
    for (const fault of faults) changed = (await fault.afterCommit?.(matched, changed)) ?? changed
    return changed
  }
}
