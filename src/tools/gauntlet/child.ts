/**
 * Runs the command once: in a process group of its own, with its output in a file, and ended when it takes
 * too long.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { tookText } from '../../spec/contract/duration.ts'
import { UsageError } from '../../spec/options/read.ts'
import { Clock, stopwatch } from '../../spec/world/clock.ts'
import { BoundedOutput } from './bounded-output.ts'
import { endLeftRunning } from './left-running.ts'
import { IS_WINDOWS, OWN_GROUP, signalGroup } from './process-group.ts'

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
