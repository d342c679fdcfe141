/** One line on what is played now, how many files are left and how long it took. */
import { basename } from 'node:path'
import type { LoadedFile } from './options.ts'
import { took } from './show-result.ts'
import { callAfter, startStopwatch } from './timing.ts'

const TICK_MS = 1_000

export class PlayProgress {
  readonly #total: number
  readonly #show: (text: string) => void
  readonly #began = startStopwatch()
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

  /** A step that waits says nothing for long, but the time goes on. */
  #tick(): void {
    this.#cancelTick = callAfter(TICK_MS, () => {
      this.refresh()
      this.#tick()
    })
  }

  /** A file with cases is played once for each, so their names tell them apart. */
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
      `${this.#ended} of ${this.#total} played, ${left} left${took(startStopwatch() - this.#began)}  ${[...this.#playing.values()].join(', ')}`,
    )
  }
}
