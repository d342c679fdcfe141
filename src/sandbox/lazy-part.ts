/**
 * A part of the program that is imported when it is first needed, so that a start does not load it: the pages, or the reader of
 * scenario files with its YAML.
 */
export class LazyPart<Part> {
  readonly #import: () => Promise<Part>
  #loading: Promise<Part> | undefined

  constructor(load: () => Promise<Part>) {
    this.#import = load
  }

  load(): Promise<Part> {
    this.#loading ??= this.#import()
    return this.#loading
  }
}
