/** Takes part in a run of the gauntlet: arms the run's trouble in each sandbox of a simulator, and writes its facts to the run's folder. */
import type { CrashableClient } from '../../sandbox/behaviors/faults/fault.ts'
import type { Forgotten, Sandbox } from '../../sandbox/sandbox.ts'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import type { Attendant, Opened } from '../../server/simulator/registered.ts'
import type { Ignored } from '../../tester/audit/judge.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { RunFolder, RunRules } from './run-folder.ts'
import { type WatchedSandbox, watchedSandbox } from './watched-sandbox.ts'

/** The behaviors of a trouble with ids. */
export const asTrouble = (name: string, behaviors: readonly Armable[]): Armable[] =>
  behaviors.map((behavior, index) => ({
    ...behavior,
    id: behavior.id ?? (behaviors.length === 1 ? name : `${name}-${index + 1}`),
  }))

export class PartInRun implements Attendant {
  readonly #run: RunFolder
  readonly #rules: RunRules
  readonly #isOfTests: boolean
  readonly #client: CrashableClient | undefined
  readonly #live = new Map<Sandbox, { watched: WatchedSandbox; folder: string }>()
  readonly #atExit = () => this.end()

  /** What the sandboxes of the run assume of the service. */
  get profile() {
    return this.#rules.profile
  }

  constructor(run: RunFolder, isOfTests = false, client?: CrashableClient) {
    this.#run = run
    this.#client = client
    this.#rules = run.settings()
    this.#isOfTests = isOfTests
  }

  opened(opened: Opened): void {
    // Sandboxes of a test that fails or forgets to close its simulator end when the process exits.
    if (this.#isOfTests && this.#live.size === 0) process.on('exit', this.#atExit)
    const sandbox = opened.internals
    sandbox.behaviors.client = this.#client
    const live = { watched: watchedSandbox(opened, this.#rules), folder: this.#run.begun() }
    this.#live.set(sandbox, live)
    sandbox.journal.watch(() => this.#run.writeLive(live.folder, live.watched.live()))
  }

  forgetting(sandbox: Sandbox, what: Forgotten): () => void {
    return this.#live.get(sandbox)?.watched.forgetting(what) ?? (() => {})
  }

  ending(sandbox: Sandbox, ignored?: Ignored): void {
    const live = this.#live.get(sandbox)
    if (!live) return
    this.#live.delete(sandbox)
    if (this.#live.size === 0) process.off('exit', this.#atExit)
    const { watched, folder } = live
    const label = this.#run.labelOf(watched.control.name) ?? null
    this.#run.writeLive(folder, { ...watched.live(), waiting: null })
    this.#run.ended(
      folder,
      watched.facts(ignored).map((facts) => ({ ...facts, label })),
    )
  }

  /** The sandboxes that have not ended. */
  controls(): SandboxControl[] {
    return [...this.#live.values()].map(({ watched }) => watched.control)
  }

  /** Ends all sandboxes that have not ended. */
  end(ignored?: Ignored): void {
    for (const sandbox of [...this.#live.keys()]) this.ending(sandbox, ignored)
  }
}
