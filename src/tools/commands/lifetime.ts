/**
 * The lifetime of a command: what it starts says at once how it ends, and all of it ends with the command, also when it has
 * failed halfway.
 */
import { once } from 'node:events'
import { Clock } from '../../spec/world/clock.ts'

/** In CI, what still runs after a failure would take all the time that the job has. */
const FAILED_ENDS_WITHIN_MS = 5_000

export class Lifetime {
  readonly #over = new AbortController()
  readonly #ends: (() => unknown)[] = []
  #isAsked = false

  /** Aborted when the first signal asks to stop, and when the command is over. A second signal does not wait. */
  stopSignal(): AbortSignal {
    if (!this.#isAsked) {
      this.#isAsked = true
      for (const signal of ['SIGTERM', 'SIGINT'] as const)
        process.once(signal, () => {
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

  /** Says how what was just started ends. The latest ends first. */
  endWith(end: () => unknown): void {
    this.#ends.push(end)
  }

  /** One that fails keeps no other from ending; the first failure is thrown. */
  async end(): Promise<void> {
    this.#over.abort()
    const failures: unknown[] = []
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) {
      try {
        await end()
      } catch (cause) {
        failures.push(cause)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  /** After a failure that was told. The alarm keeps no process alive: it only ends one that something else keeps. */
  async endFailed(withinMs = FAILED_ENDS_WITHIN_MS): Promise<void> {
    const clock = new Clock()
    clock.alarmWhileProcessRuns(clock.now() + withinMs, () => process.exit())
    await this.end().catch(() => {})
  }
}
