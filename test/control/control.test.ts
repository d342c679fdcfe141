import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/index.ts'
import { SANDBOX_VERBS } from '../../src/tester/control/sandbox-verbs.ts'
import { asPlatform, confirmedCheckout, openShop, openSimulator, order, refund, START } from './shop.ts'

describe('the clock', () => {
  test('advances, and returns what happened on the way', async () => {
    const { shop, call } = openShop()
    const id = await refund(call, await confirmedCheckout(call), 250)

    expect(await shop.clock.advance('2d')).toEqual([
      { at: '2026-01-01T00:00:05.000Z', what: 'refund.completed', id, detail: `refund ${id} completed` },
    ])
    expect(shop.clock.read().now).toBe('2026-01-03T00:00:00.000Z')
    expect(shop.clock.now()).toBe(Date.parse('2026-01-03T00:00:00Z'))
    const { body } = await call('GET', `/v1/refunds/${id}`)
    expect(body).toMatchObject({ status: 'completed', completedAt: '2026-01-01T00:00:05.000Z' })
  })

  test('adds up parallel advances', async () => {
    const { shop } = openShop()
    await Promise.all([shop.clock.advance('1h'), shop.clock.advance('1h'), shop.clock.advance(1000)])
    expect(shop.clock.read().now).toBe('2026-01-01T02:00:01.000Z')
  })

  test('can be set forward, but never back', async () => {
    const { shop } = openShop()
    await shop.clock.set('2026-02-01T00:00:00Z')
    expect(shop.clock.read().now).toBe('2026-02-01T00:00:00.000Z')
    await expect(shop.clock.set(START)).rejects.toMatchObject({ status: 400 })
    await expect(shop.clock.advance('36500d').then(() => shop.clock.advance('36500d'))).resolves.toEqual([])
    await expect(shop.clock.advance('soon' as '1s')).rejects.toThrow('advance must be a duration')
  })

  test('freezes at its current time, and runs again', () => {
    const { shop } = openShop({ clock: 'real' })
    expect(shop.clock.read().frozen).toBe(false)
    const { now, frozen } = shop.clock.freeze()
    expect(frozen).toBe(true)
    expect(shop.clock.read().now).toBe(now)
    expect(shop.clock.resume().frozen).toBe(false)
  })
})

describe('records', () => {
  test('the ledger counts the money in major units', async () => {
    const { shop, call } = openShop()
    const checkoutId = await confirmedCheckout(call, 1000)
    const refundId = await refund(call, checkoutId, 250.5)
    const moved = { currency: 'USD', checkoutId, authorizationId: null, createdAt: START }
    expect(shop.ledger()).toMatchObject({
      sums: { charged: 1000, captured: 0, refunded: 250.5, charges: 1, captures: 0, refunds: 1 },
      movements: [
        { ...moved, number: 1, kind: 'charge', amount: 1000, refundId: null },
        { ...moved, number: 2, kind: 'refund', amount: 250.5, refundId },
      ],
    })
  })

  test('messages are captured, and can be cleared', async () => {
    const { shop, call } = openShop()
    const relatedId = await confirmedCheckout(call)
    expect(shop.outbox()).toMatchObject([
      { channel: 'email', template: 'checkout_receipt', relatedId, status: 'captured' },
    ])
    shop.clearOutbox()
    expect(shop.outbox()).toEqual([])
  })

  test('events are listed in order, filtered or page by page', async () => {
    const { shop, call } = openShop()
    const resourceId = await confirmedCheckout(call)
    const types = ['checkout.created', 'customer.created', 'payment_method.attached', 'checkout.confirmed']
    const events = shop.events()
    expect(events.map(({ type }) => type)).toEqual(types)
    expect(shop.events({ resourceId }).map(({ type }) => type)).toEqual([types[0], types[3]])
    expect(shop.events({ limit: 1 })).toEqual([events[3]])
    expect(shop.events({ limit: 2, cursor: events[3]!.id })).toEqual([events[1], events[2]])
    expect(events[3]!.data).toMatchObject({ id: resourceId, amount: 1000 })
  })

  test('an event can be sent again, with the current state of its resource', async () => {
    const { shop, call } = openShop()
    const resourceId = await confirmedCheckout(call)
    const event = shop.emit({ type: 'checkout.canceled', resourceId })
    expect(event).toMatchObject({ type: 'checkout.canceled', data: { id: resourceId, status: 'confirmed' } })
    expect(() => shop.emit({ type: 'refund.created', resourceId })).toThrow('of a checkout')
    expect(() => shop.emit({ type: 'refund.created', resourceId: 'ref_x' })).toThrow('Resource not found')
    expect(shop.events()).toHaveLength(5)
  })

  test('emit sends the exact event of a ticket', async () => {
    const { shop, call } = openShop()
    const resourceId = await confirmedCheckout(call)
    const changed = shop.emit({
      type: 'checkout.confirmed',
      resourceId,
      data: { amount: 12.5, note: 'by phone' },
      id: 'evt_of_ticket',
      timestamp: '2026-03-01T10:00:00.000Z',
    })
    expect(changed).toMatchObject({
      id: 'evt_of_ticket',
      type: 'checkout.confirmed',
      timestamp: '2026-03-01T10:00:00.000Z',
      data: { id: resourceId, amount: 12.5, note: 'by phone', status: 'confirmed', orderId: 'o-1' },
    })
    expect((await call('GET', '/v1/events/evt_of_ticket')).body).toEqual(changed)
    expect(shop.read('events.get', { id: 'evt_of_ticket' })).toMatch(
      /"amount":12\.50,.*"amountRefunded":0\.00,/,
    )
    const elsewhere = { id: 'ref_of_ticket', status: 'completed' }
    expect(shop.emit({ type: 'refund.completed', data: elsewhere }).data).toEqual(elsewhere)

    const emit = (event: object) => () => shop.emit(event as never)
    expect(emit({ type: 'refund.completed', data: elsewhere, id: 'evt_of_ticket' })).toThrow(
      'The event evt_of_ticket already exists',
    )
    expect(emit({ type: 'refund.completed', data: {} })).toThrow(
      'resourceId must say which resource it is about, or data must have its id',
    )
    expect(emit({ type: 'refund.completed', data: elsewhere, id: 'a b' })).toThrow(
      'id must be 1 to 255 letters, digits, - and _',
    )
    expect(emit({ type: 'refund.completed', data: elsewhere, timestamp: 'soon' })).toThrow(
      'timestamp must be a time',
    )
  })

  test('requests are journaled, whatever their outcome', async () => {
    const { shop, call } = openShop()
    const { body, headers } = await call('POST', '/v1/checkouts', order(), { 'idempotency-key': 'k-1' })
    await call('GET', '/v1/checkouts/chk_nobody')
    await call('GET', `/v1/checkouts/${body.id}`)
    await call('GET', '/v1/nothing')

    expect(shop.requests().map(({ target, status }) => [target, status])).toEqual([
      ['/v1/checkouts', 201],
      ['/v1/checkouts/chk_nobody', 404],
      [`/v1/checkouts/${body.id}`, 200],
      ['/v1/nothing', 404],
    ])
    const ids = (filter: Parameters<typeof shop.requests>[0]) => shop.requests(filter).map(({ id }) => id)
    expect(ids({ op: 'checkouts.create' })).toEqual([headers.get('x-sim-request')])
    expect(ids({ status: '4xx' })).toEqual(['req_2', 'req_4'])
    expect(ids({ status: 200 })).toEqual(['req_3'])
    expect(ids({ key: 'k-1' })).toEqual(['req_1'])
    expect(ids({ resource: body.id })).toEqual(['req_1', 'req_3'])
    expect(ids({ method: 'post' })).toEqual(['req_1'])
    expect(ids({ since: 'req_2' })).toEqual(['req_3', 'req_4'])
    expect(ids({ limit: 2 })).toEqual(['req_3', 'req_4'])
    expect(ids({ limit: 1, cursor: 'req_3' })).toEqual(['req_2'])
    expect(() => shop.requests({ status: 'bad' as 'none' })).toThrow('status')
    shop.clearRequests()
    expect(shop.requests()).toEqual([])
  })

  test('`since` a time includes that time, and `until` excludes it', async () => {
    const { shop, call } = openShop()
    await call('GET', '/v1/checkouts')
    await shop.clock.advance('1m')
    await call('GET', '/v1/refunds')
    await shop.clock.advance(1)
    await call('GET', '/v1/customers')

    const [, { arrivedAt }] = shop.requests() as [unknown, { arrivedAt: string }]
    const ids = (filter: Parameters<typeof shop.requests>[0]) => shop.requests(filter).map(({ id }) => id)
    expect(ids({ since: arrivedAt })).toEqual(['req_2', 'req_3'])
    expect(ids({ since: Date.parse(arrivedAt) + 1 })).toEqual(['req_3'])
    expect(ids({ since: Date.parse(arrivedAt) + 2 })).toEqual([])
    expect(ids({ until: arrivedAt })).toEqual(['req_1'])
    // A request id as a limit is excluded on both sides.
    expect(ids({ since: 'req_2' })).toEqual(['req_3'])
    expect(ids({ until: 'req_2' })).toEqual(['req_1'])
  })
})

describe('actions that only a tester has', () => {
  test('a refund completes immediately', async () => {
    const { shop, call } = openShop()
    const id = await refund(call, await confirmedCheckout(call), 10)
    expect(shop.refunds.complete(id)).toMatchObject({
      id,
      status: 'completed',
      amount: 10,
      completedAt: START,
    })
    expect(() => shop.refunds.complete(id)).toThrow('Refund is already completed')
    expect(await shop.clock.advance('1d')).toEqual([])
  })

  test('a test card or account is attached', async () => {
    const { shop, call } = openShop()
    const { body } = await call('POST', '/v1/customers', { externalId: 'acme' })
    expect(shop.paymentMethods.attach(body.id)).toMatchObject({ type: 'card', card: { last4: '4242' } })
    expect(shop.paymentMethods.attach(body.id, { type: 'bank_account' })).toMatchObject({
      type: 'bank_account',
    })
    expect(() => shop.paymentMethods.attach('cus_nobody')).toThrow('Customer not found')
  })

  test('test values can be read', () => {
    const { shop } = openShop()
    expect(shop.testValues()).toContainEqual(expect.objectContaining({ value: '000000' }))
  })
})

describe('state', () => {
  test('a reset starts over: the same seed generates the same ids again', async () => {
    const { shop, call } = openShop()
    shop.webhook.put({ url: 'http://127.0.0.1:9/hook' })
    const first = await call('POST', '/v1/checkouts', order())
    await shop.clock.advance('1h')
    shop.reset()
    const again = await call('POST', '/v1/checkouts', order())
    expect(again.body).toEqual(first.body)
    expect(shop.requests()).toHaveLength(1)
    expect(shop.webhook.get()).toMatchObject({ url: 'http://127.0.0.1:9/hook' })
  })

  test('a reset can keep parts of the state', async () => {
    const { shop, call } = openShop({ rateLimit: 5 })
    await call('POST', '/v1/checkouts', order())
    await shop.clock.advance('1h')
    shop.reset({ what: ['state'] })
    expect(shop.clock.read().now).toBe('2026-01-01T01:00:00.000Z')
    expect(shop.requests()).toHaveLength(1)
    expect(shop.events()).toEqual([])
    shop.reset({ what: ['journal', 'clock'] })
    expect(shop.requests()).toEqual([])
    expect(shop.clock.read().now).toBe(START)
    for (let n = 0; n < 5; n += 1) await call('GET', '/v1/checkouts')
    expect((await call('GET', '/v1/checkouts')).status).toBe(429)
    shop.reset({ what: ['limits'] })
    expect((await call('GET', '/v1/checkouts')).status).toBe(200)
    expect(() => shop.reset({ what: ['everything' as never] })).toThrow('what.0 must be one of')
  })

  test('a restored snapshot includes pending work', async () => {
    const { shop, call } = openShop()
    const id = await refund(call, await confirmedCheckout(call), 10)
    const { name } = shop.snapshot()
    const first = await shop.clock.advance('1d')
    shop.restore(name)
    expect(shop.clock.read().now).toBe(START)
    expect((await call('GET', `/v1/refunds/${id}`)).body.status).toBe('pending')
    expect(await shop.clock.advance('1d')).toEqual(first)
    expect(() => shop.restore('nothing')).toThrow('Snapshot not found')
    expect(() => shop.snapshot('../wrong')).toThrow('name must be')
    expect(shop.snapshots.list()).toMatchObject([{ name }])
    shop.snapshots.remove(name)
    expect(shop.snapshots.list()).toEqual([])
  })

  test('a fork is independent of its source', async () => {
    const { simulator, shop, call } = openShop({ refundDelay: '1h' })
    const id = await refund(call, await confirmedCheckout(call), 10)
    const fork = simulator.sandbox('shard-7', { from: shop })
    await fork.clock.advance('2h')
    expect((await asPlatform(simulator, fork)('GET', `/v1/refunds/${id}`)).body.status).toBe('completed')
    expect((await call('GET', `/v1/refunds/${id}`)).body.status).toBe('pending')
    expect(fork.apiKey).toBe('sk_staging_shard-7')
    expect(fork.describe()).toMatchObject({ refundDelay: '1h', rateLimit: 'off', seed: 1 })

    shop.snapshot('now')
    const later = simulator.create({ from: { snapshot: 'now' }, clock: 'frozen@2027-01-01T00:00:00Z' })
    expect(later.clock.read().now).toBe('2027-01-01T00:00:00.000Z')
    expect(later.name).toBe('sandbox-2')
    expect(() => simulator.create({ from: 'nobody' })).toThrow('Sandbox not found')
    expect(() => simulator.create({ name: 'shard-7' })).toThrow('The sandbox shard-7 already exists')
  })
})

describe('many sandboxes', () => {
  test('a sandbox is removed by a call, or when its ttl ends', async () => {
    const simulator = openSimulator()
    simulator.create({ name: 'a' })
    simulator.create({ name: 'b', ttl: '20ms' })
    expect(simulator.sandboxes().map(({ name }) => name)).toEqual(['default', 'a', 'b'])
    const call = asPlatform(simulator, simulator.find('a'))
    expect((await call('GET', '/v1/checkouts')).status).toBe(200)
    simulator.remove('a')
    expect((await call('GET', '/v1/checkouts')).status).toBe(401)
    await expect.poll(() => simulator.sandboxes().length).toBe(1)
    expect(() => simulator.remove('default')).toThrow('always there')
    expect(() => simulator.remove('a')).toThrow('Sandbox not found')
  })

  test('a callback runs after each request, until it is unsubscribed', async () => {
    const { shop, call } = openShop()
    const seen: string[] = []
    const stop = shop.watch((request) => seen.push(`${request().operation} ${request().status}`))
    await call('GET', '/v1/checkouts')
    await call('GET', '/v1/checkouts/chk_x')
    stop()
    await call('GET', '/v1/events')
    expect(seen).toEqual(['checkouts.list 200', 'checkouts.get 404'])
  })

  test('read returns the exact bytes of a response, and is not journaled', async () => {
    const { shop, call } = openShop()
    const checkout = await confirmedCheckout(call, 1000, 'order-7')
    await refund(call, checkout, 10)
    const before = shop.requests().length
    expect(JSON.parse(shop.read('checkouts.list', { status: 'confirmed' })).data).toHaveLength(1)
    expect(shop.read('checkouts.refunds', { id: checkout })).toContain('"amount":10.00')
    const found = shop.resource(checkout)
    // Compiles only if the name determines the fields.
    expect(found.name === 'checkout' && found.resource.orderId).toBe('order-7')
    expect(shop.due()).toMatchObject([{ kind: 'refund.complete' }])
    expect(shop.requests()).toHaveLength(before)
  })

  test('the public object exposes no internals', () => {
    const { shop } = openShop()
    const parts: Record<Exclude<keyof Sandbox, keyof typeof SANDBOX_VERBS>, true> = {
      name: true,
      apiKey: true,
      signingSecret: true,
      watch: true,
    }
    const known = Object.keys({ ...SANDBOX_VERBS, ...parts })
    expect(Object.keys(shop).filter((name) => !known.includes(name))).toEqual([])
  })
})
