/** The pause after a commit that failed: without it the next would fail at once, again and again. */
import type { Clock } from '../../spec/world/clock.ts'

/** It doubles with every further failure. */
const FIRST_MS = 250
const LONGEST_MS = 5_000

export class Pause {
  /** The machine's time: the sandbox's clock may be frozen. */
  readonly #machine: Clock
  readonly #over: () => void
  #lastMs = 0
  #cancel: (() => void) | undefined

  constructor(machine: Clock, over: () => void) {
    this.#machine = machine
    this.#over = over
  }

  get isOn(): boolean {
    return this.#cancel !== undefined
  }

  begin(): void {
    if (this.#cancel) return
    this.#lastMs = Math.min(Math.max(FIRST_MS, 2 * this.#lastMs), LONGEST_MS)
    this.#cancel = this.#machine.alarmWhileProcessRuns(this.#machine.now() + this.#lastMs, () => {
      this.#cancel = undefined
      this.#over()
    })
  }

  /** What failed works again, or is no longer wanted. */
  end(): void {
    this.#lastMs = 0
    this.#cancel?.()
    this.#cancel = undefined
  }
}
