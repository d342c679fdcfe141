/** Temporary listeners that replace the webhook endpoint, such as `paysim listen`. */
import { expect, test } from 'vitest'
import { openReceiver } from '../receiver.ts'
import { openShop } from './shop.ts'

const AT = 'http://127.0.0.1:9'

function openWithEndpoint() {
  const { shop } = openShop({ webhook: { url: `${AT}/own`, events: ['refund.*'] } })
  return shop
}

test('the latest listener gets the events, and the endpoint gets them again after all have left', () => {
  const { webhook, signingSecret } = openWithEndpoint()
  const now = () => webhook.get()?.url
  expect(webhook.listen('first', { url: `${AT}/first` })).toMatchObject({
    url: `${AT}/first`,
    secret: signingSecret,
    events: ['*'],
  })
  webhook.listen('second', { url: `${AT}/second`, events: ['checkout.*'] })
  webhook.listen('first', { url: `${AT}/first` })
  expect(webhook.get()).toMatchObject({ url: `${AT}/second`, events: ['checkout.*'] })
  webhook.leave('second')
  expect(now()).toBe(`${AT}/first`)
  webhook.leave('first')
  webhook.leave('first')
  expect(webhook.get()).toMatchObject({ url: `${AT}/own`, events: ['refund.*'] })
})

test('a listener that does not renew its lease is removed when it expires', async () => {
  const { webhook } = openWithEndpoint()
  webhook.listen('dead', { url: `${AT}/dead`, lease: '1ms' })
  await expect.poll(() => webhook.get()?.url).toBe(`${AT}/own`)
})

test('without an endpoint, nothing is set after the listener has left', () => {
  const { shop } = openShop()
  expect(shop.webhook.listen('only', { url: `${AT}/only` }).secret).toBe(shop.signingSecret)
  shop.webhook.leave('only')
  expect(shop.webhook.get()).toBeNull()
})

test('a lease that expires immediately gets a normal response', () => {
  const { shop } = openShop()
  expect(shop.webhook.listen('gone', { url: `${AT}/gone`, lease: 0 })).toMatchObject({
    url: `${AT}/gone`,
    secret: shop.signingSecret,
  })
  expect(shop.webhook.get()).toBeNull()
})

test('setting or removing an endpoint dismisses all listeners', () => {
  const { webhook } = openWithEndpoint()
  for (const [name, change, url] of [
    ['one', () => webhook.put({ url: `${AT}/new` }), `${AT}/new`],
    ['other', () => webhook.remove(), undefined],
  ] as const) {
    webhook.listen(name, { url: `${AT}/${name}` })
    change()
    expect(webhook.get()?.url).toBe(url)
    expect(() => webhook.listen(name, { url: `${AT}/${name}` })).toThrow('Another endpoint was set meanwhile')
    expect(webhook.get()?.url).toBe(url)
  }
})

test('a reset keeps the endpoint, and keeps the listener', () => {
  const shop = openWithEndpoint()
  shop.webhook.listen('mine', { url: `${AT}/mine` })
  shop.reset()
  expect(shop.webhook.get()?.url).toBe(`${AT}/mine`)
  shop.webhook.leave('mine')
  expect(shop.webhook.get()?.url).toBe(`${AT}/own`)
})

test('a listener that returns 410 gets no more events, and the endpoint stays unchanged', async () => {
  const receiver = await openReceiver()
  receiver.reply(410)
  const { shop, call } = openShop({ webhook: { url: `${AT}/own` } })
  shop.webhook.listen('mine', { url: receiver.url })
  await call('POST', '/v1/customers', { externalId: 'acme' })
  await shop.settle()
  expect(shop.webhook.get()).toMatchObject({ url: receiver.url, disabledAt: expect.any(String) })
  shop.webhook.leave('mine')
  expect(shop.webhook.get()).toMatchObject({ url: `${AT}/own`, disabledAt: null })
})

test('an endpoint that returns 410 after a listener replaced it is disabled, and the listener is not', async () => {
  const receiver = await openReceiver()
  const held: { writeHead(status: number): { end(): void } }[] = []
  receiver.reply((response) => void held.push(response))
  const { shop, call } = openShop({ webhook: { url: receiver.url } })
  await call('POST', '/v1/customers', { externalId: 'acme' })
  await receiver.until(() => held.length === 1)
  shop.webhook.listen('mine', { url: `${AT}/mine` })
  for (const response of held) response.writeHead(410).end()
  await shop.settle()
  expect(shop.webhook.get()).toMatchObject({ url: `${AT}/mine`, disabledAt: null })
  shop.webhook.leave('mine')
  expect(shop.webhook.get()).toMatchObject({ url: receiver.url, disabledAt: expect.any(String) })
})
