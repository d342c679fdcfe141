/** Groups and counts. */
export function groupBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string | null,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key === null) continue
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The count of each value, in order of first appearance. */
export function tally<Item>(items: Iterable<Item>): Map<Item, number> {
  const counts = new Map<Item, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

/** Cuts a list into runs: an item that does not continue the last run, with its first and last item, begins another. */
export function runsOf<Item>(
  items: readonly Item[],
  continues: (first: Item, item: Item, last: Item) => boolean,
): Item[][] {
  const runs: Item[][] = []
  for (const item of items) {
    const run = runs.at(-1)
    if (run && continues(run[0]!, item, run.at(-1)!)) run.push(item)
    else runs.push([item])
  }
  return runs
}
