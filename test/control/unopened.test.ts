/** A sandbox created over HTTP creates its parts with its first request, without a visible difference. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { asPlatform, asTester, newSimulator } from './shop.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const opened = (options: SimulatorOptions = {}) =>
  newSimulator({ rateLimit: 'off', publicUrl: 'http://paysim.test', ...options })

test('an unopened sandbox needs less than 8 KB; with its parts it would need 25', async () => {
  const simulator = opened()
  const ask = asTester(simulator)
  const heldAfter = async (count: number) => {
    for (let made = 0; made < count; made += 1) await ask('POST', '/sandboxes', {})
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = await heldAfter(100)
  expect((await heldAfter(400)) - before).toBeLessThan(400 * 8 * 1024)
})

test('its clock starts when the sandbox is created, before its first request and after a reset', async () => {
  const simulator = opened({ clock: 'frozen' })
  const ask = asTester(simulator)
  const { body: made } = await ask('POST', '/sandboxes', { name: 'shop' })
  const { now } = made.clock
  while (Date.now() === Date.parse(now)) await new Promise(setImmediate)
  const read = async () => (await ask('GET', '/sandboxes/shop/clock')).body.now
  expect(await read()).toBe(now)
  await ask('POST', '/sandboxes/shop/reset')
  expect(await read()).toBe(now)
})

test('an unopened sandbox is described and listed as after its first request', async () => {
  const simulator = opened()
  const ask = asTester(simulator)
  const webhook = { url: 'http://127.0.0.1:9/hook', events: ['checkout.created'] }
  const settings = { name: 'shop', seed: 7, clock: 'frozen', webhook, ttl: '1h', requireApproval: true }
  const { body: made } = await ask('POST', '/sandboxes', settings)
  const listed = async () => (await ask('GET', '/sandboxes')).body.data.at(-1)
  expect(await listed()).toEqual(made)
  const { status } = await asPlatform(simulator, made)('GET', '/v1/checkouts')
  expect(status).toBe(200)
  expect(await listed()).toEqual(made)
  expect((await ask('GET', '/sandboxes/shop/webhook')).body).toMatchObject(webhook)
})

test('a sandbox can be removed before its first request', async () => {
  const simulator = opened()
  const ask = asTester(simulator)
  await ask('POST', '/sandboxes', { name: 'shop' })
  expect((await ask('DELETE', '/sandboxes/shop')).status).toBe(204)
  expect((await ask('GET', '/sandboxes/shop')).status).toBe(404)
  expect((await ask('POST', '/sandboxes', { name: 'shop' })).status).toBe(201)
})

test('the object of a removed sandbox refuses, even if it was never used before', () => {
  const simulator = opened()
  const shop = simulator.create({ name: 'shop' })
  simulator.remove('shop')
  expect(() => shop.ledger()).toThrow('Sandbox not found')
})
