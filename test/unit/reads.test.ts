import { expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { ORDER } from '../order.ts'

function open() {
  const simulator = createSimulator({ rateLimit: 'off', refundDelay: '5s' })
  const shop = simulator.sandbox('default')
  const call = async (method: string, path: string, body?: unknown, address = 'http://paysim.test') => {
    const response = await simulator.fetch(
      new Request(`${address}/v1${path}`, {
        method,
        headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { simulator, shop, call }
}

test('the cache of reads keeps no answer beyond a write, a reset or work that was due', async () => {
  const { simulator, shop, call } = open()
  const { body: checkout } = await call('POST', '/checkouts', ORDER)
  const path = `/checkouts/${checkout.id}`
  const readTwice = async (of = path) => {
    const first = await call('GET', of)
    expect(await call('GET', of)).toEqual(first)
    return first
  }

  expect((await readTwice()).body).toEqual(checkout)
  expect((await readTwice('/checkouts')).body.data).toEqual([checkout])

  const { body: confirmed } = await call('POST', `${path}/confirm`)
  expect((await readTwice()).body).toEqual(confirmed)

  const { body: refund } = await call('POST', `${path}/refunds`, { amount: 400 })
  expect((await readTwice()).body).toMatchObject({ amountRefunded: 400 })
  expect((await readTwice(`/refunds/${refund.id}`)).body).toMatchObject({ status: 'pending' })
  shop.clock.freeze()
  await shop.clock.advance('5s')
  expect((await readTwice(`/refunds/${refund.id}`)).body).toMatchObject({ status: 'completed' })

  shop.reset()
  expect((await readTwice()).status).toBe(404)
  expect((await readTwice('/checkouts')).body.data).toEqual([])
  await simulator.close()
})

test('the cache of reads keeps its answers after a refusal, and every address is shown its own', async () => {
  const { simulator, call } = open()
  const { body: checkout } = await call('POST', '/checkouts', ORDER)
  const path = `/checkouts/${checkout.id}`
  expect((await call('POST', `${path}/refunds`, { amount: 1 })).status).toBe(409)

  for (const address of ['http://paysim.test', 'http://localhost:4100', 'http://paysim.test']) {
    const { body } = await call('GET', path, undefined, address)
    expect(body).toEqual({ ...checkout, checkoutUrl: `${address}/checkout/${checkout.id}` })
  }
  await simulator.close()
})
