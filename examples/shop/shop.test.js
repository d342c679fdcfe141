/**
 * Tests the shop with the payments service at PAYSIM_URL. Whatever fails on the way, each order is charged once, and each
 * refund is reported once, to the buyer or to a person.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { PaymentsClient } from './client.js'
import { environment } from './environment.js'
import { createReceiver } from './receiver.js'
import { Shop } from './shop.js'

/** Milliseconds from the environment. The tests use shorter times than a shop in production, which has the defaults. */
const ms = (name, usual) => Number(process.env[name] ?? usual)

const payments = new PaymentsClient({
  url: environment.url,
  apiKey: environment.apiKey,
  timeoutMs: ms('SHOP_TIMEOUT_MS', 1_000),
  budgetMs: ms('SHOP_BUDGET_MS', 30_000),
  firstPauseMs: ms('SHOP_FIRST_PAUSE_MS', 100),
  longestPauseMs: ms('SHOP_LONGEST_PAUSE_MS', 1_000),
})
const shop = new Shop({
  payments,
  patienceMs: ms('SHOP_PATIENCE_MS', 2_500),
  firstPollMs: ms('SHOP_FIRST_POLL_MS', 300),
})
const receiver = createReceiver({
  secret: environment.secret,
  handle: (event) => shop.handle(event),
})

before(async () => {
  receiver.listen(environment.port)
  await once(receiver, 'listening')
})
after(() => {
  receiver.close()
  receiver.closeAllConnections()
})

describe('the shop', { concurrency: true }, () => {
  test('charges an order once', async () => {
    const order = await shop.sell({ id: 'order-1', customer: 'ada', amount: 100 })
    assert.equal(order.state, 'paid')
    assert.equal((await payments.get(`/v1/checkouts/${order.checkoutId}`)).status, 'confirmed')
  })

  test('refunds a part of an order', async () => {
    await shop.sell({ id: 'order-2', customer: 'grace', amount: 200 })
    await refunded(await shop.refund('order-2', 50, 'one item was broken'))
    assert.equal(await amountRefunded('order-2'), 50)
  })

  test('refunds one order twice, for two reasons', async () => {
    await shop.sell({ id: 'order-3', customer: 'edsger', amount: 300 })
    const [one, other] = await Promise.all([
      shop.refund('order-3', 20, 'it came late'),
      shop.refund('order-3', 30, 'one item was missing'),
    ])
    await Promise.all([refunded(one), refunded(other)])
    assert.equal(await amountRefunded('order-3'), 50)
  })
})

test('each completed refund was mailed once', () => {
  const completed = [...shop.refunds.values()].filter(({ status }) => status === 'completed')
  assert.deepEqual(shop.mails.map(({ about }) => about).sort(), completed.map(({ id }) => id).sort())
})

test('no event is in the journal twice', () => {
  const events = shop.journal.map(({ event }) => event)
  assert.deepEqual(events, [...new Set(events)])
})

async function refunded(id) {
  await shop.settled(id)
  const { status } = await payments.get(`/v1/refunds/${id}`)
  assert.ok(
    status === 'completed' || shop.forReview.has(id),
    `refund ${id} is ${status}, and no person knows`,
  )
}

async function amountRefunded(orderId) {
  const { checkoutId } = shop.orders.get(orderId)
  return (await payments.get(`/v1/checkouts/${checkoutId}`)).amountRefunded
}
