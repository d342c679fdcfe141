/**
 * A part of the program that is imported with the first request that needs it. `paysim start` serves a platform without
 * two such parts: what steers a sandbox (control/lazy-control.ts) and what arms a behavior (behaviors/lazy-arming.ts). Each
 * saves 5 % of a start's CPU. A caller that may wait calls `load` first; after that the synchronous code below it reads
 * `loaded`. A program that has the simulator as an object imports both parts at its start (simulator/embedded.ts).
 */
export class LazyPart<Part> {
  readonly #import: () => Promise<Part>
  #part: Part | undefined

  constructor(load: () => Promise<Part>) {
    this.#import = load
  }

  /** Called by a program that has imported the part at its start. */
  use(part: Part): void {
    this.#part = part
  }

  async load(): Promise<void> {
    this.#part ??= await this.#import()
  }

  get loaded(): Part {
    if (!this.#part) throw new Error('a part of the program is asked before it is loaded')
    return this.#part
  }
}
