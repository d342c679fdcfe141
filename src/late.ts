/**
 * A part of the program that is imported when it is first needed. Callers that may wait `load` it; after that the others, which
 * are synchronous, find it in `loaded`.
 */
export class LatePart<Part> {
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
