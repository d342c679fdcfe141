/** A part of the program that is loaded when it is first needed, for those who cannot wait for it once it is there. */
export class LatePart<Part> {
  readonly #import: () => Promise<Part>
  #part: Part | undefined

  constructor(load: () => Promise<Part>) {
    this.#import = load
  }

  /** By a program that has it already. */
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
