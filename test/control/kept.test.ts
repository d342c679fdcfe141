/** The data of a kept sandbox that is opened again. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database } from '../../src/service/store/sqlite.ts'
import { BuyersBrowser } from '../environments/buyer.ts'
import { logged } from '../given.ts'
import { keeper } from './keeper.ts'
import { asPlatform, confirmedCheckout, order, refund } from './shop.ts'

test('includes its clock, its settings, its endpoint and its snapshots', async () => {
  const { open } = keeper()
  const first = (await open()).create({
    name: 'shop',
    refundDelay: '1h',
    webhook: { url: 'http://127.0.0.1:9/a' },
  })
  await first.clock.advance('1d')
  first.webhook.put({ url: 'http://127.0.0.1:9/b' })
  first.snapshot('then')

  const again = (await open()).find('shop')
  expect(again.describe()).toMatchObject({
    refundDelay: '1h',
    clock: { now: '2026-01-02T00:00:00.000Z', frozen: true },
    webhook: { url: 'http://127.0.0.1:9/b' },
  })
  again.clock.resume()
  expect((await open()).find('shop').clock.read().frozen).toBe(false)
  const restored = (await open()).find('shop')
  restored.restore('then')
  expect(restored.clock.read()).toEqual({ now: '2026-01-02T00:00:00.000Z', frozen: true })
})

test('includes a reset and a restore, which are files as well', async () => {
  const { open } = keeper()
  const simulator = await open()
  const shop = simulator.sandbox('default')
  const call = asPlatform(simulator, shop)
  const id = await refund(call, await confirmedCheckout(call), 10)
  shop.snapshot('paid')
  shop.reset()
  expect(shop.events()).toEqual([])
  shop.restore('paid')

  const again = (await open()).sandbox('default')
  expect(await again.clock.advance('5s')).toMatchObject([{ what: 'refund.completed', id }])
})

test('includes no writes through the object of a removed sandbox with the same name', async () => {
  const { open } = keeper()
  const simulator = await open()
  const removed = simulator.create({ name: 'shop' })
  simulator.remove('shop')
  const shop = simulator.create({ name: 'shop' })
  shop.snapshot('empty')
  const id = await confirmedCheckout(asPlatform(simulator, shop))
  expect(() => removed.restore('empty')).toThrow('Sandbox not found')
  expect((await open()).find('shop').resource(id).name).toBe('checkout')
})

test('includes nothing of a sandbox that was removed, by a call or by its ttl', async () => {
  const { data, open } = keeper()
  const simulator = await open()
  simulator.create({ name: 'a' }).snapshot('now')
  simulator.remove('a')
  expect(readdirSync(data).filter((file) => file.startsWith('a'))).toEqual([])
  expect(existsSync(join(data, 'snapshots/a'))).toBe(false)

  simulator.create({ name: 'b', ttl: '30ms' })
  const after = await open()
  await expect.poll(() => after.sandboxes().map(({ name }) => name)).toEqual(['default'])
})

test('applies the flag for a proxy, also to data that was stored without it', async () => {
  const { open } = keeper()
  const statusesOfTwoIps = async (trustProxy: boolean) => {
    const simulator = await open({ trustProxy })
    const { apiKey } = simulator.sandbox('default')
    simulator.sandbox('default').configure({ rateLimit: 1 })
    const statuses: number[] = []
    for (const ip of ['203.0.113.7', '203.0.113.8']) {
      const headers = { 'x-api-key': apiKey, 'x-forwarded-for': ip }
      const { status } = await simulator.fetch(new Request('http://paysim.test/v1/checkouts', { headers }))
      statuses.push(status)
    }
    return statuses
  }
  expect(await statusesOfTwoIps(false)).toEqual([200, 429])
  expect(await statusesOfTwoIps(true)).toEqual([200, 200])
  expect(await statusesOfTwoIps(false)).toEqual([200, 429])
})

test('a request removes at most 1,000 responses with expired keys', async () => {
  const { data, open } = keeper()
  const simulator = await open()
  const shop = simulator.find('default')
  const call = asPlatform(simulator, shop)
  const send = (key: string) => call('POST', '/v1/checkouts', order(), { 'idempotency-key': key })
  const recorded = () => {
    shop.snapshot('now')
    const db = new Database(join(data, 'snapshots/default/now.sqlite'), { readonly: true })
    const count = db.prepare('SELECT count(*) FROM answers').pluck().get()
    db.close()
    return count
  }
  await Promise.all(Array.from({ length: 1_200 }, (_, number) => send(`key-${number}`)))
  await shop.clock.advance('30d')
  await send('later')
  expect(recorded()).toBe(201)
  await send('last')
  expect(recorded()).toBe(2)
})

/** Numbers other than staging's test numbers, which are public and part of a sandbox's settings. */
const TYPED = {
  ...{ number: '5555555555554444', expiry: '12/34', cvc: '987' },
  ...{ routing: '222222226', account: '00987654321' },
  ...{ nationalId: '987654321', first: 'Ada', last: 'Buyer', business: 'Example' },
}

test.for([
  ['card', 'card', TYPED.number],
  ['bank_account', 'account', TYPED.account],
  ['bank_account', 'national ID', TYPED.nationalId],
])(
  'includes of the number that a buyer types only its end: %s, %s',
  async ([paymentMethodType, , number]) => {
    const { data, open, close } = keeper()
    const lines = logged()
    const simulator = await open({ log: 'json' })
    const call = asPlatform(simulator, simulator.find('default'))
    const { checkoutUrl } = (await call('POST', '/v1/checkouts', { ...order(), paymentMethodType })).body
    const buyer = new BuyersBrowser(simulator, checkoutUrl)
    await buyer.open()
    await buyer.submit('log-in', { contact: 'buyer@acme.test' })
    await buyer.submit('code', { code: '000000' })
    for (const step of paymentMethodType === 'card' ? ['card'] : ['application', 'bank'])
      expect((await buyer.submit(step, TYPED)).problems).toEqual([])
    expect((await buyer.submit('review', {})).to).toBe(order().successUrl)
    await close()
    const bytes = readFileSync(join(data, 'default.sqlite'))
    expect(bytes.indexOf(number!.slice(-4))).toBeGreaterThan(-1)
    expect(bytes.indexOf(number!)).toBe(-1)
    expect(lines.join('')).not.toContain(number)
  },
)

test('a row that cannot be read is a bug: the buyer sees that nothing was charged, and the log has the error', async () => {
  const { data, open, close } = keeper()
  const lines = logged()
  const first = await open({ log: 'json' })
  const { checkoutUrl } = (
    await asPlatform(first, first.find('default'))('POST', '/v1/checkouts', {
      ...order(),
      paymentMethodType: 'card',
    })
  ).body
  const buyer = new BuyersBrowser(first, checkoutUrl)
  await buyer.open()
  await buyer.submit('log-in', { contact: 'buyer@acme.test' })
  await buyer.submit('code', { code: '000000' })
  await buyer.submit('card', TYPED)
  await close()
  const db = new Database(join(data, 'default.sqlite'))
  db.exec("UPDATE applications SET card = 'not JSON'")
  db.close()

  const again = new BuyersBrowser(await open({ log: 'json' }), checkoutUrl)
  again.cookie = buyer.cookie
  expect(await again.open('review')).toMatchObject({
    status: 500,
    text: expect.stringContaining('Something went wrong on our side'),
  })
  expect(lines.join('')).toContain('not valid JSON')
})
