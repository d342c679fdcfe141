/**
 * `npm run bench`: how fast the built command is, in one table, against two servers that answer a constant and are measured
 * beside it: a bare `node:http` server, and a bare Hono app over `@hono/node-server`.
 *
 *   npm run bench -- --quick --only create --only start --peers --json bench.json
 *
 * A share is comparable between machines and hours, a number of requests a second is not. Nothing fails here: a goal
 * that is missed is said, and a person decides.
 */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type Column, type Effort, type Measured, median } from './measure.ts'
import { PEERS } from './peers.ts'
import { type Row, rows } from './rows.ts'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    peers: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const names = rows.map(({ name }) => name)
if (flags.help) {
  console.log(`npm run bench -- [--quick] [--only ROW]… [--peers] [--json FILE]\nRows: ${names.join(', ')}`)
  process.exit()
}

const unknown = flags.only?.find((name) => !names.includes(name))
if (unknown) {
  console.error(`No row is named ${unknown}. There are: ${names.join(', ')}.`)
  process.exit(2)
}
const wanted = rows.filter(({ name }) => flags.only?.includes(name) ?? true)

const peers = flags.peers ? PEERS.filter((peer) => peer.missing() === undefined) : []
const effort: Effort = flags.quick
  ? { rounds: 3, roundMs: 500, repeats: 5, smaller: 20, peers }
  : { rounds: 5, roundMs: 2000, repeats: 15, smaller: 1, peers }

interface Result extends Omit<Row, 'measure'>, Measured {
  value: number
  reached: boolean
}

const COLUMNS: Column[] = ['of Hono', 'of node', 'by CPU', ...peers.map(({ name }) => name)]

if (!flags.only) console.log(`It takes about ${flags.quick ? 2 : 12} minutes where nothing else runs.`)
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}`)
if (flags.quick) console.log('--quick: a twentieth of the sandboxes and checkouts')
if (flags.peers) for (const peer of PEERS) if (peer.missing()) console.log(peer.missing())
console.log(`\n${line('', 'measured', 'range', 'goal', '', COLUMNS, '')}`)

const results: Result[] = []
const minutes = () => `${(performance.now() / 60_000).toFixed(1)} min`
for (const [at, row] of wanted.entries()) {
  console.error(`  ${at + 1} of ${wanted.length} after ${minutes()}: ${row.name}`)
  try {
    const result = await run(row)
    results.push(result)
    console.log(described(result))
  } catch (cause) {
    // The other rows are worth their minutes all the same.
    console.log(`${row.name} cannot be measured:`, cause)
    process.exitCode = 1
  }
}
const missed = results.filter(({ reached }) => !reached).map(({ name }) => name)
console.log(`\n${minutes()}. Missed: ${missed.join(', ') || 'none'}`)
if (flags.json) {
  writeFileSync(flags.json, `${JSON.stringify({ node: process.version, effort, results }, null, 2)}\n`)
}
process.exit()

async function run({ measure, ...row }: Row): Promise<Result> {
  const measured = await measure(effort)
  const value = median(measured.samples)
  const { goal } = row
  const reached = !goal || ('atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost)
  return { ...row, ...measured, value, reached }
}

function described({ name, title, goal, value, unit, samples, reached, columns, detail }: Result): string {
  const text = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2))
  return line(
    name,
    `${text(value)} ${unit}`,
    samples.length > 1 ? `${text(Math.min(...samples))}–${text(Math.max(...samples))}` : '',
    !goal ? '' : 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`,
    !goal ? '' : reached ? 'ok' : 'MISSED',
    COLUMNS.map((column) => text(columns?.[column])),
    `${title}: ${detail}`,
  )
}

function line(
  name: string,
  measured: string,
  range: string,
  goal: string,
  missed: string,
  columns: string[],
  what: string,
): string {
  const cells = [
    name.padEnd(17),
    measured.padEnd(22),
    range.padEnd(16),
    goal.padEnd(8),
    missed.padEnd(8),
    ...columns.map((column, at) => column.padEnd(COLUMNS[at]!.length + 3)),
    what,
  ]
  return cells.join('').trimEnd()
}
