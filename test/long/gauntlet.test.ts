/** `examples/shop` survives every trouble of the catalog, behaves and grades A. */
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { HONEST_SHOP, startShop } from './broken-shops.ts'
import { reportOf } from './gauntlet-report.ts'

test('examples/shop grades A', async () => {
  const { webhooks, probe, secret } = await startShop(HONEST_SHOP)
  const asked = ['grade', webhooks, '--secret', secret, '--probe', probe, '--port', '0']
  const { stdout, stderr } = await spawnPaysim(asked).exited
  expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^Grade A: 20 of 20 passed/m)])
})

test('examples/shop survives each trouble of the catalog that can occur, and behaves', async () => {
  const catalog = CATALOG.map(({ name }) => name)
  // The warning C15 is expected: the shop stops after a refused confirm, so its checkouts stay pending.
  // It holds no authorizations.
  // Its tests start no app.
  const absent = ['answer-lost:authorize', 'answer-lost:capture', 'refusal-kept:capture', ...CRASHES]
  const verdicts = Object.fromEntries(absent.map((name) => [name, 'not exercised']))
  // To be quick, its tests wait only one second for a response. On a busy machine, the client would then disconnect before
  // reading a Retry-After (C9).
  const patient = { SHOP_TIMEOUT_MS: '5000' }
  // Runs mostly wait, so more of them than cores finish sooner.
  expect(await reportOf(HONEST_SHOP, catalog, patient, 4)).toEqual({ verdicts, rules: ['C15'] })
})

const CRASHES = ['crash-before-commit', 'crash-after-commit', 'crash-in-webhook']
