/**
 * `examples/shop` survives every trouble of the catalog, behaves and grades A. Each broken copy is told by the verdicts, the
 * rules and the cases that its mistake is about, and by no others.
 */
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { brokenShop, HONEST_SHOP, type MistakeName } from './broken-shops.ts'
import { A, type GauntletReport, PATIENT, reportOf, TELLING } from './gauntlet-report.ts'

test('examples/shop survives the whole catalog and meets all of it that it can, behaves and grades A', async () => {
  const catalog = CATALOG.map(({ name }) => name)
  // C15, a warning: after a refused confirm it stops, and its checkouts stay pending.
  // It holds no authorization.
  // Its tests start no app.
  const absent = ['answer-lost:authorize', 'answer-lost:capture', 'refusal-kept:capture', ...CRASHES]
  const verdicts = Object.fromEntries(absent.map((name) => [name, 'not exercised']))
  // Its tests wait for a response for one second, so that they are quick. On a busy machine, the client would then leave before
  // it has read a Retry-After (C9).
  const patient = { SHOP_TIMEOUT_MS: '5000' }
  expect(await reportOf(HONEST_SHOP, catalog, patient)).toEqual({ verdicts, rules: ['C15'], ...A })
})

const CRASHES = ['crash-before-commit', 'crash-after-commit', 'crash-in-webhook']

/** C15: an order that is given up leaves its checkout open, and so does a checkout that was made twice. */
/** test/alone checks the missing pause, because nothing else may delay the client there. */
const EXPECTED: Record<Exclude<MistakeName, 'no backoff'>, GauntletReport> = {
  'no key': {
    verdicts: {
      ...Object.fromEntries(TELLING.map((name) => [name, 'audit failed'])),
      'answer-lost-once': 'money wrong',
    },
    rules: ['C1', 'C15'],
    ...A,
  },
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
    // An outcome that is left unknown: after a 500, and after the 409 of a request in flight.
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
  'gives up on 409': { verdicts: { 'in-flight-once': 'failed loudly' }, rules: ['C7', 'C15'], ...A },
}

// All at the same time, because they mostly wait.
test('each broken copy is told by its mistake', async () => {
  const names = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[]
  const found = await Promise.all(names.map((name) => reportOf(brokenShop(name), TELLING, PATIENT)))
  expect(Object.fromEntries(names.map((name, at) => [name, found[at]]))).toEqual(EXPECTED)
})
