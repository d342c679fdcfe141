/**
 * Finds processes that a run has left in a process group of their own, such as a daemon after setsid: ending
 * the run's group does not end them. On Linux their environment names the folder of the run, which no other
 * run has; on other systems they are not found.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { RUN_VARIABLE } from './run-of-this-process.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** How often to look: a process may start another one meanwhile. */
const TIMES = 3

export function endLeftRunning(env: Environment): void {
  const folder = env[RUN_VARIABLE]
  if (process.platform !== 'linux' || folder === undefined) return
  const mark = `\0${RUN_VARIABLE}=${folder}\0`
  for (let times = 0; times < TIMES; times += 1) {
    const found = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && isOfRun(entry, mark))
    if (found.length === 0) return
    for (const pid of found) end(Number(pid))
  }
}

function isOfRun(pid: string, mark: string): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
    return Number(pid) !== process.pid && environment.includes(mark)
  } catch {
    // The process has ended, or belongs to another user.
    return false
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}
