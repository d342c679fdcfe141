/**
 * `examples/shop` survives every trouble of the catalog, behaves and grades A. Each broken copy is told by the verdicts, the
 * rules and the cases that its mistake is about, and by no others.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import type { Verdict } from '../../src/tools/gauntlet/verdict.ts'
import { CASES } from '../../src/tools/grade/cases.ts'
import { folder } from '../process/folder.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { brokenShop, HONEST_SHOP, type MistakeName, startShop } from './broken-shops.ts'

interface Told {
  /** Of the gauntlet, by trouble; what is not named is survived. */
  verdicts: Record<string, Exclude<Verdict, 'survived'>>
  /** Of conduct, in any of its runs. */
  rules: readonly string[]
  grade: 'A' | 'B' | 'C' | 'D' | 'F'
  /** The cases of the grade that fail. */
  fails: readonly string[]
}

async function told(
  shop: string,
  troubles: readonly string[],
  environment: Record<string, string> = {},
  // Most of a run is waiting: more of them than cores take less time.
  jobs = 4,
): Promise<Told> {
  const reports = folder()
  const gauntlet = join(reports, 'gauntlet.json')
  const flags = ['--jobs', String(jobs), '--only', troubles.join(','), '--report', `json=${gauntlet}`]
  const command = ['gauntlet', ...flags, '--', process.execPath, '--test']
  const played = await spawnPaysim(command, environment, { cwd: shop }).exited
  expect(played.stderr).toBe('')
  const rows: { name: string; verdict: Verdict; conduct: { rule: string }[] }[] = JSON.parse(
    readFileSync(gauntlet, 'utf8'),
  ).troubles
  expect(rows.map(({ name }) => name)).toEqual(troubles)

  const grade = join(reports, 'grade.json')
  const { webhooks, probe, secret } = await startShop(shop)
  const asked = ['grade', webhooks, '--secret', secret, '--probe', probe, '--port', '0']
  const graded = await spawnPaysim([...asked, '--report', `json=${grade}`]).exited
  expect(graded.stderr).toBe('')
  const card: { grade: Told['grade']; cases: { name: string; passed: boolean }[] } = JSON.parse(
    readFileSync(grade, 'utf8'),
  )
  expect(card.cases).toHaveLength(CASES.filter(({ needsStart }) => !needsStart).length)

  const rules = new Set(rows.flatMap(({ conduct }) => conduct.map(({ rule }) => rule)))
  return {
    verdicts: Object.fromEntries(
      rows.flatMap(({ name, verdict }) => (verdict === 'survived' ? [] : [[name, verdict]])),
    ),
    rules: [...rules].sort(byNumber),
    grade: card.grade,
    fails: card.cases.filter(({ passed }) => !passed).map(({ name }) => name),
  }
}

const byNumber = (one: string, other: string) => Number(one.slice(1)) - Number(other.slice(1))

const A = { grade: 'A', fails: [] } as const

test('examples/shop survives the whole catalog and meets all of it that it can, behaves and grades A', async () => {
  const catalog = CATALOG.map(({ name }) => name)
  // C19, a warning: its tests wait for an answer for a second, so that they are quick; the shop itself waits for ten.
  // It holds no authorization.
  const verdicts = { 'answer-lost:authorize': 'not exercised', 'answer-lost:capture': 'not exercised' }
  expect(await told(HONEST_SHOP, catalog)).toEqual({ verdicts, rules: ['C19'], ...A })
})

/** One for each kind of mistake, and one that no copy minds; in the order of the catalog, which is that of a report. */
const TELLING = [
  'answer-lost-once',
  'in-flight-once',
  'internal-error-once',
  'outage',
  'rate-limit-once',
  'refund-immediate',
  'webhook-duplicated',
  'webhook-forged',
]

/** Without retries or keys, a second in which a busy machine does nothing would be a trouble of its own. */
const PATIENT = { SHOP_TIMEOUT_MS: '30000' }

/** C15: an order that is given up leaves its checkout open, and so does a checkout that was made twice. */
const EXPECTED: Record<MistakeName, Told> = {
  'no key': {
    verdicts: {
      ...Object.fromEntries(TELLING.map((name) => [name, 'bad conduct'])),
      'answer-lost-once': 'money wrong',
    },
    rules: ['C1', 'C15'],
    ...A,
  },
  'new key per retry': {
    verdicts: {
      'answer-lost-once': 'money wrong',
      'internal-error-once': 'bad conduct',
      'in-flight-once': 'bad conduct',
      outage: 'bad conduct',
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
  'no backoff': {
    verdicts: {
      'in-flight-once': 'bad conduct',
      'rate-limit-once': 'bad conduct',
      outage: 'bad conduct',
    },
    // Without a pause, and against Retry-After.
    rules: ['C8', 'C9'],
    ...A,
  },
  'handles duplicates twice': {
    verdicts: { 'webhook-duplicated': 'failed loudly' },
    rules: [],
    grade: 'C',
    fails: ['the same webhook three times, one after another', 'the same webhook five times at once'],
  },
  'trusts any signature': {
    verdicts: { 'webhook-forged': 'bad conduct' },
    rules: ['C23'],
    grade: 'F',
    fails: [
      'a body that was tampered with',
      'a signature by another secret',
      'no signature',
      'the signature of another message',
      'a timestamp of an hour ago',
      'a timestamp in an hour',
    ],
  },
  'gives up on 409': { verdicts: { 'in-flight-once': 'failed loudly' }, rules: ['C7', 'C15'], ...A },
}

test.for(Object.keys(EXPECTED) as MistakeName[])('a broken copy: %s', async (name) => {
  // A pause is too short below a tenth of a second, in which runs beside it could keep the client from sending.
  const jobs = name === 'no backoff' ? 1 : 4
  expect(await told(brokenShop(name), TELLING, PATIENT, jobs)).toEqual(EXPECTED[name])
})
