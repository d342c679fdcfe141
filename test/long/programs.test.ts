/** The small shops in Node, Python and bash, with their default timing, through the whole catalog. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { PROGRAMS, type ProgramName, programsWith } from '../process/planted-bugs.ts'

test.for(Object.keys(PROGRAMS) as ProgramName[])(
  '%s survives every trouble that it meets',
  async (program) => {
    const report = join(folder(), 'report.json')
    // Nearly all of a run is waiting for answers and pauses.
    const flags = ['--jobs', '8', '--report', `json=${report}`]
    const command = ['gauntlet', ...flags, '--', ...PROGRAMS[program]]
    const { code, stderr } = await spawnPaysim(command, {}, { cwd: programsWith() }).exited
    expect([code, stderr]).toEqual([0, ''])
    const rows: { name: string; verdict: string }[] = JSON.parse(readFileSync(report, 'utf8')).troubles
    expect(rows).toHaveLength(CATALOG.length)
    const others = rows.filter(({ verdict }) => verdict !== 'survived')
    expect(others.filter(({ verdict }) => verdict !== 'not exercised')).toEqual([])
    // Only one of them reads webhooks, and none holds an authorization.
    expect(rows.length - others.length).toBeGreaterThan(40)
  },
)
