/** What was answered is played in its order, and what waits for that is bounded: a sandbox can be slower than the service. */
import { within } from '../../spec/world/clock.ts'

/** The bodies of what waits. A tester may hold a request in the sandbox, and then all that comes after it waits. */
const WAITING_MAX_CHARS = 16 * 1024 ** 2

/** Who stops the command waits for its report. */
const FINISHED_WITHIN_MS = 2_000

export class PlayQueue {
  #played = Promise.resolve()
  #count = 0
  #chars = 0
  #isOver = false

  /** Resolves when all that came so far is played. */
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
