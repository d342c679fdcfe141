/** Takes part in a run of the gauntlet: arms the run's trouble in each sandbox of a simulator, and writes its facts to the run's folder. */
import type { CrashableClient } from '../../sandbox/behaviors/faults/fault.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import type { Attendant } from '../../server/simulator/registered.ts'
import type { Ignored } from '../../tester/audit/judge.ts'
import type { RunFolder } from './run-folder.ts'
import { type WatchedSandbox, watchedSandbox } from './watched-sandbox.ts'

/** The behaviors of a trouble with ids. */
export const asTrouble = (name: string, behaviors: readonly Armable[]): Armable[] =>
  behaviors.map((behavior, index) => ({
    ...behavior,
    id: behavior.id ?? (behaviors.length === 1 ? name : `${name}-${index + 1}`),
  }))

export function partInRun(run: RunFolder, isOfTests = false, client?: CrashableClient) {
  const rules = run.settings()
  const live = new Map<Sandbox, { watched: WatchedSandbox; folder: string }>()
  const atExit = () => end()

  function ending(sandbox: Sandbox, ignored?: Ignored): void {
    const ended = live.get(sandbox)
    if (!ended) return
    live.delete(sandbox)
    if (live.size === 0) process.off('exit', atExit)
    const { watched, folder } = ended
    const label = run.labelOf(watched.control.name) ?? null
    run.writeLive(folder, { ...watched.live(), waiting: null })
    run.ended(
      folder,
      watched.facts(ignored).map((facts) => ({ ...facts, label })),
    )
  }

  /** Ends all sandboxes that have not ended. */
  function end(ignored?: Ignored): void {
    for (const sandbox of [...live.keys()]) ending(sandbox, ignored)
  }

  const attendant: Attendant = {
    /** What the sandboxes of the run assume of the service. */
    profile: rules.profile,
    opened(opened) {
      // Sandboxes of a test that fails or forgets to close its simulator end when the process exits.
      if (isOfTests && live.size === 0) process.on('exit', atExit)
      const sandbox = opened.internals
      sandbox.behaviors.client = client
      const [watched, folder] = [watchedSandbox(opened, rules), run.begun()]
      live.set(sandbox, { watched, folder })
      sandbox.journal.watch(() => run.writeLive(folder, watched.live()))
    },
    forgetting: (sandbox, what) => live.get(sandbox)?.watched.forgetting(what) ?? (() => {}),
    ending,
  }

  /** The sandboxes that have not ended. */
  const controls = () => [...live.values()].map(({ watched }) => watched.control)
  return { ...attendant, controls, end }
}
