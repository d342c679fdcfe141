/**
 * Computes the coordinates of a state diagram from the domain's table of moves. A state is to the right of the states that
 * lead to it; states with equally long paths are in one column. A pure function.
 */
export interface PermittedMove {
  readonly from: readonly string[]
  readonly to: string
}

export interface Diagram {
  width: number
  height: number
  states: { name: string; x: number; y: number; width: number }[]
  moves: DiagramMove[]
}

export interface DiagramMove {
  name: string
  from: string
  to: string
  path: string
  label: { x: number; y: number; centered: boolean }
}

const LETTER = 7.25
const STATE = { height: 30, padding: 26 }
const GAP = { across: 66, down: 62 }
const ARCH = 30
/** Room for a label above the highest curve. */
const HEADROOM = 12
const MARGIN = 18

export function layOutStates(moves: Readonly<Record<string, PermittedMove>>): Diagram {
  const edges = Object.entries(moves).flatMap(([name, { from, to }]) =>
    from.map((start) => ({ name, from: start, to })),
  )
  const names = [...new Set(edges.flatMap(({ from, to }) => [from, to]))]
  const ranks = new Map(names.map((name) => [name, rankOf(name, edges)]))
  const columns = columnsOf(names, ranks)
  const skips = edges.some(
    ({ from, to }) => ranks.get(to)! - ranks.get(from)! > 1 && rowOf(to) === rowOf(from),
  )
  const top = MARGIN / 2 + (skips ? ARCH + HEADROOM : 0)

  let x = MARGIN
  const states = columns.flatMap((column) => {
    const width = Math.max(...column.map((name) => name.length)) * LETTER + STATE.padding
    const placed = column.map((name, row) => ({ name, x, y: top + row * GAP.down, width }))
    x += width + GAP.across
    return placed
  })
  const find = (name: string) => states.find((state) => state.name === name)!
  const rows = Math.max(...columns.map((column) => column.length))
  return {
    width: x - GAP.across + 2,
    height: top + (rows - 1) * GAP.down + STATE.height + 6,
    states,
    moves: edges.map((edge) => ({ ...edge, ...route(find(edge.from), find(edge.to), ranks) })),
  }

  function rowOf(name: string) {
    return columns[ranks.get(name)!]!.indexOf(name)
  }
}

/** The number of moves on the longest path to a state. `seen` ends the search if the moves had a cycle. */
function rankOf(
  name: string,
  edges: readonly { from: string; to: string }[],
  seen: readonly string[] = [],
): number {
  const before = edges.filter(({ to, from }) => to === name && !seen.includes(from)).map(({ from }) => from)
  return before.length === 0 ? 0 : 1 + Math.max(...before.map((from) => rankOf(from, edges, [...seen, name])))
}

function columnsOf(names: readonly string[], ranks: ReadonlyMap<string, number>): string[][] {
  const columns: string[][] = []
  for (const name of names) {
    const rank = ranks.get(name)!
    columns[rank] ??= []
    columns[rank].push(name)
  }
  return columns
}

type Placed = Diagram['states'][number]

function route(
  from: Placed,
  to: Placed,
  ranks: ReadonlyMap<string, number>,
): Pick<DiagramMove, 'path' | 'label'> {
  const middle = STATE.height / 2
  const end = to.x - 3
  if (from.y !== to.y) return routeDown(from, to, end)
  if (ranks.get(to.name)! - ranks.get(from.name)! > 1) {
    const start = from.x + from.width / 2
    const arrival = to.x + to.width / 2
    const above = from.y - ARCH
    return {
      path: `M${start} ${from.y}C${start} ${above} ${start + 20} ${above} ${start + 44} ${above}H${arrival - 44}C${arrival - 20} ${above} ${arrival} ${above} ${arrival} ${to.y - 3}`,
      label: { x: (start + arrival) / 2, y: above - 5, centered: true },
    }
  }
  const start = from.x + from.width
  return {
    path: `M${start} ${from.y + middle}H${end}`,
    label: { x: (start + end) / 2 - 2, y: from.y + middle - 7, centered: true },
  }
}

/** From the bottom of one state to the left side of the other. */
function routeDown(from: Placed, to: Placed, end: number): Pick<DiagramMove, 'path' | 'label'> {
  const start = from.x + from.width / 2
  const bottom = from.y + STATE.height
  const level = to.y + STATE.height / 2
  return {
    path: `M${start} ${bottom}V${level - 14}q0 14 14 14H${end}`,
    label: { x: start + 8, y: bottom + 20, centered: false },
  }
}

export const STATE_HEIGHT = STATE.height
