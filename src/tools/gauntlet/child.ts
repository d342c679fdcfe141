/**
 * Runs the command once: in a process group of its own, with its output in a file, and ended when it takes
 * too long.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { tookText } from '../../spec/contract/duration.ts'
import { UsageError } from '../../spec/options/read.ts'
import { Clock, stopwatch } from '../../spec/world/clock.ts'
import { BoundedOutput } from './bounded-output.ts'
import { ignoring } from './output-folder.ts'
import { RUN_VARIABLE } from './run-of-this-process.ts'

const IS_WINDOWS = process.platform === 'win32'

/** For `spawn`. Windows has no groups: there the tree of processes takes their place. */
export const OWN_GROUP = { detached: !IS_WINDOWS } as const

/** Reaches a command with all that it started: npm starts a shell, which starts the tests. The group may have ended already. */
export function signalGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  // Windows has no SIGTERM that a program could hear: the tree is ended at once. A kill of the child would end its shell alone.
  if (IS_WINDOWS) return void spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
  const group = -child.pid
  ignoring(['ESRCH'], () => process.kill(group, name))
}

export interface ChildSetup {
  command: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Where the command's output goes; left out, to that of this process. */
  outputFile?: string
  /** How long it may take. Asked again when that time is over, as it may have grown meanwhile. */
  limitMs: () => number
  /** Called before the command is ended at its limit. */
  onLimit?: () => void
  stopped: AbortSignal
}

export interface ChildResult {
  /** How it failed, in words; undefined if it passed. */
  failure: string | undefined
  tookMs: number
  /** Whether it was ended because it took longer than its limit. */
  wasCutOff: boolean
}

/** How long a process that was told to end may take to do so. */
const GRACE_MS = 2_000

export async function runChild(setup: ChildSetup): Promise<ChildResult> {
  const { command, env, outputFile, limitMs, onLimit, stopped } = setup
  const [file = '', ...args] = command
  const startedAt = stopwatch()
  const clock = new Clock()
  const bounded = outputFile === undefined ? undefined : new BoundedOutput(outputFile)
  const output = bounded ? 'pipe' : 'inherit'
  // A group of its own, so that ending it ends what it has started: npm starts a shell, which starts the tests.
  const child = spawn(file, args, {
    stdio: ['ignore', output, output],
    env,
    ...OWN_GROUP,
    shell: IS_WINDOWS,
  })
  for (const stream of [child.stdout, child.stderr]) if (stream) bounded?.keep(stream)

  let endedFor: string | undefined
  let wasCutOff = false
  const end = (why: string) => {
    endedFor ??= why
    signalGroup(child, 'SIGTERM')
    clock.alarmWhileProcessRuns(clock.now() + GRACE_MS, () => signalGroup(child, 'SIGKILL'))
  }
  const stop = () => end('it was interrupted')
  const check = () => {
    const limit = limitMs()
    const leftMs = limit - (stopwatch() - startedAt)
    if (leftMs > 0) return void clock.alarmWhileProcessRuns(clock.now() + Math.ceil(leftMs), check)
    wasCutOff = true
    onLimit?.()
    end(`it did not end within ${tookText(limit)} and was ended`)
  }
  check()
  stopped.addEventListener('abort', stop)
  if (stopped.aborted) stop()
  try {
    const [code, killedBy] = await exitOf(child, file)
    const ended = code === 0 ? undefined : killedBy ? `ended by ${killedBy}` : `exit code ${code}`
    return { failure: endedFor ?? ended, tookMs: stopwatch() - startedAt, wasCutOff }
  } finally {
    clock.stop()
    stopped.removeEventListener('abort', stop)
    // Ends processes that the command has left: they would send requests to a sandbox that is being judged.
    signalGroup(child, 'SIGKILL')
    endLeftRunning(env)
    await bounded?.close()
  }
}

const exitOf = (child: ChildProcess, file: string) =>
  new Promise<[code: number | null, signal: NodeJS.Signals | null]>((resolve, reject) => {
    child.once('exit', (code, killedBy) => resolve([code, killedBy]))
    child.once('error', ({ message }) => reject(new UsageError(`${file} cannot be started: ${message}.`)))
  })

/** How often to look: a process may start another one meanwhile. */
const TIMES = 3

/**
 * Ends processes that a run has left in a process group of their own, such as a daemon after setsid: ending
 * the run's group does not end them. On Linux their environment names the folder of the run, which no other
 * run has; on other systems they are not found.
 */
function endLeftRunning(env: ChildSetup['env']): void {
  const folder = env[RUN_VARIABLE]
  if (process.platform !== 'linux' || folder === undefined) return
  const mark = `\0${RUN_VARIABLE}=${folder}\0`
  for (let times = 0; times < TIMES; times += 1) {
    const found = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && isOfRun(entry, mark))
    if (found.length === 0) return
    for (const pid of found) ignoring(['ESRCH'], () => process.kill(Number(pid), 'SIGKILL'))
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
