/**
 * Many concurrent workers, each with the client of `examples/shop`: equal amounts, equal refunds of one order, polling with
 * backoff, complete lists. Audit must find no error under any trouble: a false alarm is worse than a missed bug.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BehaviorInput } from '../../src/sandbox/scenario-file/armable.ts'
import { newSimulator } from '../control/shop.ts'
import { HONEST_SHOP } from '../long/gauntlet-report.ts'

const WRITES = { call: 'POST /v1/**' } as const
const ALL = { call: '* /v1/**' } as const
const retryAfter = { 'retry-after': '1' }

const TROUBLES: Record<string, BehaviorInput> = {
  'lost responses': [{ when: WRITES, scope: 'key', times: 1, do: { fault: 'reset', at: 'after-commit' } }],
  'some lost responses': [{ when: { ...ALL, probability: 0.3 }, do: { fault: 'close', at: 'after-commit' } }],
  'an outage': [{ when: ALL, times: 40, do: { respond: { status: 503 } } }],
  'an outage with Retry-After': [
    { when: ALL, times: 40, do: { respond: { status: 503, headers: retryAfter } } },
  ],
  // All workers read the same list, without a key, so a retry cannot be attributed to a worker.
  'an outage of a list': [{ when: { call: 'GET /v1/refunds' }, times: 40, do: { respond: { status: 503 } } }],
  'a rate limit': [{ when: ALL, times: 40, do: { respond: { status: 429, headers: retryAfter } } }],
  'requests in flight': [{ when: WRITES, scope: 'key', times: 1, do: { respond: { status: 409 } } }],
}

const WORKERS = 10

test.for(Object.entries(TROUBLES))('%s', async ([, trouble]) => {
  const simulator = newSimulator({ rateLimit: 'off', seed: 7, refundDelay: 300 })
  const sandbox = simulator.sandbox('default')
  const { url } = await simulator.listen()
  const { PaymentsClient } = await import(join(HONEST_SHOP, 'client.js'))
  const { Shop } = await import(join(HONEST_SHOP, 'shop.js'))
  sandbox.arm(trouble)

  async function work(worker: number): Promise<void> {
    const payments = new PaymentsClient({ url, apiKey: sandbox.apiKey, firstPauseMs: 100 })
    // No webhook arrives, so the shop polls each refund with a doubling pause.
    const shop = new Shop({ payments, firstPollMs: 20 })
    const id = `order-${worker}`
    await shop.sell({ id, customer: 'ada', amount: 100 })
    const reasons = ['it came late', 'it was broken', 'it was the wrong one']
    const refunds: string[] = await Promise.all(reasons.map((reason) => shop.refund(id, 10, reason)))
    await Promise.all(refunds.map((refund) => shop.settled(refund)))
    for (let path: string | undefined = '/v1/refunds'; path !== undefined; ) {
      const { nextCursor }: { nextCursor: string | null } = await payments.get(path)
      path = nextCursor === null ? undefined : `/v1/refunds?cursor=${nextCursor}`
    }
  }

  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)))
  expect(sandbox.ledger().sums.refunds).toBe(WORKERS * 3)
  const { findings } = sandbox.audit()
  const asked = findings.flatMap(({ requests }) => requests).map((id) => sandbox.explain(id).text)
  expect(findings, asked.join('\n')).toEqual([])
})
