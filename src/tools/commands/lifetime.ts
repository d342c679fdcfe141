/**
 * The lifetime of a command. Everything that it starts, such as a server or a child process, immediately registers how it is
 * stopped. So all of it stops with the command, even after a failure halfway.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Clock } from '../../spec/world/clock.ts'

/** In CI, anything still running after a failure would use up the job's time limit. */
const FAILED_ENDS_WITHIN_MS = 5_000

const atSignal = (act: (signal: NodeJS.Signals) => void) => {
  let isHeard = false
  const hear = (signal: NodeJS.Signals) => {
    isHeard = true
    act(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, hear)
  if (isAloneInNpmScript()) atEndOfShell(() => isHeard || process.emit('SIGTERM', 'SIGTERM'))
}

const SHELL_ASKED_EVERY_MS = 500

/**
 * npm and npx run a command with `sh -c` and forward SIGTERM to that shell. Debian's shell then exits without notifying the
 * command, which would keep its port. If npm is killed with SIGKILL, the shell survives without npm. Both cases show as a new
 * parent process.
 */
function atEndOfShell(act: () => void, before = startedBy(), clock = new Clock()): void {
  clock.alarmWhileProcessRuns(clock.now() + SHELL_ASKED_EVERY_MS, () => {
    if (startedBy() === before) atEndOfShell(act, before, clock)
    else act()
  })
}

/** The shell, and on Linux, the only system that reveals it, the shell's parent. */
function startedBy(): string {
  const shell = process.ppid
  try {
    return `${shell} ${/\nPPid:\t(\d+)/.exec(readFileSync(`/proc/${shell}/status`, 'utf8'))?.[1]}`
  } catch {
    return `${shell}`
  }
}

/** A script that runs anything else, such as `paysim start &`, may have ended its shell on purpose. */
function isAloneInNpmScript(): boolean {
  const { npm_lifecycle_script: script = '' } = process.env
  const words = script.split(/[\s'"]+/).map((word) => basename(word))
  return words.includes(basename(process.argv[1] ?? '')) && !/[&;|]/.test(script)
}

export class Lifetime {
  readonly #over = new AbortController()
  readonly #ends = new Set<() => Promise<void>>()
  #isAsked = false

  /** Aborted at the first signal and when the command ends. A second signal ends the process immediately. */
  stopSignal(): AbortSignal {
    if (!this.#isAsked) {
      this.#isAsked = true
      atSignal((signal) => {
        process.once(signal, () => process.exit(1))
        this.#over.abort()
      })
    }
    return this.#over.signal
  }

  async untilStopped(): Promise<void> {
    const stopped = this.stopSignal()
    if (!stopped.aborted) await once(stopped, 'abort')
  }

  /** The first signal stops everything and then ends the process by that signal. A second one ends it immediately. */
  endBySignal(): void {
    atSignal(async (signal) => {
      await this.end().catch(() => {})
      process.kill(process.pid, signal)
    })
  }

  /**
   * Registers how something that was just started is stopped; the latest is stopped first. The returned function stops it early.
   */
  readonly endWith = (end: () => unknown): (() => Promise<void>) => {
    const ended = async () => {
      if (this.#ends.delete(ended)) await end()
    }
    this.#ends.add(ended)
    return ended
  }

  /** Stops everything, even if one of them fails; throws the first failure at the end. */
  async end(): Promise<void> {
    this.#over.abort()
    const failures: unknown[] = []
    while (this.#ends.size > 0) {
      try {
        await [...this.#ends].at(-1)!()
      } catch (cause) {
        failures.push(cause)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  /**
   * Stops everything after a failure that was printed. If something keeps the process alive, the process is ended after
   * `withinMs`; the alarm itself does not keep it alive.
   */
  async endFailed(withinMs = FAILED_ENDS_WITHIN_MS): Promise<void> {
    const clock = new Clock()
    clock.alarmWhileProcessRuns(clock.now() + withinMs, () => process.exit())
    await this.end().catch(() => {})
  }
}
