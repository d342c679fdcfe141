/**
 * Prints the output of files that are played side by side: the lines of a file together, in the order of the
 * files.
 */
export class OrderedOutput {
  readonly #out: (line: string) => void
  readonly #waiting = new Map<number, string[]>()
  readonly #ended = new Set<number>()
  /** The file whose lines are printed as they come; those of later files wait. */
  #first = 0

  constructor(out: (line: string) => void) {
    this.#out = out
  }

  print(file: number, line: string): void {
    if (file === this.#first) this.#out(line)
    else this.#waiting.set(file, [...(this.#waiting.get(file) ?? []), line])
  }

  end(file: number): void {
    this.#ended.add(file)
    while (this.#ended.has(this.#first)) {
      this.#first += 1
      for (const line of this.#waiting.get(this.#first) ?? []) this.#out(line)
      this.#waiting.delete(this.#first)
    }
  }
}
