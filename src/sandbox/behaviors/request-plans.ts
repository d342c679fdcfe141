/**
 * Carries out the faults of a request: before its operation, and after its commit. What was counted for the request, such as how
 * often a behavior has fired, is committed, and taken back where the request's transaction is not committed.
 */
import type { InterruptionPlan, Interruptions, MatchedRequest } from '../../service/gate/interruptions.ts'
import type { CurrentStore } from '../../service/store/current-store.ts'
import type { PreparedFault } from './faults/fault.ts'
import type { TakeBack } from './take-back.ts'
import type { WaitingRefunds } from './waiting-refunds.ts'

export class RequestPlans {
  readonly #database: CurrentStore
  readonly #refunds: WaitingRefunds
  /** How many databases there were. */
  #databases = 0

  constructor(database: CurrentStore, refunds: WaitingRefunds) {
    this.#database = database
    this.#refunds = refunds
  }

  /** Another database is in place: what was counted before is not taken back in this one. */
  forgetCounts(): void {
    this.#databases += 1
  }

  /**
   * `given` takes back what was counted while the faults were chosen. These counts are in the commit of the request's own
   * transaction where that begins at once, and otherwise in an earlier one.
   */
  plan(
    faults: PreparedFault[],
    matched: MatchedRequest,
    given: TakeBack[],
  ): ReturnType<Interruptions['beforeOperation']> {
    const takeBacks = given.map((takeBack) => this.#onceHere(takeBack))
    const counted = this.#commit(takeBacks)
    if (faults.some(({ before }) => before)) return this.#runBefore(faults, matched, takeBacks, counted)
    return this.#planOperation(faults, matched, takeBacks)
  }

  async #runBefore(
    faults: PreparedFault[],
    matched: MatchedRequest,
    takeBacks: TakeBack[],
    counted: Promise<void> | undefined,
  ): Promise<InterruptionPlan | undefined> {
    for (const fault of faults) {
      try {
        const instead = await fault.before?.(matched)
        if (!instead) continue
        await counted
        return { instead, ...rollbackOf(takeBacks) }
      } catch (cause) {
        await counted
        throw cause
      }
    }
    return this.#planOperation(faults, matched, takeBacks)
  }

  #planOperation(
    faults: PreparedFault[],
    matched: MatchedRequest,
    takeBacks: TakeBack[],
  ): InterruptionPlan | undefined {
    try {
      const read = this.#countRead(matched)
      if (read) takeBacks.push(read)
    } catch (cause) {
      rollbackOf(takeBacks).rolledBack?.()
      throw cause
    }
    const afterCommit = faults.some((fault) => fault.afterCommit)
    if (!afterCommit && takeBacks.length === 0) return undefined
    return { ...(afterCommit && afterCommitOf(faults, matched)), ...rollbackOf(takeBacks) }
  }

  /** Called only for requests that reach the operation: `polls` counts reads that a platform saw the answer of. */
  #countRead({ operation, params }: MatchedRequest): TakeBack | undefined {
    if (operation.id !== 'refunds.get') return undefined
    const takeBack = this.#refunds.countRead(params.id ?? '')
    if (!takeBack) return undefined
    const once = this.#onceHere(takeBack)
    this.#commit([once])
    return once
  }

  /** Opens a transaction for what was counted, or joins the one under way; a read that follows waits for its commit. */
  #commit(takeBacks: TakeBack[]): Promise<void> | undefined {
    if (takeBacks.length === 0) return undefined
    const { store } = this.#database
    const committed = store.transact(() => {
      for (const takeBack of takeBacks) store.onRollback(takeBack)
    })
    // A request that does not wait for it fails with the same commit, or has gone on from an earlier one.
    committed.catch(() => {})
    return committed
  }

  /** Both a commit and the request after it may fail; and a count of another database is none of this one. */
  #onceHere(takeBack: TakeBack): TakeBack {
    const database = this.#databases
    let taken = false
    return () => {
      if (!taken && database === this.#databases) takeBack()
      taken = true
    }
  }
}

const afterCommitOf = (faults: PreparedFault[], matched: MatchedRequest): InterruptionPlan => ({
  async afterCommit(answer) {
    let changed = answer
    for (const fault of faults) changed = (await fault.afterCommit?.(matched, changed)) ?? changed
    return changed
  },
})

const rollbackOf = (takeBacks: TakeBack[]): InterruptionPlan =>
  takeBacks.length === 0
    ? {}
    : {
        rolledBack() {
          for (const takeBack of takeBacks) takeBack()
        },
      }
