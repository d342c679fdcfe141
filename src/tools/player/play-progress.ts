/** The progress line: what is played now, how many files are left, and the time so far. */

import { basename } from 'node:path'
import { callAfter, stopwatch } from '../../spec/world/clock.ts'
import type { LoadedFile } from './options.ts'
import { took } from './show-result.ts'

const TICK_MS = 1_000

export class PlayProgress {
  readonly #total: number
  readonly #show: (text: string) => void
  readonly #began = stopwatch()
  readonly #playing = new Map<number, string>()
  #ended = 0

  #cancelTick = () => {}

  constructor(total: number, show: ((text: string) => void) | undefined) {
    this.#total = total
    this.#show = show ?? (() => {})
    if (show) this.#tick()
  }

  /** Empties the line. */
  stop(): void {
    this.#cancelTick()
    this.#show('')
  }

  /** Updates the time, as a waiting step gives no other news. */
  #tick(): void {
    this.#cancelTick = callAfter(TICK_MS, () => {
      this.refresh()
      this.#tick()
    })
  }

  /** Names the scenario if the file has cases: each case is played by itself. */
  begin(index: number, { path, scenario }: LoadedFile): void {
    const name = basename(path).replace(/\.ya?ml$/, '')
    this.#playing.set(index, scenario.case === undefined ? name : `${name}: ${scenario.case}`)
    this.refresh()
  }

  end(index: number): void {
    this.#playing.delete(index)
    this.#ended += 1
    this.refresh()
  }

  refresh(): void {
    const left = this.#total - this.#ended
    this.#show(
      `${this.#ended} of ${this.#total} played, ${left} left${took(stopwatch() - this.#began)}  ${[...this.#playing.values()].join(', ')}`,
    )
  }
}
