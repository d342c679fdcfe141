/**
 * The small shops in Node, Python and bash, with their default timing. The one that also reads webhooks meets the whole catalog,
 * the others what answers and connections can do to a client. PROGRAMS=whole gives all of them the whole catalog.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { PROGRAMS, type ProgramName, programsWith } from '../process/planted-bugs.ts'

const WHOLE = CATALOG.map(({ name }) => name)
const OF_CLIENTS = WHOLE.filter((name) => name.endsWith('-once') || name.includes('outage'))

async function verdictsOf(program: ProgramName): Promise<Record<string, string>> {
  const troubles = program === 'sale.mjs' || process.env.PROGRAMS === 'whole' ? WHOLE : OF_CLIENTS
  const report = join(folder(), 'report.json')
  // Nearly all of a run is waiting for answers and pauses.
  const flags = ['--jobs', '8', '--only', troubles.join(), '--report', `json=${report}`]
  const command = ['gauntlet', ...flags, '--', ...PROGRAMS[program]]
  const { code, stderr } = await spawnPaysim(command, {}, { cwd: programsWith() }).exited
  expect([program, code, stderr]).toEqual([program, 0, ''])
  const rows: { name: string; verdict: string }[] = JSON.parse(readFileSync(report, 'utf8')).troubles
  expect(rows.map(({ name }) => name)).toEqual(troubles)
  return Object.fromEntries(rows.map(({ name, verdict }) => [name, verdict]))
}

// All at once, as they wait for most of the time.
test('each program survives every trouble that it meets', async () => {
  const programs = Object.keys(PROGRAMS) as ProgramName[]
  const verdicts = await Promise.all(programs.map(verdictsOf))
  for (const [at, program] of programs.entries()) {
    const rows = Object.entries(verdicts[at]!)
    const met = rows.filter(([, verdict]) => verdict !== 'not exercised')
    expect([program, met.filter(([, verdict]) => verdict !== 'survived')]).toEqual([program, []])
    // None holds an authorization, and only one reads webhooks.
    expect(met.length).toBeGreaterThan(rows.length * 0.7)
  }
})
