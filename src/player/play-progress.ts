/** One line on what is played now, how many files are left and how long it took. */
import { basename } from 'node:path'
import { took } from './show-result.ts'
import { startStopwatch } from './timing.ts'

export class PlayProgress {
  readonly #total: number
  readonly #show: (text: string) => void
  readonly #began = startStopwatch()
  readonly #playing = new Map<number, string>()
  #ended = 0

  constructor(total: number, show: ((text: string) => void) | undefined) {
    this.#total = total
    this.#show = show ?? (() => {})
  }

  begin(index: number, path: string): void {
    this.#playing.set(index, basename(path).replace(/\.ya?ml$/, ''))
    this.refresh()
  }

  end(index: number): void {
    this.#playing.delete(index)
    this.#ended += 1
    if (this.#ended === this.#total) this.#show('')
    else this.refresh()
  }

  refresh(): void {
    const left = this.#total - this.#ended
    this.#show(
      `${this.#ended} of ${this.#total} played, ${left} left${took(startStopwatch() - this.#began)}  ${[...this.#playing.values()].join(', ')}`,
    )
  }
}
