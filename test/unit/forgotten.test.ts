/** A run of the gauntlet counts what its tests make a sandbox forget: by a reset, a restored snapshot or a cleared journal. */
import { expect, onTestFinished, test } from 'vitest'
import type { SandboxControl } from '../../src/tester/control/control.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import type { TellingFacts } from '../../src/tools/gauntlet/facts.ts'
import { judgeRun } from '../../src/tools/gauntlet/judge-run.ts'
import { yardstickOf } from '../../src/tools/gauntlet/money.ts'
import { PartOfRun } from '../../src/tools/gauntlet/part.ts'
import { conductOfAll, firedInAll, moneyOfAll } from '../../src/tools/gauntlet/together.ts'
import { asPlatform, type Call, confirmedCheckout, refund } from '../control/shop.ts'

const LOSE_EACH_REFUND = {
  when: { op: 'checkouts.refund' },
  scope: 'resource',
  times: 1,
  do: { fault: 'reset', at: 'after-commit' },
} as const

/** Refunds of different amounts, each in an order of its own and each tried again without a key. */
async function run(troubles: readonly (typeof LOSE_EACH_REFUND)[], between: (shop: SandboxControl) => void) {
  const part = new PartOfRun({ behaviors: troubles, ignoredRules: {} })
  const { simulator } = composeSimulator({ log: 'silent', rateLimit: 'off', seed: 1 }, { attendant: part })
  onTestFinished(() => simulator.close())
  const shop = simulator.sandbox('default')
  shop.snapshot('empty')
  const call = asPlatform(simulator, shop)
  for (const amount of [25, 30]) {
    const id = await confirmedCheckout(call)
    await refundUntilAnswered(call, id, amount)
    await shop.settle({ within: '5s' })
    between(shop)
  }
  return { part, shop, facts: part.facts() }
}

const refundUntilAnswered = (call: Call, id: string, amount: number) =>
  refund(call, id, amount).catch(() => refund(call, id, amount))

const ranWith = (ours: readonly TellingFacts[]) => ({
  child: { failure: undefined, tookMs: 1, wasCutOff: false },
  ...{ ours, theirs: [], lost: 0, sharedReceiver: undefined, close: async () => {} },
})

test.for<[string, (shop: SandboxControl) => void]>([
  ['a reset', (shop) => shop.reset()],
  ['a reset of the state, with its requests left', (shop) => shop.reset({ what: ['state'] })],
  ['a restored snapshot', (shop) => shop.restore('empty')],
])('%s', async ([, between]) => {
  const calm = await run([], between)
  expect(moneyOfAll(calm.facts).map(({ moved }) => moved)).toEqual([
    ['charge 1000.00', 'refund 25.00'],
    ['charge 1000.00', 'refund 30.00'],
  ])
  const conduct = conductOfAll(calm.facts)
  expect(conduct).toMatchObject({ requests: 6, forgotten: 0 })
  expect(calm.facts.map(({ seen }) => [seen.requests.length, seen.refunds])).toEqual([
    [3, 1],
    [3, 1],
  ])

  const { facts, part } = await run([LOSE_EACH_REFUND], between)
  expect([firedInAll(facts), part.fired()]).toEqual([2, [2]])
  const yardstick = yardstickOf(moneyOfAll(calm.facts))
  const { verdict, reasons } = judgeRun(ranWith(facts), { findings: [], lost: 0 }, yardstick)
  expect([verdict, ...reasons]).toEqual([
    'money wrong',
    'o-1 was refunded twice, $25.00 too much: req_4 repeats req_3, whose answer was lost, without a key (C1).',
    'o-1 was refunded twice, $30.00 too much: req_8 repeats req_7, whose answer was lost, without a key (C1).',
  ])
})

test('a cleared journal', async () => {
  const clear = (shop: SandboxControl) => shop.clearRequests()
  const calm = await run([], clear)
  const yardstick = yardstickOf(moneyOfAll(calm.facts))
  expect(yardstick.orders).toHaveLength(1)
  expect(calm.facts.flatMap(({ seen }) => seen.requests)).toHaveLength(6)
  const { facts } = await run([LOSE_EACH_REFUND], clear)
  const { verdict, reasons } = judgeRun(ranWith(facts), { findings: [], lost: 0 }, yardstick)
  expect(verdict).toBe('money wrong')
  expect(reasons[0]).toMatch(
    /\$25\.00 too much: req_4 repeats req_3, .* \$30\.00 too much: req_8 repeats req_7, /,
  )
})

test('what was told is not told again, and what the client may still do is not held against it', async () => {
  const { part, shop } = await run([], (one) => one.clearRequests())
  const found = () => conductOfAll(part.facts()).findings.map(({ rule, requests }) => [rule, ...requests])
  const told = found()
  expect(told.filter(([rule]) => rule === 'C1')).toHaveLength(4)
  shop.clearRequests()
  shop.clearRequests()
  expect(found()).toEqual(told)
})
