/** A command with all that it starts: npm starts a shell, which starts the tests. Signals reach all of them. */
import { type ChildProcess, spawnSync } from 'node:child_process'

export const IS_WINDOWS = process.platform === 'win32'

/** For `spawn`. Windows has no groups: there the tree of processes takes their place. */
export const OWN_GROUP = { detached: !IS_WINDOWS } as const

/** The group may have ended already. */
export function signalGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  // Windows has no SIGTERM that a program could hear: the tree is ended at once. A kill of the child would end its shell alone.
  if (IS_WINDOWS) return void spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
  try {
    process.kill(-child.pid, name)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}
