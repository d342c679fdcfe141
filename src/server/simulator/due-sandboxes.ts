/** Opens the kept sandboxes whose work is due: one in each turn of the event loop, so that requests are answered between them. */
import type { SandboxSummary } from '../../sandbox/summary.ts'
import type { Clock } from '../../spec/world/clock.ts'

export class DueSandboxes {
  readonly #machine: Clock
  readonly #open: (name: string) => void
  readonly #due = new Set<string>()

  constructor(machine: Clock, open: (name: string) => void) {
    this.#machine = machine
    this.#open = open
  }

  /** Opens the sandbox when the first of its work is due. */
  expect(name: string, summary: SandboxSummary): void {
    const dueAt = machineTimeOfDue(summary)
    if (dueAt !== undefined) this.#machine.alarmWhileProcessRuns(dueAt, () => this.#openSoon(name))
  }

  stop(): void {
    this.#due.clear()
  }

  #openSoon(name: string): void {
    this.#due.add(name)
    if (this.#due.size === 1) setImmediate(() => this.#openNext())
  }

  #openNext(): void {
    const [name] = this.#due
    if (name === undefined) return
    this.#open(name)
    this.#due.delete(name)
    if (this.#due.size > 0) setImmediate(() => this.#openNext())
  }
}

/**
 * The machine's time at which the first work is due; undefined if the sandbox's clock is frozen before that.
 */
function machineTimeOfDue({ clock, dueAt }: SandboxSummary): number | undefined {
  if (dueAt === null) return undefined
  if (clock.frozenAt === null) return dueAt - clock.offsetMs
  return dueAt <= clock.frozenAt ? 0 : undefined
}
