/**
 * `examples/shop` survives every trouble of the catalog, behaves and grades A. Each broken copy is detected by the verdicts, rules
 * and cases for its mistake, and by no others.
 */
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { brokenShop, HONEST_SHOP, type MistakeName } from './broken-shops.ts'
import { A, type GauntletReport, PATIENT, reportOf, TELLING } from './gauntlet-report.ts'

test('examples/shop survives each trouble of the catalog that can occur, behaves and grades A', async () => {
  const catalog = CATALOG.map(({ name }) => name)
  // The warning C15 is expected: the shop stops after a refused confirm, so its checkouts stay pending.
  // It holds no authorizations.
  // Its tests start no app.
  const absent = ['answer-lost:authorize', 'answer-lost:capture', 'refusal-kept:capture', ...CRASHES]
  const verdicts = Object.fromEntries(absent.map((name) => [name, 'not exercised']))
  // To be quick, its tests wait only one second for a response. On a busy machine, the client would then disconnect before
  // reading a Retry-After (C9).
  const patient = { SHOP_TIMEOUT_MS: '5000' }
  expect(await reportOf(HONEST_SHOP, catalog, patient)).toEqual({ verdicts, rules: ['C15'], ...A })
})

const CRASHES = ['crash-before-commit', 'crash-after-commit', 'crash-in-webhook']

/**
 * C15: an abandoned order leaves its checkout open, and so does a duplicate checkout. test/alone checks the missing backoff,
 * because here other programs might delay the client.
 */
const EXPECTED: Record<Exclude<MistakeName, 'no backoff'>, GauntletReport> = {
  'new key per retry': {
    verdicts: {
      'answer-lost-once': 'money wrong',
      'internal-error-once': 'audit failed',
      'in-flight-once': 'audit failed',
      outage: 'audit failed',
    },
    rules: ['C2', 'C15'],
    ...A,
  },
  'no retry': {
    verdicts: {
      'answer-lost-once': 'failed loudly',
      'internal-error-once': 'failed loudly',
      'in-flight-once': 'failed loudly',
      'rate-limit-once': 'failed loudly',
      outage: 'failed loudly',
    },
    // The outcome stays unknown after a 500, and after the 409 of a request in flight.
    rules: ['C6', 'C7', 'C15'],
    ...A,
  },
  'handles duplicates twice': {
    verdicts: { 'webhook-duplicated': 'failed loudly' },
    rules: [],
    grade: 'C',
    fails: ['the same webhook three times in sequence', 'the same webhook five times concurrently'],
  },
  'trusts any signature': {
    verdicts: { 'webhook-forged': 'audit failed' },
    rules: ['C23'],
    grade: 'F',
    fails: [
      'a body that was tampered with',
      'a signature with another secret',
      'no signature',
      'the signature of another message',
      'a timestamp one hour old',
      'a timestamp one hour ahead',
    ],
  },
}

// Concurrent, because the runs mostly wait.
test('each broken copy is detected by its mistake', async () => {
  const names = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[]
  const found = await Promise.all(names.map((name) => reportOf(brokenShop(name), TELLING, PATIENT)))
  expect(Object.fromEntries(names.map((name, at) => [name, found[at]]))).toEqual(EXPECTED)
})
