/**
 * One sandbox of a run, from its opening to its end. It meets the run's trouble. What a test removes by a reset, a restored
 * snapshot or a cleared journal is read before, so that it counts too.
 */
import type { Forgotten, Sandbox } from '../../sandbox/sandbox.ts'
import type { Opened } from '../../server/simulator/registered.ts'
import { controlOf } from '../../server/simulator/sandboxes-at.ts'
import type { Ignored } from '../../tester/conduct/judge.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { factsOf, type ReadBefore, type TellingFacts } from './facts.ts'
import { moneyOf } from './money.ts'
import type { RunRules } from './run-of-this-process.ts'
import { detailsOf } from './trail.ts'

export class WatchedSandbox {
  readonly #opened: Opened
  readonly #sandbox: Sandbox
  readonly #rules: RunRules
  /** The facts of what is forgotten. */
  readonly #forgotten: TellingFacts[] = []
  /** The requests that those facts contain, and how often each behavior had acted since it was armed last. */
  #readBefore: ReadBefore = { request: 0, fired: [] }
  /** How often each behavior had acted before they were armed last. */
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

  /** How often each behavior of the trouble has acted. */
  get fired(): readonly number[] {
    return plus(this.#firedBefore, firedIn(this.#sandbox))
  }

  /** Called before a part is removed, and reads it. The function that it returns is called after the removal. */
  forgetting(what: Forgotten): () => void {
    const isState = what === 'state'
    const facts = this.#present(this.#rules.ignoredRules, isState ? 'all' : 'requests').map(withDetails)
    const { arrived } = this.#sandbox.journal
    return () => {
      this.#forgotten.push(...facts)
      if (isState) {
        this.#stateBeganAt = arrived
        this.#firedBefore = this.fired
        // As in a new sandbox: with a seed, the ids that it acted upon come again.
        this.#arm()
      }
      this.#readBefore = { request: arrived, fired: firedIn(this.#sandbox) }
    }
  }

  /** Empty if no request came; one more for each time that journal or state were cleared before the end. */
  facts(ignored: Ignored = this.#rules.ignoredRules): TellingFacts[] {
    return [...this.#forgotten, ...this.#present(ignored, 'all')]
  }

  #arm(): void {
    const { behaviors } = this.#rules
    if (behaviors.length > 0) this.#sandbox.behaviors.armFromOutside(behaviors)
  }

  #present(ignored: Ignored, what: 'all' | 'requests'): TellingFacts[] {
    const { control } = this
    const money = moneyOf(control)
    const read = factsOf(this.#sandbox, control, ignored, this.#readBefore, what)
    // Where only the journal goes, what moved is still there at the end.
    const facts = { ...read, money: what === 'all' ? money : [] }
    const isOfRequests = this.#sandbox.journal.arrived > this.#stateBeganAt
    if (facts.requests === 0 && (facts.money.length === 0 || !isOfRequests)) return []
    return [{ ...facts, details: () => detailsOf(control, money) }]
  }
}

const firedIn = ({ behaviors }: Sandbox) => behaviors.fromOutside.map(({ fired }) => fired)

/** Adds two lists number by number; the first may be empty. */
export const plus = (some: readonly number[], more: readonly number[]): readonly number[] =>
  more.map((count, index) => (some[index] ?? 0) + count)

/** Facts that can be read when the sandbox is gone. */
export function withDetails(facts: TellingFacts): TellingFacts {
  const details = facts.details()
  return { ...facts, details: () => details }
}
