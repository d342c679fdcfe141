/** Settings changed at runtime apply from the next request on, until the sandbox is removed. */
import { expect, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { folder } from '../given.ts'
import { asPlatform, openShop, openSimulator, order } from './shop.ts'

const CHANGES = {
  rateLimit: 3,
  refundDelay: '2h',
  requireApproval: true,
  audit: { ignore: { C7: 'legacy importer' } },
} as const

test('settings apply from the next request on, and omitted settings stay', async () => {
  const { shop, call } = openShop()
  const { body } = await call('POST', '/v1/checkouts', order())
  shop.configure({ requireApproval: true })
  expect((await call('POST', `/v1/checkouts/${body.id}/confirm`)).status).toBe(409)
  shop.configure({ requireApproval: false })
  expect((await call('POST', `/v1/checkouts/${body.id}/confirm`)).status).toBe(200)
  shop.configure({ rateLimit: 1 })
  expect((await call('GET', '/v1/checkouts')).status).toBe(200)
  expect((await call('GET', '/v1/checkouts')).status).toBe(429)
  shop.configure({})
  expect(shop.describe()).toMatchObject({ rateLimit: 1, requireApproval: false, refundDelay: '5s' })
})

test('a reset, a snapshot, a copy and a restart keep settings', async () => {
  const data = folder()
  const before = createSimulator({ data })
  const shop = before.sandbox('shop')
  shop.snapshot('earlier')
  shop.configure(CHANGES)
  shop.reset()
  expect(shop.describe()).toMatchObject(CHANGES)
  shop.restore('earlier')
  expect(shop.describe()).toMatchObject(CHANGES)
  expect(before.create({ from: shop }).describe()).toMatchObject(CHANGES)
  await before.close()
  const after = openSimulator({ data })
  expect(after.find('shop').describe()).toMatchObject(CHANGES)
  expect(after.find('shop').audit().ignored).toMatchObject([{ rule: 'C7', reason: 'legacy importer' }])
  const platform = asPlatform(after, after.find('shop'))
  const { body } = await platform('POST', '/v1/checkouts', order())
  expect((await platform('POST', `/v1/checkouts/${body.id}/confirm`)).status).toBe(409)
})

test('an invalid setting is refused and changes nothing; settings of existing data cannot be changed', () => {
  const { shop } = openShop()
  const before = shop.describe()
  for (const wrong of [{ refundDelay: 'soon', rateLimit: 9 }, { seed: 2 }, { profile: {} }, { rateLimit: 0 }])
    expect(() => shop.configure(wrong as never)).toThrow(/must be|is unknown here/)
  expect(shop.describe()).toEqual(before)
})
