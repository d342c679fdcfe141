/** Prints the output of concurrent files in order: all lines of the first file, then those of the next. */
export function orderedOutput(out: (line: string) => void) {
  const waiting = new Map<number, string[]>()
  const ended = new Set<number>()
  /** The file whose lines are printed immediately; the lines of later files wait. */
  let first = 0

  return {
    print(place: number, line: string): void {
      if (place === first) out(line)
      else waiting.set(place, [...(waiting.get(place) ?? []), line])
    },
    end(place: number): void {
      ended.add(place)
      while (ended.has(first)) {
        first += 1
        for (const line of waiting.get(first) ?? []) out(line)
        waiting.delete(first)
      }
    },
  }
}
