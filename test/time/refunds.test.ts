/** §3: refunds complete on the sandbox's clock only; test/contract/events.test.ts has the times. */
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/index.ts'
import { DAY, openStage, SECOND, START } from './stage.ts'

const iso = (ms: number) => new Date(ms).toISOString()

describe('the clock', () => {
  it('makes nothing happen while it is frozen', async () => {
    const { call, paidCheckout, refund } = await openStage({ refundDelay: 1 })
    const { id } = await refund(await paidCheckout(), 250)
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
    expect((await call('GET', `/v1/refunds/${id}`)).body.status).toBe('pending')
  })

  it('runs work oldest first, including work that is added on the way', async () => {
    // R1 is due at 10 s and R2 at 18 s; the webhook of R1 at 10 s is refused, so it is retried at 15 s.
    let refusals = 0
    const { shop, receiver, paidCheckout, refund } = await openStage({ refundDelay: '10s' })
    const [first, two] = [await paidCheckout('acme'), await paidCheckout('bolt')]
    receiver.reply((response) => response.writeHead(refusals++ === 0 ? 503 : 204).end())
    await shop.webhook.put({ url: receiver.url, events: ['refund.completed'] })
    const r1 = await refund(first, 10)
    await shop.clock.advance('8s')
    const r2 = await refund(two, 20)

    const happened = await shop.clock.advance('1m')
    const rows = happened.map(({ at, what, detail }) => [
      (Date.parse(at) - START) / SECOND,
      what,
      detail.includes(r1.id),
    ])
    expect(rows).toEqual([
      [10, 'refund.completed', true],
      [10, 'webhook.attempt_failed', true],
      [15, 'webhook.delivered', true],
      [18, 'refund.completed', false],
      [18, 'webhook.delivered', false],
    ])
    expect(receiver.received.map(({ event }) => event.data.id)).toEqual([r1.id, r1.id, r2.id])
  })

  it.each([
    ['another database', (shop: Sandbox) => shop.restore('before')],
    ['a reset', (shop: Sandbox) => shop.reset({ what: ['clock'] })],
  ])('put back by %s, does not prolong the wait of a request', async (_, putBack) => {
    const { shop, call } = await openStage()
    shop.snapshot('before')
    await shop.clock.advance('30d')
    shop.arm({ when: { op: 'customers.create' }, do: { delay: '10s' } })
    const delayed = call('POST', '/v1/customers', { externalId: 'acme' })
    await shop.settle({ held: false })
    await shop.clock.advance('4s')
    putBack(shop)
    const answered = async (after: number) => {
      await shop.clock.advance(after)
      return shop.requests().map(({ status }) => status)
    }
    expect(await answered(5_999)).toEqual([null])
    expect(await answered(1)).toEqual([201])
    expect((await delayed).body).toMatchObject({ createdAt: iso(START + 6 * SECOND) })
  })

  it('continues from the frozen time when it runs again', async () => {
    const { shop } = await openStage()
    await shop.clock.advance('1d')
    shop.clock.resume()
    const now = shop.clock.now()
    expect(now).toBeGreaterThanOrEqual(START + DAY)
    expect(now).toBeLessThan(START + 2 * DAY)
  })
})
