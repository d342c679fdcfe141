/** A disk that fills up and is freed twenty times while refunds and webhooks fall due. SQLite's own page limit simulates it. */
import { expect, onTestFinished, test } from 'vitest'
import { composeSimulator } from '../../src/tools/compose.ts'
import { asPlatform, order } from '../control/shop.ts'
import { folder } from '../given.ts'
import { openReceiver } from '../receiver.ts'

const ROUNDS = 20
const AT_ONCE = 10

test('no acknowledged write is lost, nothing happens twice, and each event is sent once', async () => {
  const receiver = await openReceiver()
  const { simulator, internalsOf } = composeSimulator({
    data: folder(),
    durability: 'process',
    rateLimit: 'off',
    log: 'silent',
    refundDelay: 20,
    webhook: { url: receiver.url },
  })
  onTestFinished(() => simulator.close())
  const shop = simulator.find('default')
  const call = asPlatform(simulator, shop)
  const { body } = await call('POST', '/v1/checkouts', order(1_000_000))
  await call('POST', `/v1/checkouts/${body.id}/confirm`)

  const acknowledged: string[] = []
  const statuses = new Set<number>()
  let asked = 0
  /** The body needs extra pages, so each request runs into the full disk. */
  const refund = async () => {
    const large = { amount: 1, note: 'x'.repeat(20_000) }
    const key = { 'idempotency-key': `k${++asked}` }
    const answer = await call('POST', `/v1/checkouts/${body.id}/refunds`, large, key)
    statuses.add(answer.status)
    if (answer.status === 201) acknowledged.push(answer.body.id)
    expect((await call('GET', `/v1/checkouts/${body.id}`)).status).toBe(200)
  }
  const refunds = () => Promise.all(Array.from({ length: AT_ONCE }, refund))
  for (let round = 0; round < ROUNDS; round += 1) {
    await refunds()
    internalsOf('default').committedStore().limitPages(1)
    await refunds()
    internalsOf('default').committedStore().limitPages(1_000_000)
  }

  // Each poll reads every pending delivery, so frequent polls would keep the simulator from sending them.
  await expect
    .poll(() => shop.deliveries({ status: 'pending' }).length, { timeout: 60_000, interval: 1_000 })
    .toBe(0)
  await shop.settle({ within: '60s' })
  expect([...statuses].toSorted()).toEqual([201, 503])
  const store = internalsOf('default').committedStore()
  expect(
    store.refunds
      .list({ limit: 10_000 })
      .data.map(({ id }) => id)
      .toSorted(),
  ).toEqual(acknowledged.toSorted())
  expect(store.refunds.countUpTo(10_000, { status: 'completed' })).toBe(acknowledged.length)
  expect(shop.ledger().sums).toMatchObject({ refunds: acknowledged.length })
  const ids = receiver.received.map(({ event }) => event.id)
  expect(ids.toSorted()).toEqual(
    store.events
      .list({ limit: 10_000 })
      .data.map(({ id }) => id)
      .toSorted(),
  )
})
