import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSimulator, readFixture } from '../../src/index.ts'
import { folder } from '../given.ts'
import { asPlatform, asTester, type Method, openShop, openSimulator } from './shop.ts'

const root = join(import.meta.dirname, '../..')
const demo = await readFixture(join(root, 'fixtures/demo.yaml'))

test('the demo has every kind of resource', async () => {
  const { shop, call } = openShop({ fixture: demo })
  const { body } = await call('GET', '/v1/checkouts')
  const statuses = body.data.map(({ orderId, status }: Record<string, string>) => `${orderId} ${status}`)
  expect(statuses.reverse()).toEqual([
    'order-1001 confirmed',
    'order-1002 confirmed',
    'order-1003 approved',
    'order-1004 confirmed',
    'order-1005 pending',
    'order-1006 canceled',
  ])
  expect(
    (await call('GET', '/v1/authorizations')).body.data.map(({ status }: { status: string }) => status),
  ).toEqual(['voided', 'captured', 'authorized'])
  expect(shop.ledger().sums).toMatchObject({
    charged: 13_589.9,
    captured: 240,
    refunded: 390,
    charges: 3,
    captures: 1,
    refunds: 3,
  })
  expect(await shop.clock.advance('1d')).toHaveLength(2)
  expect(shop.requests({ op: 'checkouts.create' })).toEqual([])
})

test('if refunds complete immediately, all refunds of the demo are complete', async () => {
  const { call } = openShop({ fixture: demo, refundDelay: 0 })
  const { body } = await call('GET', '/v1/refunds')
  expect(body.data.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('completed'))
})

test('a reset restores the fixture with the same ids, and sends no webhooks', async () => {
  const { shop, call } = openShop({ fixture: demo, webhook: { url: 'http://127.0.0.1:9/' } })
  const before = (await call('GET', '/v1/checkouts')).body
  await call('POST', '/v1/customers', { externalId: 'new' })
  expect(shop.deliveries()).toHaveLength(1)
  shop.reset()
  expect((await call('GET', '/v1/checkouts')).body).toEqual(before)
  expect(shop.deliveries()).toEqual([])
  expect(shop.webhook.get()).toMatchObject({ url: 'http://127.0.0.1:9/' })
})

test('only a sandbox created from the fixture has its data', async () => {
  const simulator = openSimulator()
  const demoShop = simulator.create({ from: { fixture: demo } })
  expect((await asPlatform(simulator, demoShop)('GET', '/v1/customers')).body.data).toHaveLength(3)
  const fork = simulator.create({ from: demoShop })
  expect((await asPlatform(simulator, fork)('GET', '/v1/customers')).body.data).toHaveLength(3)
  expect(simulator.sandbox('default').events()).toEqual([])
})

test('the data is created once, however often a kept sandbox is opened', async () => {
  const data = folder()
  for (let start = 0; start < 2; start += 1) {
    const simulator = createSimulator({ data, fixture: demo })
    const { body } = await asPlatform(simulator, simulator.sandbox('default'))('GET', '/v1/authorizations')
    expect(body.data).toHaveLength(3)
    await simulator.close()
  }
})

test('the buyer approves first if only an approved checkout can be confirmed', () => {
  const { shop } = openShop({ fixture: demo, requireApproval: true })
  expect(shop.ledger().sums.charges).toBe(3)
})

test.each([
  ['demo', 'Invalid field: fixture must be seed data such as { customers: [] }, or what readFixture returns'],
  [{ checkout: [] }, 'Invalid field: fixture.checkout is unknown here'],
  [{ customers: [{}] }, 'Missing required field: fixture.customers.0.externalId'],
  [
    { customers: [{ externalId: 'a' }, { externalId: 'a' }] },
    'fixture.customers.1 cannot be made: Customer with this',
  ],
  [
    { authorizations: [{ externalId: 'a', amount: 1 }] },
    'fixture.authorizations.0 cannot be made: Customer not found',
  ],
  [
    { checkouts: [{ orderId: 'o', externalId: 'a', amount: 1, refunds: [{ amount: 1 }] }] },
    'fixture.checkouts.0 cannot be made: Checkout is pending, not confirmed',
  ],
  [
    { customers: [{ externalId: 'a', nam: 'Ada' }] },
    'fixture.customers.0 cannot be made: Unknown field: nam',
  ],
  [
    { checkouts: [{ orderId: 'o', externalId: 'a', amount: '1' }] },
    'fixture.checkouts.0.amount must be a positive',
  ],
])('%j is refused', (fixture, message) => {
  expect(() => createSimulator({ fixture: fixture as never })).toThrow(message)
})

test('over HTTP, a sandbox can be created from seed data or from a built-in fixture', async () => {
  const simulator = openSimulator()
  const send = (method: Method, path: string, body: object) =>
    asTester(simulator)(method, `/sandboxes${path}`, body)
  const customersOf = (name: string) => simulator.sandbox(name).events({ type: 'customer.created' }).length
  const customers = [{ externalId: 'a' }, { externalId: 'b' }]
  expect((await send('POST', '', { name: 'two', fixture: { customers } })).status).toBe(201)
  expect((await send('POST', '', { name: 'named', fixture: 'demo' })).status).toBe(201)
  expect((await send('PUT', '/opened', { fixture: 'demo' })).status).toBe(200)
  expect((await send('PUT', '/opened', { fixture: 'demo' })).status).toBe(200)
  expect([customersOf('two'), customersOf('named'), customersOf('opened')]).toEqual([2, 3, 3])
  simulator.sandbox('two').reset()
  expect(customersOf('two')).toBe(2)
  expect(await send('PUT', '/opened', { fixture: { customers } })).toMatchObject({
    status: 409,
    body: { message: 'The sandbox opened already exists, with another fixture' },
  })
  expect(await send('POST', '', { fixture: 'dmo' })).toMatchObject({
    status: 400,
    body: {
      message:
        'fixture must be demo, which comes with paysim, or seed data of your own, not "dmo"; did you mean demo?',
    },
  })
  for (const path of ['../package.json', 'staging', '/etc/passwd'])
    expect(await send('POST', '', { fixture: path })).toMatchObject({ status: 400 })
  expect(await send('POST', '', { fixture: 7 })).toMatchObject({ status: 400 })
  expect(await send('POST', '', { from: 'two', fixture: 'demo' })).toMatchObject({
    status: 400,
    body: { message: 'fixture cannot be combined with from: a fixture needs an empty sandbox.' },
  })
})

test('a built-in fixture is read by its name, unless a file has that name', async () => {
  expect(await readFixture('demo')).toEqual(demo)
  await expect(readFixture('nothing')).rejects.toThrow('No such file: nothing; demo comes with paysim.')
})
