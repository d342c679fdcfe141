/** An advance runs the work that was due when it was called; later requests do not prolong it. */
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ORDER } from '../order.ts'
import { start } from '../scenarios/start.ts'
import { DAY, openStage, SECOND, START } from './stage.ts'

test('an advance returns under a platform that never pauses', async () => {
  const { send, call, advance, refund, confirmCheckout, readRefund } = start()
  const id = await refund(await confirmCheckout())
  // Each client sends its next request in the turn in which it gets a response, so there is always a request in flight.
  const request = () => send('POST /v1/checkouts', { json: ORDER })
  const happened = await underLoad(3, request, () => advance(86_400_000))
  expect(happened).toMatchObject([{ what: 'refund.completed', id }])
  expect(await readRefund(id)).toBe('completed')
  expect((await call('GET /v1/checkouts')).status).toBe(200)
})

/** Sends the response some turns of the event loop later. */
const slowly = (status: number) => async (response: ServerResponse) => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  response.writeHead(status).end()
}

type Stage = Awaited<ReturnType<typeof openStage>>

/** Runs an action while some clients send one request after the other. */
async function underLoad<Result>(
  clients: number,
  request: (number: number) => Promise<unknown>,
  what: () => Promise<Result>,
): Promise<Result> {
  let sent = 0
  let stopped = false
  // Also after a timeout of the test, because a closed simulator responds immediately, so the clients would block the event loop.
  onTestFinished(() => {
    stopped = true
  })
  const sending = Array.from({ length: clients }, async () => {
    while (!stopped) await request(sent++)
  })
  try {
    return await what()
  } finally {
    stopped = true
    await Promise.all(sending)
  }
}

describe('an advance ends while a platform keeps sending', () => {
  const newCustomer = ({ call }: Stage, number: number) =>
    call('POST', '/v1/customers', { externalId: `biz-${number}` })

  test.each([
    ['and its receiver is slow', { reply: slowly(204) }],
    ['and its receiver fails', { reply: slowly(500) }],
    ['and its receiver fails, while the clock runs', { reply: slowly(500), clock: 'real' }],
  ] as const)('%s', async (_, options) => {
    // Longer than a busy machine needs before the advance, because a running clock would complete the refund earlier.
    const stage = await openStage({ webhooks: true, refundDelay: '30m', ...options })
    const { shop, receiver, paidCheckout, refund } = stage
    const { id, createdAt } = await refund(await paidCheckout(), 250)
    const before = shop.clock.now()
    // Sent when the previous webhook has arrived but has no response yet, so a delivery is always in flight.
    const request = async (number: number) => {
      const { body } = await newCustomer(stage, number)
      await receiver.until((received) => received.some(({ event }) => event.data.id === body.id))
    }
    const happened = await underLoad(3, request, async () => [
      ...(await shop.clock.advance('1h')),
      ...(await shop.clock.advance('1h')),
    ])
    expect(shop.clock.now()).toBeGreaterThanOrEqual(before + 2 * 3_600_000)
    const completed = happened.filter(({ what }) => what === 'refund.completed')
    const at = new Date(Date.parse(createdAt) + 1_800 * SECOND).toISOString()
    expect(completed).toMatchObject([{ id, at }])
  })

  test('faster than its receiver', async () => {
    const stage = await openStage({ webhooks: true, reply: slowly(204) })
    const { shop, paidCheckout, refund } = stage
    const { id } = await refund(await paidCheckout(), 250)
    const request = (number: number) => newCustomer(stage, number)
    const happened = await underLoad(3, request, () => shop.clock.advance('1h'))
    expect(happened).toContainEqual(expect.objectContaining({ what: 'refund.completed', id }))
    expect(shop.clock.now()).toBe(START + 3_600_000)
  })

  test('and each of its requests waits for the clock', async () => {
    const stage = await openStage()
    const { shop, paidCheckout, refund } = stage
    const { id } = await refund(await paidCheckout(), 250)
    shop.arm({ when: { op: 'customers.create' }, do: { delay: '10ms' } })
    const request = (number: number) => newCustomer(stage, number)
    const happened = await underLoad(3, request, async () => {
      const advanced = await shop.clock.advance('1h')
      shop.clock.resume()
      return advanced
    })
    expect(happened).toMatchObject([{ id }])
    expect(shop.clock.now()).toBeGreaterThanOrEqual(START + 3_600_000)
  })

  test('and each of its requests adds work that is due immediately', async () => {
    const { shop, call, paidCheckout } = await openStage({ refundDelay: 0 })
    const checkouts = await Promise.all(
      Array.from({ length: 3 }, (_, number) => paidCheckout(`biz-${number}`)),
    )
    const request = (number: number) =>
      call('POST', `/v1/checkouts/${checkouts[number % 3]}/refunds`, { amount: 0.01 })
    await underLoad(3, request, () => shop.clock.advance('1h'))
    expect(shop.clock.now()).toBe(START + 3_600_000)
    await shop.settle()
    const refunds = shop.events({ type: 'refund.completed' })
    expect(new Set(refunds.map(({ data }) => data.id)).size).toBe(
      shop.events({ type: 'refund.created' }).length,
    )
  })
})

test('an advance returns after the webhooks of the refunds that it completed, also while others are in flight', async () => {
  const stage = await openStage({ webhooks: true, refundDelay: '30m', reply: slowly(204) })
  const { shop, receiver, call, paidCheckout, refund } = stage
  const refunds = [await refund(await paidCheckout('biz-a'), 1), await refund(await paidCheckout('biz-b'), 1)]
  const request = (number: number) => call('POST', '/v1/customers', { externalId: `biz-${number}` })
  await underLoad(4, request, async () => {
    await shop.clock.advance('1h')
    const completed = receiver.received.filter(({ event }) => event.type === 'refund.completed')
    expect(completed.map(({ event }) => event.data.id).toSorted()).toEqual(
      refunds.map(({ id }) => id).toSorted(),
    )
  })
})

test('a reset ends an advance that waits for a receiver, and keeps its own time', async () => {
  const { shop, receiver, paidCheckout, refund } = await openStage({ webhooks: true })
  await refund(await paidCheckout(), 1)
  await shop.settle()
  receiver.reply(() => {})
  const advanced = shop.clock.advance('1d')
  await receiver.until((received) => received.some(({ event }) => event.type === 'refund.completed'))
  shop.reset()
  expect(await advanced).toMatchObject([{ what: 'refund.completed' }])
  expect(shop.clock.now()).toBe(START)
})

test('requests caused by a webhook get its time, also if they cause the next webhook', async () => {
  const stage = await openStage({ webhooks: true })
  const { shop, receiver, call, paidCheckout, refund } = stage
  const checkout = await paidCheckout()
  const { id: first } = await refund(checkout, 1)
  const refunds = [first]
  receiver.reply(async (response, { event }) => {
    if (event.type === 'refund.completed' && refunds.length < 30) refunds.push((await refund(checkout, 1)).id)
    response.writeHead(204).end()
  })
  await shop.clock.advance('1d')
  expect(refunds).toHaveLength(30)
  const { body } = await call('GET', '/v1/refunds?limit=100')
  const completed = body.data.map(({ completedAt }: { completedAt: string }) => Date.parse(completedAt))
  expect(completed.toSorted()).toEqual(refunds.map((_, number) => START + (number + 1) * 5 * SECOND))
  const deliveries = shop.deliveries().filter(({ attempts }) => attempts.length === 1)
  expect(deliveries).toHaveLength(shop.deliveries().length)
  expect(shop.clock.now()).toBe(START + DAY)
})

test('an advance ends if each webhook causes a request, whose work causes the next webhook, all at one time', async () => {
  const stage = await openStage({ webhooks: true, refundDelay: 0 })
  const { shop, receiver, paidCheckout, refund } = stage
  const checkout = await paidCheckout()
  const [others, most] = [20, 60]
  const when = { resource: 'refund', enters: 'pending' } as const
  shop.arm({ when, times: others + 1, do: { transition: 'completed', after: { clock: '1h' } } })
  // Work of the advance that no request adds allows requests to add more.
  for (let count = 0; count < others; count += 1) await refund(checkout, 1)
  let caused = 0
  receiver.reply(async (response, { event }) => {
    if (event.type === 'refund.completed' && event.data.amount === 0.01 && caused < most) {
      caused += 1
      await refund(checkout, 0.01)
    }
    response.writeHead(204).end()
  })
  await refund(checkout, 0.01)
  await shop.clock.advance('2h')
  expect(shop.clock.now()).toBe(START + 2 * 3_600_000)
  expect(caused).toBeGreaterThan(1)
  expect(caused).toBeLessThan(most)
  await shop.settle()
  expect(caused).toBe(most)
})

test('an advance ends if each retry of a webhook causes a request, whose webhook is retried as well', async () => {
  const stage = await openStage({ webhooks: true })
  const { shop, receiver, call } = stage
  const most = 150
  let customers = 0
  const add = () => call('POST', '/v1/customers', { externalId: `biz-${++customers}` })
  const seen = new Set<string>()
  receiver.reply(async (response, { event }) => {
    if (seen.has(event.id) && customers < most) await add()
    seen.add(event.id)
    response.writeHead(500).end()
  })
  await add()
  await shop.clock.advance('10d')
  expect(shop.clock.now()).toBe(START + 10 * DAY)
  expect(customers).toBeGreaterThan(10)
  expect(customers).toBeLessThan(most)
})
