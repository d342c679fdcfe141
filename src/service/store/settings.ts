/**
 * The settings of a sandbox, as JSON by name, including two that change all the time: its clock and its random numbers. Stored in
 * the database, so a copy has them too.
 */

import type { ClockStart } from '../../spec/options/values.ts'
import { Clock, type ClockState, wallClock } from '../../spec/world/clock.ts'
import { Random, type RandomState } from '../../spec/world/random.ts'
import type { Statements } from './statements.ts'

const PUT =
  'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'

export class SettingTable {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  get<Value>(name: string): Value | undefined {
    const text = this.#db.value<string>('SELECT value FROM settings WHERE name = ?', name)
    return text === undefined ? undefined : JSON.parse(text)
  }

  put(name: string, value: unknown): void {
    this.#db.run(PUT, name, JSON.stringify(value))
  }
}

interface StoreOfSettings {
  settings: SettingTable
  isInFile: boolean
}

/**
 * A sandbox's clock and random numbers. Their state is stored in the database, so that a restart or a restored snapshot continues
 * with the same time and the same next id.
 */
export class ClockAndRandom {
  readonly clock = new Clock()
  readonly random = new Random()
  /** The clock's state in the database. */
  #written: ClockState | undefined

  state(): { clock: ClockState; random: RandomState } {
    return { clock: this.clock.state(), random: this.random.state() }
  }

  restore(clock: ClockState, random: RandomState): void {
    this.clock.restore(clock)
    this.random.restore(random)
  }

  /**
   * Called by the store before every commit. For a database in memory the random state is written only when a snapshot or another
   * sandbox copies it (`presentState`): writing it with each commit took 8 % of a POST to one of fifty sandboxes.
   */
  beforeCommit({ settings, isInFile }: StoreOfSettings): void {
    if (isInFile) writeRandom(settings, this.random)
    const state = this.clock.state()
    if (this.#written && isSame(state, this.#written)) return
    this.#written = state
    settings.put('clock', state)
  }

  /**
   * After a failed commit, when the drawn ids are in no row and the clock's move was not stored. In memory the ids are skipped,
   * like those of a refused request.
   */
  rolledBack({ settings, isInFile }: StoreOfSettings): void {
    if (isInFile) this.#loadRandom(settings)
    this.#loadClock(settings)
  }

  /** Continues from the state in the database. */
  load({ settings }: StoreOfSettings): void {
    this.#loadRandom(settings)
    this.#loadClock(settings)
  }

  #loadRandom(settings: SettingTable): void {
    const random = settings.get<RandomState>('random')
    if (random) this.random.restore(random)
  }

  #loadClock(settings: SettingTable): void {
    const clock = settings.get<ClockState>('clock')
    if (!clock) return
    this.#written = clock
    if (!isSame(clock, this.clock.state())) this.clock.restore(clock)
  }
}

export const writeRandom = (settings: SettingTable, random: Random) => settings.put('random', random.state())

const isSame = (a: ClockState, b: ClockState) => a.frozenAt === b.frozenAt && a.offsetMs === b.offsetMs

/** A frozen clock stops at the given time; default: the current time. */
export const initialClock = (start: ClockStart): ClockState => ({
  frozenAt: start.mode === 'frozen' ? (start.at ?? wallClock()) : null,
  offsetMs: 0,
})
