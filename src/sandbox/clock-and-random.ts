import type { Store } from '../service/store/store.ts'
import type { ClockStart } from '../spec/options/values.ts'
import { Clock, type ClockState, wallClock } from '../spec/world/clock.ts'
import { Random, type RandomState } from '../spec/world/random.ts'

/**
 * A sandbox's clock and random numbers. Each commit writes them too, so that a restart and a restored snapshot go on from
 * the same time and the same next id.
 */
export class ClockAndRandom {
  readonly clock = new Clock()
  readonly random = new Random()
  /** The clock as the database has it. */
  #written: ClockState | undefined

  state(): { clock: ClockState; random: RandomState } {
    return { clock: this.clock.state(), random: this.random.state() }
  }

  restore(clock: ClockState, random: RandomState): void {
    this.clock.restore(clock)
    this.random.restore(random)
  }

  /** Inside every commit. */
  write({ settings }: Store): void {
    settings.put('random', this.random.state())
    const state = this.clock.state()
    if (this.#written && isSame(state, this.#written)) return
    this.#written = state
    settings.put('clock', state)
  }

  /**
   * As the database has them. After a commit that failed too: ids that it drew are in no row, and a clock that was moved
   * goes back, like everything else.
   */
  read({ settings }: Store): void {
    const random = settings.get<RandomState>('random')
    const clock = settings.get<ClockState>('clock')
    if (!random || !clock) return
    this.random.restore(random)
    this.#written = clock
    if (!isSame(clock, this.clock.state())) this.clock.restore(clock)
  }
}

const isSame = (one: ClockState, other: ClockState) =>
  one.frozenAt === other.frozenAt && one.offsetMs === other.offsetMs

/** A clock that is frozen stands at the instant that was asked for, or at the present one. */
export const initialClock = (start: ClockStart): ClockState => ({
  frozenAt: start.mode === 'frozen' ? (start.at ?? wallClock()) : null,
  offsetMs: 0,
})
