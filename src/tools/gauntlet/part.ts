/**
 * Takes part in a run of the gauntlet: arms the run's trouble in each sandbox, and keeps the facts of each.
 */
import type { Forgotten, Sandbox } from '../../sandbox/sandbox.ts'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import type { Attendant, Opened } from '../../server/simulator/registered.ts'
import type { Ignored } from '../../tester/conduct/judge.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { TellingFacts, WrittenFacts } from './facts.ts'
import { RunFolder, type RunRules, runOfThisProcess, type TestLabel } from './run-of-this-process.ts'
import { plus, WatchedSandbox, withDetails } from './watched-sandbox.ts'

/** The behaviors of a trouble, as `optional`: a test must not fail because one never acted. */
export const asTrouble = (name: string, behaviors: readonly Armable[]): Armable[] =>
  behaviors.map((behavior, index) => ({
    ...behavior,
    id: behavior.id ?? (behaviors.length === 1 ? name : `${name}-${index + 1}`),
  }))

/** For a simulator in a process of the tests: writes the facts to the run's folder. */
export class PartOfTests implements Attendant {
  readonly #run: RunFolder
  readonly #rules: RunRules
  readonly #live = new Map<Sandbox, { watched: WatchedSandbox; folder: string }>()
  readonly #labels = new Map<string, TestLabel>()
  readonly #atExit = () => {
    for (const sandbox of this.#live.keys()) this.ending(sandbox)
  }

  /** Undefined where this process belongs to no run. */
  static ofThisProcess(): PartOfTests | undefined {
    const run = runOfThisProcess()
    return run && new PartOfTests(run)
  }

  private constructor(run: RunFolder) {
    this.#run = run
    this.#rules = run.settings()
  }

  opened(opened: Opened): void {
    // Sandboxes of a test that fails or forgets to close its simulator are handled when the process exits.
    if (this.#live.size === 0) process.on('exit', this.#atExit)
    const watched = new WatchedSandbox(opened, this.#rules)
    this.#live.set(opened.internals, { watched, folder: this.#run.begun() })
  }

  forgetting(sandbox: Sandbox, what: Forgotten): () => void {
    return this.#live.get(sandbox)?.watched.forgetting(what) ?? (() => {})
  }

  /** Called by a test runner, before the sandbox ends, with the test that it was made for. */
  label(sandbox: string, label: TestLabel): void {
    this.#labels.set(sandbox, label)
  }

  ending(sandbox: Sandbox): void {
    const live = this.#live.get(sandbox)
    if (!live) return
    this.#live.delete(sandbox)
    if (this.#live.size === 0) process.off('exit', this.#atExit)
    const { name } = live.watched.control
    const label = this.#labels.get(name) ?? null
    const facts = live.watched.facts().map((one): WrittenFacts => ({ ...one, label, details: one.details() }))
    if (facts.length === 0) RunFolder.nothingCame(live.folder)
    else RunFolder.ended(live.folder, facts)
    this.#labels.delete(name)
  }
}

/** For the run's own simulator: keeps the facts in this process. */
export class PartOfRun implements Attendant {
  readonly #rules: RunRules
  readonly #live = new Map<Sandbox, WatchedSandbox>()
  readonly #ended: TellingFacts[] = []
  /** How often each behavior of the trouble has acted in sandboxes that have ended. */
  #firedInEnded: readonly number[]

  constructor(rules: RunRules) {
    this.#rules = rules
    this.#firedInEnded = rules.behaviors.map(() => 0)
  }

  opened(opened: Opened): void {
    this.#live.set(opened.internals, new WatchedSandbox(opened, this.#rules))
  }

  forgetting(sandbox: Sandbox, what: Forgotten): () => void {
    return this.#live.get(sandbox)?.forgetting(what) ?? (() => {})
  }

  ending(sandbox: Sandbox): void {
    const watched = this.#live.get(sandbox)
    if (!watched) return
    this.#firedInEnded = plus(this.#firedInEnded, watched.fired)
    this.#ended.push(...watched.facts().map(withDetails))
    this.#live.delete(sandbox)
  }

  /** How often each behavior of the trouble has acted until now, in all sandboxes. */
  fired(): readonly number[] {
    return [...this.#live.values()].reduce((sum, { fired }) => plus(sum, fired), this.#firedInEnded)
  }

  /** The sandboxes that have not ended. */
  controls(): SandboxControl[] {
    return [...this.#live.values()].map(({ control }) => control)
  }

  /** The facts of all sandboxes with requests; `ignored` applies to those that have not ended. */
  facts(ignored: Ignored = this.#rules.ignoredRules): TellingFacts[] {
    return [...this.#ended, ...[...this.#live.values()].flatMap((watched) => watched.facts(ignored))]
  }

  /** Called when all facts have been read: the end of the simulator adds none. */
  over(): void {
    this.#live.clear()
  }
}
