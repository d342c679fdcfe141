/** The cache of reads returns the exact bytes, and nothing outdated. */
import { expect, test } from 'vitest'
import { openShop } from '../control/shop.ts'
import { ORDER } from '../order.ts'

test('a write, a reset or due work invalidates the cache of reads', async () => {
  const { shop, call } = openShop({ refundDelay: '5s' })
  const { body: checkout } = await call('POST', '/v1/checkouts', ORDER)
  const path = `/v1/checkouts/${checkout.id}`
  const readTwice = async (of = path) => {
    const [first, second] = [await call('GET', of), await call('GET', of)]
    expect(second.body).toEqual(first.body)
    return first
  }

  expect((await readTwice()).body).toEqual(checkout)
  expect((await readTwice('/v1/checkouts')).body.data).toEqual([checkout])

  const { body: confirmed } = await call('POST', `${path}/confirm`)
  expect((await readTwice()).body).toEqual(confirmed)

  const { body: refund } = await call('POST', `${path}/refunds`, { amount: 400 })
  expect((await readTwice()).body).toMatchObject({ amountRefunded: 400 })
  expect((await readTwice(`/v1/refunds/${refund.id}`)).body).toMatchObject({ status: 'pending' })
  await shop.clock.advance('5s')
  expect((await readTwice(`/v1/refunds/${refund.id}`)).body).toMatchObject({ status: 'completed' })

  shop.reset()
  expect((await readTwice()).status).toBe(404)
  expect((await readTwice('/v1/checkouts')).body.data).toEqual([])
})

test('a refusal does not invalidate the cache, and every address sees its own URLs', async () => {
  const { simulator, shop, call } = openShop()
  const { body: checkout } = await call('POST', '/v1/checkouts', ORDER)
  const path = `/v1/checkouts/${checkout.id}`
  expect((await call('POST', `${path}/refunds`, { amount: 1 })).status).toBe(409)

  for (const address of ['http://paysim.test', 'http://localhost:4100', 'http://paysim.test']) {
    const request = new Request(address + path, { headers: { 'x-api-key': shop.apiKey } })
    expect(await (await simulator.fetch(request)).json()).toEqual({
      ...checkout,
      checkoutUrl: `${address}/checkout/${checkout.id}`,
    })
  }
})
