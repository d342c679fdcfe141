/** Runs the command once, in its own process group, with its output in a file, and ends it at its limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { tookText } from '../../spec/contract/duration.ts'
import { UsageError } from '../../spec/options/read.ts'
import { callAfter, stopwatch } from '../../spec/world/clock.ts'
import { IS_WINDOWS, OWN_GROUP, signalGroup } from '../processes.ts'

export interface ChildSetup {
  command: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Default: the output of this process. */
  outputFile?: string | undefined
  /** How long it may take at most. Asked again each second, as it may grow. */
  limitMs: () => number
  /** Called each second. */
  onTick?: ((tookMs: number, limitMs: number) => void) | undefined
  /** Called before the command is ended at its limit. */
  onLimit?: () => void
  /** Called with the process when it was started. */
  onStart?: (child: ChildProcess) => void
  stopped: AbortSignal
}

export interface ChildResult {
  /** How it failed, in words; undefined if it passed. */
  failure: string | undefined
  tookMs: number
  /** Whether it was ended because it took longer than its limit. */
  wasCutOff: boolean
}

/** How long a process may take to end after SIGTERM. */
const GRACE_MS = 2_000
const TICK_MS = 1_000

export async function runChild(setup: ChildSetup): Promise<ChildResult> {
  const { command, env, outputFile, limitMs, onTick, onLimit, onStart, stopped } = setup
  const [file = '', ...args] = command
  const startedAt = stopwatch()
  const output = outputFile === undefined ? undefined : openSync(outputFile, 'w')
  const child = spawn(file, args, {
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit'],
    env,
    ...OWN_GROUP,
    shell: IS_WINDOWS,
  })
  onStart?.(child)
  let endedFor: string | undefined
  let wasCutOff = false
  let cancel = () => {}
  const end = (why: string) => {
    endedFor ??= why
    cancel()
    signalGroup(child, 'SIGTERM')
    cancel = callAfter(GRACE_MS, () => signalGroup(child, 'SIGKILL'))
  }
  const stop = () => end('it was interrupted')
  const tick = () => {
    const limit = limitMs()
    const tookMs = stopwatch() - startedAt
    onTick?.(tookMs, limit)
    if (tookMs < limit) {
      cancel = callAfter(Math.ceil(Math.min(limit - tookMs, TICK_MS)), tick)
      return
    }
    wasCutOff = true
    onLimit?.()
    end(`it did not end within ${tookText(limit)} and was ended`)
  }
  tick()
  stopped.addEventListener('abort', stop)
  if (stopped.aborted) stop()
  try {
    const [code, killedBy] = await exitOf(child, file)
    const ended = code === 0 ? undefined : killedBy ? `ended by ${killedBy}` : `exit code ${code}`
    return { failure: endedFor ?? ended, tookMs: stopwatch() - startedAt, wasCutOff }
  } finally {
    cancel()
    stopped.removeEventListener('abort', stop)
    // Ends processes that the command has left: they would send requests to a sandbox that is being judged.
    signalGroup(child, 'SIGKILL')
    if (output !== undefined) closeSync(output)
  }
}

const exitOf = (child: ChildProcess, file: string) =>
  new Promise<[code: number | null, signal: NodeJS.Signals | null]>((resolve, reject) => {
    child.once('exit', (code, killedBy) => resolve([code, killedBy]))
    child.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(new UsageError(`Cannot start ${file}: ${code === 'ENOENT' ? 'no such command' : message}.`)),
    )
  })
