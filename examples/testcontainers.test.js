// Tests with paysim in a container: `npm i -D testcontainers paysim && node --test`.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PaysimContainer } from 'paysim/testcontainers'

let paysim

before(async () => {
  paysim = await new PaysimContainer().withProduction().withRateLimit('off').start()
})
after(() => paysim.stop())

test('a refund is completed after two days', async () => {
  // A sandbox for this test; others may run at the same time.
  const sandbox = await paysim.getControl().create({ clock: 'frozen' })
  const post = async (path, json = {}) => {
    const response = await fetch(`${paysim.getUrl()}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })
    return response.json()
  }

  const checkout = await post('/checkouts', {
    orderId: 'o-1',
    externalId: 'acme',
    amount: 1000,
    successUrl: 'https://shop.test/ok',
    cancelUrl: 'https://shop.test/no',
  })
  await post(`/checkouts/${checkout.id}/confirm`)
  const refund = await post(`/checkouts/${checkout.id}/refunds`, { amount: 250 })
  assert.equal(refund.status, 'pending')

  const [happened] = await sandbox.clock.advance('2d')
  assert.deepEqual([happened.what, happened.id], ['refund.completed', refund.id])
  assert.equal((await sandbox.ledger()).sums.refunded, 250)
})

test('production confirms only what a buyer approved', async () => {
  // A simulation of production, at a separate address.
  const url = paysim.getUrl('production')
  const sandbox = await paysim.getControl('production').create()
  const post = (path, json = {}) =>
    fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })

  const created = await post('/checkouts', {
    orderId: 'o-1',
    externalId: 'acme',
    amount: 1000,
    successUrl: 'https://shop.test/ok',
    cancelUrl: 'https://shop.test/no',
  })
  const { id } = await created.json()
  assert.equal((await post(`/checkouts/${id}/confirm`)).status, 409)
  await sandbox.buyer.approve(id)
  assert.equal((await post(`/checkouts/${id}/confirm`)).status, 200)
})
