/** The results of the gauntlet for a shop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Verdict } from '../../src/tools/gauntlet/verdict.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'

export interface GauntletRow {
  name: string
  verdict: Verdict
  reasons: string[]
  notes: string[]
  journal: string[]
  fired: number
  audit: { rule: string; what: string }[]
}

/** Runs `paysim gauntlet` without a complaint; returns its output, and the rows of its JSON report. */
export async function runGauntlet(
  flags: readonly string[],
  command: readonly string[],
  cwd?: string,
  environment: Record<string, string> = {},
) {
  const report = join(folder(), 'report.json')
  const line = ['gauntlet', ...flags, '--report', `json=${report}`, '--', ...command]
  const { code, stdout, stderr } = await spawnPaysim(line, environment, cwd ? { cwd } : {}).exited
  expect(stderr).toBe('')
  const { calm, troubles } = JSON.parse(readFileSync(report, 'utf8'))
  return { code, stdout, calm, rows: troubles as GauntletRow[] }
}

/** The verdicts by trouble, without those survived, and the audit rules broken in any of the runs. */
export async function reportOf(
  shop: string,
  troubles: readonly string[],
  environment: Record<string, string>,
  jobs: number,
) {
  const flags = ['--jobs', String(jobs), '--only', troubles.join(',')]
  const { rows } = await runGauntlet(flags, [process.execPath, '--test'], shop, environment)
  expect(rows.map(({ name }) => name)).toEqual(troubles)
  const found = rows.filter(({ verdict }) => verdict !== 'survived')
  return {
    verdicts: Object.fromEntries(found.map(({ name, verdict }) => [name, verdict])),
    rules: [...new Set(rows.flatMap(({ audit }) => audit.map(({ rule }) => rule)))].sort(byNumber),
  }
}

const byNumber = (a: string, b: string) => Number(a.slice(1)) - Number(b.slice(1))
