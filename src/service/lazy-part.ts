/**
 * A part of the program that is imported with the first request that needs it. `paysim start` serves a platform without
 * two such parts: what steers a sandbox (control/lazy-control.ts) and what arms a behavior (behaviors/lazy-arming.ts). Each
 * saves 5 % of a start's CPU. A caller that may wait calls `load` first; after that the synchronous code below it reads
 * `loaded`. A program that has the simulator as an object imports both parts at its start (simulator/embedded.ts).
 *
 * Node remembers an import that failed, and gives the same failure ever after. So where the process may open too few files,
 * nothing is imported, and the next request tries again.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { onDisk } from './store/storage-failure.ts'

export class LazyPart<Part> {
  readonly #import: () => Promise<Part>
  #loading: Promise<Part> | undefined
  #part: Part | undefined

  constructor(load: () => Promise<Part>) {
    this.#import = load
  }

  /** Called by a program that has imported the part at its start. */
  use(part: Part): void {
    this.#part = part
  }

  async load(): Promise<Part> {
    if (this.#part) return this.#part
    if (!this.#loading) {
      onDisk(requireFiles)
      this.#loading = this.#import()
    }
    try {
      this.#part = await this.#loading
      return this.#part
    } catch (cause) {
      this.#loading = undefined
      throw cause
    }
  }

  get loaded(): Part {
    if (!this.#part) throw new Error('a part of the program is asked before it is loaded')
    return this.#part
  }
}

/** The largest part, the dashboard, needs 16: Node opens all files that a module imports at once. */
const FILES_AT_A_TIME = 24

/** Throws what the system says where so many cannot be opened now. */
function requireFiles(): void {
  const opened: number[] = []
  try {
    while (opened.length < FILES_AT_A_TIME) opened.push(openSync(devNull, 'r'))
  } finally {
    opened.forEach(closeSync)
  }
}
