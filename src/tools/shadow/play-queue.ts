/**
 * Plays answered requests in their order. The queue is bounded, as a sandbox may be slower than the service.
 */
import { within } from '../../spec/world/clock.ts'

/**
 * The most characters of bodies that wait: if a tester holds a request in the sandbox, all later ones wait
 * behind it.
 */
const WAITING_MAX_CHARS = 16 * 1024 ** 2

/** How long the end of the command waits for the queue: a person waits for the report. */
const FINISHED_WITHIN_MS = 2_000

export class PlayQueue {
  #played = Promise.resolve()
  #count = 0
  #chars = 0
  #isOver = false

  /** Resolves when everything added so far has been played. */
  get played(): Promise<void> {
    return this.#played
  }

  /** False where it has no room. What it plays is told unless the queue was finished meanwhile. */
  add<Played>(chars: number, play: () => Promise<Played>, tell: (played: Played) => void): boolean {
    if (this.#chars + chars > WAITING_MAX_CHARS) return false
    this.#count += 1
    this.#chars += chars
    this.#played = this.#played.then(async () => {
      if (this.#isOver) return
      const played = await play()
      if (this.#isOver) return
      tell(played)
      this.#count -= 1
      this.#chars -= chars
    })
    return true
  }

  /** How many were not played in time, and will not be. */
  async finish(): Promise<number> {
    await within(FINISHED_WITHIN_MS, this.#played, undefined)
    this.#isOver = true
    return this.#count
  }
}
