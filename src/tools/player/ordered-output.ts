/** Prints the output of concurrent files in order: all lines of the first file, then those of the next. */
export class OrderedOutput {
  readonly #out: (line: string) => void
  readonly #waiting = new Map<number, string[]>()
  readonly #ended = new Set<number>()
  /** The file whose lines are printed immediately; the lines of later files wait. */
  #first = 0

  constructor(out: (line: string) => void) {
    this.#out = out
  }

  print(place: number, line: string): void {
    if (place === this.#first) this.#out(line)
    else this.#waiting.set(place, [...(this.#waiting.get(place) ?? []), line])
  }

  end(place: number): void {
    this.#ended.add(place)
    while (this.#ended.has(this.#first)) {
      this.#first += 1
      for (const line of this.#waiting.get(this.#first) ?? []) this.#out(line)
      this.#waiting.delete(this.#first)
    }
  }
}
