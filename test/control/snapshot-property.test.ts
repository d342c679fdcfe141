/** A restore undoes everything after the snapshot, including due work. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { EFFORT } from '../effort.ts'
import { asPlatform, type Call, order, START } from './shop.ts'

/** The possible steps; a number selects one of the existing ids. */
const step = fc.oneof(
  fc.record({
    do: fc.constant('checkout' as const),
    amount: fc.integer({ min: 1, max: 500 }),
    key: fc.integer({ max: 3, min: 0 }),
  }),
  fc.record({
    do: fc.constantFrom('confirm' as const, 'cancel' as const, 'approve' as const),
    pick: fc.nat(9),
  }),
  fc.record({
    do: fc.constant('refund' as const),
    pick: fc.nat(9),
    amount: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({ do: fc.constant('complete' as const), pick: fc.nat(9) }),
  fc.record({ do: fc.constant('customer' as const), pick: fc.nat(3) }),
  fc.record({
    do: fc.constant('advance' as const),
    ms: fc.constantFrom(0, 1, 2_500, 5_000, 60_000, 86_400_000),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

function open() {
  const simulator = createSimulator({
    rateLimit: 'off',
    seed: 3,
    clock: `frozen@${START}`,
    refundDelay: '5s',
  })
  const shop = simulator.sandbox('default')
  return {
    simulator,
    shop,
    call: asPlatform(simulator, shop),
    checkouts: [] as string[],
    refunds: [] as string[],
  }
}
type World = ReturnType<typeof open>

/** Runs the steps; returns all responses. */
async function play(services: World, steps: readonly Step[]): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const step of steps) seen.push(await take(services, step))
  return seen
}

async function take({ shop, call, checkouts, refunds }: World, step: Step): Promise<unknown> {
  const chosen = (ids: string[], pick: number) => ids[pick % ids.length] ?? 'chk_none'
  const post = async (...args: Parameters<Call> extends [unknown, ...infer Rest] ? Rest : never) => {
    const { status, body } = await call('POST', ...args)
    return { status, body }
  }
  switch (step.do) {
    case 'checkout': {
      const answer = await post('/v1/checkouts', order(step.amount), { 'idempotency-key': `k-${step.key}` })
      if (answer.status === 201) checkouts.push(answer.body.id)
      return answer
    }
    case 'refund': {
      const answer = await post(`/v1/checkouts/${chosen(checkouts, step.pick)}/refunds`, {
        amount: step.amount,
      })
      if (answer.status === 201) refunds.push(answer.body.id)
      return answer
    }
    case 'confirm':
    case 'cancel':
      return post(`/v1/checkouts/${chosen(checkouts, step.pick)}/${step.do}`)
    case 'approve':
      return attempt(() => shop.buyer.approve(chosen(checkouts, step.pick)))
    case 'complete':
      return attempt(() => shop.refunds.complete(chosen(refunds, step.pick)))
    case 'customer':
      return post('/v1/customers', { externalId: `biz-${step.pick}` })
    case 'advance':
      return shop.clock.advance(step.ms)
  }
}

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch (cause) {
    return (cause as Error).message
  }
}

const state = ({ shop }: World) => ({
  now: shop.clock.now(),
  ledger: shop.ledger(),
  events: shop.events(),
  outbox: shop.outbox(),
})

test('restoring a snapshot undoes any later steps', async () => {
  const steps = fc.array(step, { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, async (before, rest, after) => {
      const [once, twice] = [open(), open()]
      try {
        const first = await play(once, before)
        const known = { checkouts: [...once.checkouts], refunds: [...once.refunds] }
        once.shop.snapshot('here')
        await play(once, rest)
        once.shop.restore('here')
        const restored = { ...once, ...known }

        expect(await play(twice, before)).toEqual(first)
        expect(state(restored)).toEqual(state(twice))
        expect(await play(restored, after)).toEqual(await play(twice, after))
        expect(state(restored)).toEqual(state(twice))
      } finally {
        await Promise.all([once.simulator.close(), twice.simulator.close()])
      }
    }),
    { numRuns: 30 * EFFORT },
  )
})
