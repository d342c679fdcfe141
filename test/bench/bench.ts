/**
 * `npm run bench`: how fast the built command is, in shares of a bare `node:http` server that is measured beside it.
 *
 *   npm run bench -- --quick --only create --only start --json bench.json
 *
 * A share is comparable between machines and hours, a number of requests a second is not. Nothing fails here: a goal
 * that is missed is said, and a person decides.
 */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type Effort, median } from './measure.ts'
import { type Row, rows } from './rows.ts'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
  },
})

const effort: Effort = flags.quick
  ? { rounds: 3, roundMs: 500, repeats: 5 }
  : { rounds: 5, roundMs: 2000, repeats: 15 }

const unknown = flags.only?.find((name) => !rows.some((row) => row.name === name))
if (unknown) {
  console.error(`No row is named ${unknown}. There are: ${rows.map((row) => row.name).join(', ')}.`)
  process.exit(2)
}

const results: Result[] = []
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}\n`)
for (const row of rows) {
  if (flags.only && !flags.only.includes(row.name)) continue
  const result = await run(row)
  results.push(result)
  console.log(`${describe(result)}\n`)
}
if (flags.json) {
  writeFileSync(flags.json, `${JSON.stringify({ node: process.version, effort, results }, null, 2)}\n`)
}

interface Result extends Omit<Row, 'measure'> {
  value: number
  unit: string
  min: number
  max: number
  reached: boolean
  detail: string
}

async function run({ measure, ...row }: Row): Promise<Result> {
  const { samples, unit, detail } = await measure(effort)
  const value = median(samples)
  const { goal } = row
  const reached = !goal || ('atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost)
  return { ...row, value, unit, min: Math.min(...samples), max: Math.max(...samples), reached, detail }
}

function describe({ name, title, goal, value, unit, min, max, reached, detail }: Result): string {
  const wanted = !goal ? '' : 'atLeast' in goal ? `goal ≥ ${goal.atLeast}` : `goal ≤ ${goal.atMost}`
  const columns = [
    name.padEnd(16),
    `${value.toFixed(2).padStart(6)} ${unit}`.padEnd(20),
    `${min.toFixed(2)}–${max.toFixed(2)}`.padEnd(14),
    wanted.padEnd(12),
    goal && !reached ? 'MISSED' : '',
  ]
  return [columns.join('').trimEnd(), title, detail].join(`\n${' '.repeat(16)}`)
}
