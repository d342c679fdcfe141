/**
 * `npm run bench`: the speed of the built command, relative to a small honest app on the same libraries (floor.ts).
 *
 *   npm run bench -- --quick --only create --only start --beside ../before/dist
 *
 * The contestants take turns in short windows, and each share is the median of the turns, so that a disturbance of the machine hits all of
 * them. Unlike requests per second, a share is comparable between machines and hours. The bench never fails: it reports a missed goal, and a
 * person decides.
 */
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Cost, median, quantile } from './measure.ts'
import { type Costs, type Effort, type Row, rows } from './rows.ts'

/** No row may be slower than this share of the other build. */
const BESIDE_GOAL = 0.75

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    beside: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const names = rows.map(({ name }) => name)
if (flags.help) {
  console.log(`npm run bench -- [--quick] [--only ROW]… [--beside DIST]
ROW is one of ${names.join(', ')}.
DIST is the dist of another checkout that is built, and is measured in the same run.`)
  process.exit()
}
const unknown = flags.only?.find((name) => !names.includes(name))
if (unknown) refuse(`No row is named ${unknown}. There are: ${names.join(', ')}.`)
if (flags.beside && !existsSync(join(flags.beside, 'main.js')))
  refuse(`${flags.beside} has no main.js. --beside takes the dist of a checkout that is built.`)

const effort: Effort = {
  ...(flags.quick
    ? { processes: 3, rounds: 4, roundMs: 300, starts: 5 }
    : { processes: 5, rounds: 5, roundMs: 300, starts: 15 }),
  beside: flags.beside,
}
const missed: string[] = []

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}
A share of 2 is twice as fast as the floor, or as what the title names. It is the median of all turns, and half of them are in the range.
What it costs is the floor's figure and paysim's.\n`)
const HEAD = ['', '', 'goal', 'share', '', 'costs', 'leaves in memory', 'page faults']
console.log(line([...HEAD, ...(flags.beside ? [`of --beside, ≥ ${BESIDE_GOAL}`] : [])]))
for (const row of rows.filter(({ name }) => flags.only?.includes(name) ?? true)) {
  try {
    console.log(line(described(row, await row.measure(effort))))
  } catch (cause) {
    // A failed row does not stop the others.
    console.log(`${row.name} cannot be measured:`, cause)
    process.exitCode = 1
  }
}
console.log(`\n${(performance.now() / 60_000).toFixed(1)} min. Missed: ${missed.join(', ') || 'none'}`)
process.exit()

function described({ name, title, goal, by }: Row, turns: Costs[]): string[] {
  // Only Linux reports the CPU time of another process.
  const decisive = by === 'cpuMs' && turns.some(({ paysim }) => Number.isNaN(paysim.cpuMs)) ? 'ms' : by
  const shares = (of: 'base' | 'beside') => turns.map((turn) => turn[of][decisive]! / turn.paysim[decisive]!)
  const text = (values: number[]) => {
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(values, part).toFixed(2))
    return `${middle} (${low}–${high})`
  }
  const judged = (values: number[], least: number, what: string) => {
    if (median(values) >= least) return 'ok'
    missed.push(what)
    return 'MISSED'
  }
  const pair = (
    unit: string,
    digits: number,
    figure: (cost: Cost) => number | undefined,
    middle = median,
  ) => {
    const [base, paysim] = (['base', 'paysim'] as const).map((who) =>
      middle(turns.map((turn) => figure(turn[who]) ?? Number.NaN)).toFixed(digits),
    )
    return paysim === 'NaN' ? '' : `${base} → ${paysim}${unit}`
  }
  const isShort = decisive !== 'memoryMb' && median(turns.map(({ paysim }) => paysim[decisive])) < 1
  const costs = isShort
    ? pair(' µs', 0, (cost) => cost[decisive]! * 1000)
    : pair(decisive === 'memoryMb' ? ' MB' : ' ms', 0, (cost) => cost[decisive])
  const cells = [
    name,
    title,
    `≥ ${goal}`,
    text(shares('base')),
    judged(shares('base'), goal, name),
    costs,
    pair(' KB', 1, ({ leftKb }) => leftKb, mean),
    pair('', 1, ({ faults }) => faults),
  ]
  if (!effort.beside) return cells
  const beside = shares('beside')
  return [...cells, `${text(beside)} ${judged(beside, BESIDE_GOAL, `${name} beside`)}`]
}

/** The mean, for values such as memory that grow in jumps. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value) / values.length
}

function line(cells: string[]): string {
  const widths = [15, 25, 9, 19, 8, 20, 18, 13, 0]
  return cells
    .map((cell, at) => cell.padEnd(widths[at]!))
    .join('')
    .trimEnd()
}

function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}
