import { useSandbox } from 'paysim/vitest'
import { expect, test } from 'vitest'

const shop = useSandbox({ environment: 'production' })

test('a sandbox of production is served at an address of production', async () => {
  const call = (path: string, body = {}) =>
    fetch(`${shop.url}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const urls = { successUrl: 'https://shop.test/ok', cancelUrl: 'https://shop.test/no' }
  const created = await call('/checkouts', { orderId: 'o-1', externalId: 'acme', amount: 10, ...urls })
  const { id } = (await created.json()) as { id: string }
  expect((await call(`/checkouts/${id}/confirm`)).status).toBe(409)
  shop.buyer.approve(id)
  expect((await call(`/checkouts/${id}/confirm`)).status).toBe(200)
})
