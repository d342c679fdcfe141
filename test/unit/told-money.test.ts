/** What a run of the gauntlet says of an order whose money is not that of the calm run, and to which cause it puts it down. */
import { expect, onTestFinished, test } from 'vitest'
import type { Armable } from '../../src/sandbox/scenario-file/armable.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { causeLines, causesIn } from '../../src/tools/gauntlet/causes.ts'
import { judgeRun } from '../../src/tools/gauntlet/judge-run.ts'
import { differenceText, yardstickOf } from '../../src/tools/gauntlet/money.ts'
import { PartOfRun } from '../../src/tools/gauntlet/part.ts'
import { moneyOfAll } from '../../src/tools/gauntlet/together.ts'
import type { TroubleResult } from '../../src/tools/gauntlet/verdict.ts'
import { asPlatform, order, type Reply } from '../control/shop.ts'

interface Client {
  /** Sends it once; undefined where no answer came. */
  ask(path: string, body: object, key: string): Promise<Reply | undefined>
}

type Program = (client: Client) => Promise<void>

async function ran(program: Program, behaviors: readonly Armable[]) {
  const part = new PartOfRun({ behaviors, ignoredRules: {} })
  const { simulator } = composeSimulator({ log: 'silent', rateLimit: 'off', seed: 1 }, { attendant: part })
  onTestFinished(() => simulator.close())
  const shop = simulator.sandbox('default')
  const call = asPlatform(simulator, shop)
  await program({
    ask: (path, body, key) => call('POST', path, body, { 'idempotency-key': key }).catch(() => undefined),
  })
  return part.facts()
}

/** The verdict on a program that ends well, and the first lines of what is to be mended. */
async function told(program: Program, name: string) {
  const trouble = CATALOG.find((one) => one.name === name)!
  const calm = yardstickOf(moneyOfAll(await ran(program, [])))
  const ours = await ran(program, trouble.behaviors)
  const child = { failure: undefined, tookMs: 1, wasCutOff: false }
  const run = { child, ours, theirs: [], lost: 0, sharedReceiver: undefined, close: async () => {} }
  const judged = judgeRun(run, { findings: [], lost: 0 }, calm)
  const result: TroubleResult = { ...judged, trouble, outputFile: undefined, tookMs: 1, runs: 1 }
  const [first, example] = causeLines(causesIn([result], {}, new Set()))
  return { verdict: judged.verdict, reasons: judged.reasons, cause: first?.split(' → ')[0], example }
}

const CHECKOUTS = '/v1/checkouts'

/** It begins the order anew, under new keys, where a request got no good answer. */
async function beginningAnew({ ask }: Client) {
  for (let time = 1; time < 5; time += 1) {
    const made = await ask(CHECKOUTS, order(40), `create-${time}`)
    if (made?.status !== 201) continue
    const path = `${CHECKOUTS}/${made.body.id}`
    const paid = await ask(`${path}/confirm`, {}, `confirm-${time}`)
    if (paid?.status === 200 && (await ask(`${path}/refunds`, { amount: 15 }, `refund-${time}`))) return
  }
}

/** It asks twice for all but the refunds. */
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

const NOT_AS_IN_CALM = 'Money is not as in calm in 1 run'
const GIVEN_UP = 'C6 in 1 run, money wrong: An answer was lost or 5xx, and the outcome was not asked for'

test.for<[string, Program, trouble: string, cause: string, said: string]>([
  [
    'with its charges and its refunds, where it was begun anew',
    beginningAnew,
    'answer-lost:refund',
    GIVEN_UP,
    'o-1 was charged 4 times, $120.00 too much: chk_00000HuK0NsvLntFZKrkh8WP by req_2 and chk_00001Z4IbqOflhMhBvceVpbh by req_5 were both paid (and 2 more). o-1 was refunded 4 times, $45.00 too much: req_3, req_6, req_9 and req_12 each asked for it.',
  ],
  [
    'with what was left undone',
    refunding(15),
    'internal-error-once',
    GIVEN_UP,
    'o-1 was not refunded $15.00: req_5 (checkouts.refund) was answered 500 and was not asked for again; it did not happen (C6).',
  ],
  [
    'as a cause of its own, where the rules that were broken do not lead to it: a retry that came too soon',
    beginningAnew,
    'rate-limit-once',
    NOT_AS_IN_CALM,
    'o-1 was not refunded $15.00.',
  ],
  [
    'as a cause of its own, where another key moved nothing twice',
    refunding(15, 15),
    'internal-error-once',
    NOT_AS_IN_CALM,
    'o-1 was not refunded $15.00.',
  ],
])('an order is told %s', async ([, program, name, cause, said]) => {
  const { verdict, reasons, ...first } = await told(program, name)
  expect([verdict, reasons[0]]).toEqual(['money wrong', said])
  expect(first).toEqual({ cause, example: `  see ${name}: ${said}` })
})

test('movements that are alike are counted', () => {
  const moved = ['charge 5.00', 'refund 2.00', 'refund 2.00']
  expect(differenceText({ order: 'o-1', is: 'missing', tooMuch: [], lacks: moved })).toBe(
    'o-1 is missing: charge 5.00, 2 × refund 2.00',
  )
})
