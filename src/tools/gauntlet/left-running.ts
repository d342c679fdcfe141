/**
 * Finds processes that a run has left in a process group of their own, such as a daemon after setsid: ending
 * the run's group does not end them. On Linux their environment has the address and the key of the run; on
 * other systems they are not found.
 */
import { readdirSync, readFileSync } from 'node:fs'

type Environment = Readonly<Record<string, string | undefined>>

/** These two together identify the run: a gauntlet's simulator has a port of its own. */
const OF_A_RUN = ['PAYSIM_URL', 'PAYSIM_API_KEY'] as const

/** How often to look: a process may start another one meanwhile. */
const TIMES = 3

export function endLeftRunning(env: Environment): void {
  const marks = OF_A_RUN.map((name) => `\0${name}=${env[name]}\0`)
  if (process.platform !== 'linux' || OF_A_RUN.some((name) => env[name] === undefined)) return
  for (let times = 0; times < TIMES; times += 1) {
    const found = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && isOfRun(entry, marks))
    if (found.length === 0) return
    for (const pid of found) end(Number(pid))
  }
}

function isOfRun(pid: string, marks: readonly string[]): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
    return Number(pid) !== process.pid && marks.every((mark) => environment.includes(mark))
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
