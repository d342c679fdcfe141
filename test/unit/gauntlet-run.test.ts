/** The conclusions of a gauntlet run from its tests' sandboxes, including the parts that the tests reset. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Armable } from '../../src/sandbox/scenario-file/armable.ts'
import type { SandboxControl } from '../../src/tester/control/control.ts'
import type { MovedMoney } from '../../src/tester/story/difference.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { causeLines, causesIn } from '../../src/tools/gauntlet/causes.ts'
import type { SandboxFacts } from '../../src/tools/gauntlet/facts.ts'
import { judgeRun } from '../../src/tools/gauntlet/judge-run.ts'
import { differenceText, yardstickOf } from '../../src/tools/gauntlet/money.ts'
import { partInRun } from '../../src/tools/gauntlet/part.ts'
import { RunFolder } from '../../src/tools/gauntlet/run-folder.ts'
import { auditOfAll, firedInAll, moneyOfAll } from '../../src/tools/gauntlet/together.ts'
import type { TroubleResult } from '../../src/tools/gauntlet/verdict.ts'
import { asPlatform, type Call, confirmedCheckout, order, type Reply, refund } from '../control/shop.ts'
import { folder } from '../given.ts'

/** The facts of one simulator in a run. */
async function factsOf(
  behaviors: readonly Armable[],
  program: (call: Call, shop: SandboxControl, run: RunFolder) => Promise<void>,
): Promise<SandboxFacts[]> {
  const run = RunFolder.make(join(folder(), 'run'), { behaviors, ignoredRules: {} })
  const part = partInRun(run)
  const { simulator } = composeSimulator({ log: 'silent', rateLimit: 'off', seed: 1 }, { attendant: part })
  onTestFinished(() => simulator.close())
  const shop = simulator.sandbox('default')
  await program(asPlatform(simulator, shop), shop, run)
  part.end()
  return run.facts().facts
}

const PASSED = {
  ...{ child: { failure: undefined, tookMs: 1, wasCutOff: false }, lost: 0, sharedReceiver: undefined },
}
const CLEAN = { findings: [], lost: 0 }

test('a running trial reports how often its trouble has acted and which request is waiting', async () => {
  const silence = {
    when: { op: 'checkouts.create' },
    times: 1,
    do: { fault: 'hang', at: 'after-commit' },
  } as const
  await factsOf([silence], async (call, _, run) => {
    const create = () => call('POST', '/v1/checkouts', order(40)).catch(() => {})
    await create()
    expect(run.live()).toEqual([{ fired: [1], waiting: { request: 'req_1', since: expect.any(Number) } }])
    await create()
    expect(run.live()).toEqual([{ fired: [1], waiting: null }])
  })
})

const LOSE_EACH_REFUND = {
  when: { op: 'checkouts.refund' },
  scope: 'resource',
  times: 1,
  do: { fault: 'reset', at: 'after-commit' },
} as const

/** Refunds of different amounts, each for its own order and each retried without a key. */
const refundingTwice = (behaviors: readonly Armable[], between: (shop: SandboxControl) => void) =>
  factsOf(behaviors, async (call, shop) => {
    shop.snapshot('empty')
    for (const amount of [25, 30]) {
      const id = await confirmedCheckout(call)
      await refund(call, id, amount).catch(() => refund(call, id, amount))
      await shop.settle({ within: '5s' })
      between(shop)
    }
  })

test.for<[string, (shop: SandboxControl) => void]>([
  ['a reset', (shop) => shop.reset()],
  ['a reset of the state, with its requests left', (shop) => shop.reset({ what: ['state'] })],
  ['a restored snapshot', (shop) => shop.restore('empty')],
])('%s', async ([, between]) => {
  const calm = await refundingTwice([], between)
  expect(moneyOfAll(calm).map(({ moved }) => moved)).toEqual([
    [
      { kind: 'charge', amount: 1000 },
      { kind: 'refund', amount: 25 },
    ],
    [
      { kind: 'charge', amount: 1000 },
      { kind: 'refund', amount: 30 },
    ],
  ])
  expect(auditOfAll(calm)).toMatchObject({ requests: 6, forgotten: 0 })
  expect(calm.map(({ seen }) => [seen.requests.length, seen.waited])).toEqual([
    [3, ['refund']],
    [3, ['refund']],
  ])

  const facts = await refundingTwice([LOSE_EACH_REFUND], between)
  expect(firedInAll(facts)).toBe(2)
  const yardstick = yardstickOf(moneyOfAll(calm))
  const { verdict, reasons } = judgeRun({ ...PASSED, facts }, CLEAN, yardstick)
  expect([verdict, ...reasons]).toEqual([
    'money wrong',
    'o-1 was refunded twice, $25.00 too much: req_4 repeats req_3, whose answer was lost, without a key (C1).',
    'o-1 was refunded twice, $30.00 too much: req_8 repeats req_7, whose answer was lost, without a key (C1).',
  ])
})

test('a cleared journal', async () => {
  const clear = (shop: SandboxControl) => shop.clearRequests()
  const calm = await refundingTwice([], clear)
  const yardstick = yardstickOf(moneyOfAll(calm))
  expect(yardstick.orders).toHaveLength(1)
  expect(calm.flatMap(({ seen }) => seen.requests)).toHaveLength(6)
  const facts = await refundingTwice([LOSE_EACH_REFUND], clear)
  const { verdict, reasons } = judgeRun({ ...PASSED, facts }, CLEAN, yardstick)
  expect(verdict).toBe('money wrong')
  expect(reasons[0]).toMatch(
    /\$25\.00 too much: req_4 repeats req_3, .* \$30\.00 too much: req_8 repeats req_7, /,
  )
})

test('a finding is reported once, however often the journal is cleared', async () => {
  const clear = (times: number) => (shop: SandboxControl) => {
    for (let time = 0; time < times; time += 1) shop.clearRequests()
  }
  const found = async (times: number) =>
    auditOfAll(await refundingTwice([], clear(times))).findings.map(({ rule, requests }) => [
      rule,
      ...requests,
    ])
  const once = await found(1)
  expect(once.filter(([rule]) => rule === 'C1')).toHaveLength(4)
  expect(await found(3)).toEqual(once)
})

interface Client {
  /** Sends it once; undefined if no response arrived. */
  ask(path: string, body: object, key: string): Promise<Reply | undefined>
}

type Program = (client: Client) => Promise<void>

const ran = (program: Program, behaviors: readonly Armable[]) =>
  factsOf(behaviors, (call) =>
    program({
      ask: (path, body, key) => call('POST', path, body, { 'idempotency-key': key }).catch(() => undefined),
    }),
  )

/** The verdict on a program that exits with 0, and the first lines of the suggested fixes. */
async function resultOf(program: Program, name: string) {
  const trouble = CATALOG.find((entry) => entry.name === name)!
  const yardstick = yardstickOf(moneyOfAll(await ran(program, [])))
  const facts = await ran(program, trouble.behaviors)
  const judged = judgeRun({ ...PASSED, facts }, CLEAN, yardstick)
  const result: TroubleResult = {
    ...judged,
    trouble,
    outputFile: undefined,
    tookMs: 1,
    runs: 1,
    suspect: undefined,
    path: [],
    firedEach: [],
  }
  const [first, example] = causeLines(causesIn([result], {}, new Set()))
  return { verdict: judged.verdict, reasons: judged.reasons, cause: first?.split(' → ')[0], example }
}

const CHECKOUTS = '/v1/checkouts'

/** Starts the order again under new keys after each failed request. */
async function beginningAnew({ ask }: Client) {
  for (let time = 1; time < 5; time += 1) {
    const made = await ask(CHECKOUTS, order(40), `create-${time}`)
    if (made?.status !== 201) continue
    const path = `${CHECKOUTS}/${made.body.id}`
    const paid = await ask(`${path}/confirm`, {}, `confirm-${time}`)
    if (paid?.status === 200 && (await ask(`${path}/refunds`, { amount: 15 }, `refund-${time}`))) return
  }
}

/** Retries every request except the refunds. */
const refunding =
  (...amounts: number[]): Program =>
  async ({ ask }) => {
    const twice = async (path: string, body: object, key: string) => {
      const first = await ask(path, body, key)
      return first?.status === 500 ? ask(path, body, key) : first
    }
    const made = await twice(CHECKOUTS, order(40), 'create')
    const path = `${CHECKOUTS}/${made!.body.id}`
    await twice(`${path}/confirm`, {}, 'confirm')
    for (const [index, amount] of amounts.entries())
      await ask(`${path}/refunds`, { amount }, `refund-${index}`)
  }

const NOT_AS_IN_CALM = 'The money differs from the baseline run in 1 run'
const GIVEN_UP = 'C6 in 1 run, money wrong: The client did not check the outcome of a lost response or a 5xx'

test.for<[string, Program, trouble: string, cause: string, said: string]>([
  [
    'with its charges and its refunds if it was started again',
    beginningAnew,
    'answer-lost:refund',
    GIVEN_UP,
    'o-1 was charged 4 times, $120.00 too much: chk_00000HuK0NsvLntFZKrkh8WP by req_2 and chk_00001Z4IbqOflhMhBvceVpbh by req_5 were both paid (and 2 more). o-1 was refunded 4 times, $45.00 too much: req_3, req_6, req_9 and req_12 each asked for it.',
  ],
  [
    'with its missing refund',
    refunding(15),
    'internal-error-once',
    GIVEN_UP,
    'o-1 was not refunded $15.00: req_5 (checkouts.refund) was answered 500 and was not asked for again; it did not happen (C6).',
  ],
  [
    'as a separate cause if no broken rule leads to it: an early retry',
    beginningAnew,
    'rate-limit-once',
    NOT_AS_IN_CALM,
    'o-1 was not refunded $15.00.',
  ],
  [
    'as a separate cause if another key moved nothing twice',
    refunding(15, 15),
    'internal-error-once',
    NOT_AS_IN_CALM,
    'o-1 was not refunded $15.00.',
  ],
])('an order is reported %s', async ([, program, name, cause, said]) => {
  const { verdict, reasons, ...first } = await resultOf(program, name)
  expect([verdict, reasons[0]]).toEqual(['money wrong', said])
  expect(first).toEqual({ cause, example: `  see ${name}: ${said}` })
})

test('equal movements are counted', () => {
  const refunded: MovedMoney = { kind: 'refund', amount: 2 }
  const moved: MovedMoney[] = [{ kind: 'charge', amount: 5 }, refunded, refunded]
  expect(differenceText({ order: 'o-1', is: 'missing', tooMuch: [], lacks: moved })).toBe(
    'o-1 is missing: charge 5.00, 2 × refund 2.00',
  )
})
