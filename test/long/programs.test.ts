/**
 * The small shops in Node, Python and bash, with their default timing. The shop that reads webhooks runs the whole catalog; the
 * others run the troubles of responses and connections. Set PROGRAMS=whole to run the whole catalog for all.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { PROGRAMS, type ProgramName, programsWith } from '../process/planted-bugs.ts'

const WHOLE = CATALOG.map(({ name }) => name)
const OF_CLIENTS = WHOLE.filter((name) => /-once$|outage|^refusal-kept:refund$|^refund-immediate$/.test(name))

async function metBy(program: ProgramName) {
  const troubles = program === 'sale.mjs' || process.env.PROGRAMS === 'whole' ? WHOLE : OF_CLIENTS
  const report = join(folder(), 'report.json')
  const flags = ['--jobs', '4', '--only', troubles.join(), '--report', `json=${report}`]
  const command = ['gauntlet', ...flags, '--', ...PROGRAMS[program]]
  const { code, stderr } = await spawnPaysim(command, {}, { cwd: programsWith() }).exited
  expect([program, code, stderr]).toEqual([program, 0, ''])
  const rows: { name: string; verdict: string; audit: { what: string }[] }[] = JSON.parse(
    readFileSync(report, 'utf8'),
  ).troubles
  expect(rows.map(({ name }) => name)).toEqual(troubles)
  const met = rows.filter(({ verdict }) => verdict !== 'not exercised')
  // None of them holds an authorization, and only one reads webhooks.
  expect(met.length).toBeGreaterThan(rows.length * 0.7)
  return met.map(({ name, verdict, audit }) => [program, name, verdict, ...audit.map(({ what }) => what)])
}

// Concurrent, because the programs mostly wait.
test('each program survives every trouble that it meets, without findings', async () => {
  const met = (await Promise.all((Object.keys(PROGRAMS) as ProgramName[]).map(metBy))).flat()
  // The warning C15 is expected: the shop stops after a refused confirm.
  const left = ['sale.mjs', 'refusal-kept:confirm', 'survived', '1 checkout left pending']
  expect(met.filter(([, , verdict, finding]) => verdict !== 'survived' || finding)).toEqual([left])
})
