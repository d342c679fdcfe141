/**
 * `examples/shop` survives every trouble of the catalog, and its broken copies are told apart by the verdicts: by the ledger, by a
 * failed test, or by the conduct that would hurt in production.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CATALOG } from '../../src/gauntlet/catalog.ts'
import type { Verdict } from '../../src/gauntlet/verdict.ts'
import { folder } from '../process/folder.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { brokenShop, HONEST_SHOP, type MistakeName } from './broken-shops.ts'

interface Row {
  name: string
  verdict: Verdict
  reasons: string[]
}

async function verdictsOf(shop: string, flags: readonly string[]): Promise<Row[]> {
  const report = join(folder(), 'report.json')
  // Most of a run is waiting: more of them than cores take less time.
  const command = ['--jobs', '4', '--report', `json=${report}`, ...flags, '--', process.execPath, '--test']
  const { stderr } = await spawnPaysim(['gauntlet', ...command], {}, { cwd: shop }).exited
  expect(stderr).toBe('')
  return JSON.parse(readFileSync(report, 'utf8')).troubles
}

test('examples/shop survives the whole catalog, and meets all of it', async () => {
  const rows = await verdictsOf(HONEST_SHOP, [])
  expect(rows.map(({ name, verdict }) => [name, verdict])).toEqual(
    CATALOG.map(({ name }) => [name, 'survived']),
  )
})

describe('a broken copy', () => {
  const TELLING = [
    'answer-lost-once',
    'internal-error-once',
    'in-flight-once',
    'outage',
    'webhook-duplicated',
  ]

  /** A trouble that is not named is survived. */
  const EXPECTED: Record<MistakeName, Record<string, Verdict>> = {
    'no key': {
      'answer-lost-once': 'money wrong',
      'internal-error-once': 'bad conduct',
      'in-flight-once': 'bad conduct',
      outage: 'bad conduct',
      'webhook-duplicated': 'bad conduct',
    },
    'new key per retry': {
      'answer-lost-once': 'money wrong',
      'internal-error-once': 'bad conduct',
      'in-flight-once': 'bad conduct',
      outage: 'bad conduct',
    },
    'no retry': {
      'answer-lost-once': 'failed loudly',
      'internal-error-once': 'failed loudly',
      'in-flight-once': 'failed loudly',
      outage: 'failed loudly',
    },
    'no backoff': { outage: 'bad conduct' },
    'handles duplicates twice': { 'webhook-duplicated': 'failed loudly' },
    'trusts any signature': {},
    'gives up on 409': { 'in-flight-once': 'failed loudly' },
  }

  test.for(Object.keys(EXPECTED) as MistakeName[])('%s', async (name) => {
    const rows = await verdictsOf(brokenShop(name), ['--only', TELLING.join(',')])
    expect(rows.map((row) => row.name)).toHaveLength(TELLING.length)
    const told = rows.filter(({ verdict }) => verdict !== 'survived')
    expect(Object.fromEntries(told.map((row) => [row.name, row.verdict]))).toEqual(EXPECTED[name])
  })

  test('with a new key per retry is told by the refund that it made twice', async () => {
    const [row] = await verdictsOf(brokenShop('new key per retry'), ['--only', 'answer-lost-once'])
    expect(row!.reasons[0]).toMatch(/^order-[23] has refund \d+\.00 too much$/)
  })
})
