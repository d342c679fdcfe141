/** The results of the gauntlet for a shop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Verdict } from '../../src/tools/gauntlet/verdict.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'

export const HONEST_SHOP = join(import.meta.dirname, '../../examples/shop')

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
