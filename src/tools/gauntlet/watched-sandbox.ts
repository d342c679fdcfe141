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
import type { SandboxControl } from '../../tester/control/control.ts'
import { factsOf, type ReadBefore, type SandboxFacts } from './facts.ts'
import type { Live, RunRules } from './run-folder.ts'

export class WatchedSandbox {
  readonly #opened: Opened
  readonly #sandbox: Sandbox
  readonly #rules: RunRules
  /** The facts of what is forgotten. */
  readonly #forgotten: SandboxFacts[] = []
  /** The requests that those facts contain, and how often each behavior had acted since it was last armed. */
  #readBefore: ReadBefore = { request: 0, fired: [] }
  /** How often each behavior had acted before they were last armed. */
  #firedBefore: readonly number[] = []
  /** How many requests had arrived when the present state began. */
  #stateBeganAt = 0

  constructor(opened: Opened, rules: RunRules) {
    this.#opened = opened
    this.#sandbox = opened.internals
    this.#rules = rules
    this.#arm()
  }

  get control(): SandboxControl {
    return controlOf(this.#opened, 'staging')
  }

  /** What the run has to know before the end. */
  live(): Live {
    const [newest] = this.#sandbox.journal.newestFirst()
    // A client that gave up would have sent something since, or ended.
    const isSilent = newest?.fault != null && lastingOf(newest.fault) === 'patience'
    const isWaiting = newest && (newest.answeredAt === null || isSilent)
    return {
      fired: this.#fired,
      waiting: isWaiting
        ? { request: newest.id, since: Math.round(wallClock() - (stopwatch() - newest.begunAt)) }
        : null,
    }
  }

  /** Called before a part is removed, and reads it. The function that it returns is called after the removal. */
  forgetting(what: Forgotten): () => void {
    const isState = what === 'state'
    const facts = this.#present(this.#rules.ignoredRules, isState ? 'all' : 'requests')
    const { arrived } = this.#sandbox.journal
    return () => {
      this.#forgotten.push(...facts)
      if (isState) {
        this.#stateBeganAt = arrived
        this.#firedBefore = this.#fired
        // As in a new sandbox: with a seed, the ids that it acted upon are made again.
        this.#arm()
      }
      this.#readBefore = { request: arrived, fired: firedIn(this.#sandbox) }
    }
  }

  /** Empty if no request was sent; one more for each time that journal or state were cleared before the end. */
  facts(ignored: Ignored = this.#rules.ignoredRules): SandboxFacts[] {
    return [...this.#forgotten, ...this.#present(ignored, 'all')]
  }

  /** How often each behavior of the trouble has acted. */
  get #fired(): readonly number[] {
    return plus(firedIn(this.#sandbox), this.#firedBefore)
  }

  #arm(): void {
    const { behaviors } = this.#rules
    if (behaviors.length > 0) this.#sandbox.behaviors.armFromOutside(behaviors)
  }

  #present(ignored: Ignored, what: 'all' | 'requests'): SandboxFacts[] {
    const facts = factsOf(this.#sandbox, this.control, ignored, this.#readBefore, what)
    const isOfRequests = this.#sandbox.journal.arrived > this.#stateBeganAt
    return facts.requests === 0 && (facts.money.length === 0 || !isOfRequests) ? [] : [facts]
  }
}

const firedIn = ({ behaviors }: Sandbox) => behaviors.fromOutside.map(({ fired }) => fired)

/** Adds two lists number by number; the second may be shorter. */
export const plus = (some: readonly number[], more: readonly number[]): readonly number[] =>
  some.map((count, index) => count + (more[index] ?? 0))
