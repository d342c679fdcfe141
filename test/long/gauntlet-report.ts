/** The results of the gauntlet and the grade for a shop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Verdict } from '../../src/tools/gauntlet/verdict.ts'
import { CASES } from '../../src/tools/grade/cases.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { startShop } from './broken-shops.ts'

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

export interface GauntletReport {
  /** The gauntlet's verdicts by trouble; a missing trouble was survived. */
  verdicts: Record<string, Exclude<Verdict, 'survived'>>
  /** The audit rules broken in any of its runs. */
  rules: readonly string[]
  grade: 'A' | 'B' | 'C' | 'D' | 'F'
  /** The failed cases of the grade. */
  fails: readonly string[]
}

export async function reportOf(
  shop: string,
  troubles: readonly string[],
  environment: Record<string, string> = {},
  // Runs mostly wait, so more of them than cores finish sooner.
  jobs = 4,
): Promise<GauntletReport> {
  const flags = ['--jobs', String(jobs), '--only', troubles.join(',')]
  const { rows } = await runGauntlet(flags, [process.execPath, '--test'], shop, environment)
  expect(rows.map(({ name }) => name)).toEqual(troubles)

  const grade = join(folder(), 'grade.json')
  const { webhooks, probe, secret } = await startShop(shop)
  const asked = ['grade', webhooks, '--secret', secret, '--probe', probe, '--port', '0']
  const graded = await spawnPaysim([...asked, '--report', `json=${grade}`]).exited
  expect(graded.stderr).toBe('')
  const card: { grade: GauntletReport['grade']; cases: { name: string; passed: boolean }[] } = JSON.parse(
    readFileSync(grade, 'utf8'),
  )
  expect(card.cases).toHaveLength(CASES.filter(({ needsStart }) => !needsStart).length)

  const rules = new Set(rows.flatMap(({ audit }) => audit.map(({ rule }) => rule)))
  return {
    verdicts: Object.fromEntries(
      rows.flatMap(({ name, verdict }) => (verdict === 'survived' ? [] : [[name, verdict]])),
    ),
    rules: [...rules].sort(byNumber),
    grade: card.grade,
    fails: card.cases.filter(({ passed }) => !passed).map(({ name }) => name),
  }
}

const byNumber = (a: string, b: string) => Number(a.slice(1)) - Number(b.slice(1))

export const A = { grade: 'A', fails: [] } as const

/** One trouble per kind of mistake, and one that every copy survives; in the order of the catalog and the report. */
export const TELLING = [
  'answer-lost-once',
  'in-flight-once',
  'internal-error-once',
  'outage',
  'rate-limit-once',
  'refund-immediate',
  'webhook-duplicated',
  'webhook-forged',
]

/** Without retries or keys, a busy machine that stalls for a second would count as another failure. */
export const PATIENT = { SHOP_TIMEOUT_MS: '30000' }
