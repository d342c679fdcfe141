/**
 * Takes part in a run of the gauntlet: arms the run's trouble in each sandbox, and keeps the facts of each.
 */
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import type { Opened } from '../../server/simulator/registered.ts'
import type { Attendant } from '../../server/simulator/registry.ts'
import { controlOf } from '../../server/simulator/sandboxes-at.ts'
import type { Ignored } from '../../tester/conduct/judge.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { factsOf, requestsIn, type TellingFacts, type WrittenFacts } from './facts.ts'
import { RunFolder, runOfThisProcess, type TestLabel } from './run-of-this-process.ts'
import { detailsOf } from './trail.ts'

/** The behaviors of a trouble, as `optional`: a test must not fail because one never acted. */
export const asTrouble = (name: string, behaviors: readonly Armable[]): Armable[] =>
  behaviors.map((behavior, index) => ({
    ...behavior,
    id: behavior.id ?? (behaviors.length === 1 ? name : `${name}-${index + 1}`),
  }))

/** For a simulator in a process of the tests: writes the facts to the run's folder. */
export class PartOfTests implements Attendant {
  readonly #run: RunFolder
  readonly #behaviors: readonly Armable[]
  readonly #ignored: Ignored
  readonly #live = new Map<Sandbox, { opened: Opened; folder: string }>()
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
    const { behaviors, ignoredRules } = run.settings()
    this.#run = run
    this.#behaviors = behaviors
    this.#ignored = ignoredRules
  }

  opened(opened: Opened): void {
    if (this.#behaviors.length > 0) opened.internals.behaviors.armFromOutside(this.#behaviors)
    // Sandboxes of a test that fails or forgets to close its simulator are handled when the process exits.
    if (this.#live.size === 0) process.on('exit', this.#atExit)
    this.#live.set(opened.internals, { opened, folder: this.#run.begun() })
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
    const control = controlOf(live.opened, 'staging')
    if (requestsIn(control).length === 0) RunFolder.nothingCame(live.folder)
    else RunFolder.ended(live.folder, this.#factsOf(sandbox, control))
    this.#labels.delete(control.name)
  }

  #factsOf(sandbox: Sandbox, control: SandboxControl): WrittenFacts {
    const facts = factsOf(sandbox, control, this.#ignored)
    const label = this.#labels.get(control.name) ?? null
    return { ...facts, label, details: detailsOf(control, facts.money) }
  }
}

/** For the run's own simulator: keeps the facts in this process. */
export class PartOfRun implements Attendant {
  readonly #behaviors: readonly Armable[]
  readonly #live = new Map<Sandbox, Opened>()
  readonly #ended: TellingFacts[] = []
  readonly #ignored: Ignored

  constructor(behaviors: readonly Armable[], ignored: Ignored) {
    this.#behaviors = behaviors
    this.#ignored = ignored
  }

  opened(opened: Opened): void {
    if (this.#behaviors.length > 0) opened.internals.behaviors.armFromOutside(this.#behaviors)
    this.#live.set(opened.internals, opened)
  }

  ending(sandbox: Sandbox): void {
    const opened = this.#live.get(sandbox)
    this.#live.delete(sandbox)
    const control = opened && controlOf(opened, 'staging')
    if (!control || requestsIn(control).length === 0) return
    const facts = factsOf(sandbox, control, this.#ignored)
    const details = detailsOf(control, facts.money)
    this.#ended.push({ ...facts, details: () => details })
  }

  /** How often each behavior of the trouble has acted until now, in all sandboxes. */
  fired(): number[] {
    const live = [...this.#live.keys()].map(({ behaviors }) =>
      behaviors.fromOutside.map(({ fired }) => fired),
    )
    const all = [...live, ...this.#ended.map(({ fired }) => fired)]
    return this.#behaviors.map((_, index) => all.reduce((sum, fired) => sum + fired[index]!, 0))
  }

  /** The sandboxes that have not ended. */
  controls(): SandboxControl[] {
    return [...this.#live.values()].map((opened) => controlOf(opened, 'staging'))
  }

  /** The facts of all sandboxes with requests; `ignored` applies to those that have not ended. */
  facts(ignored: Ignored = this.#ignored): TellingFacts[] {
    const live = [...this.#live].flatMap(([sandbox, opened]): TellingFacts[] => {
      const control = controlOf(opened, 'staging')
      if (requestsIn(control).length === 0) return []
      const facts = factsOf(sandbox, control, ignored)
      return [{ ...facts, details: () => detailsOf(control, facts.money) }]
    })
    return [...this.#ended, ...live]
  }
}
