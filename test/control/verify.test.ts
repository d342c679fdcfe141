import { describe, expect, test } from 'vitest'
import { asTester, confirmedCheckout, openShop, order, refund } from './shop.ts'

describe('verify', () => {
  test('counts matching requests', async () => {
    const { shop, call } = openShop()
    const id = await confirmedCheckout(call)
    await refund(call, id, 250)
    await refund(call, id, 9_999)

    const { count, requests } = await shop.verify({ op: 'checkouts.refund', status: 201, count: 1 })
    expect([count, requests[0]!.target]).toEqual([1, `/v1/checkouts/${id}/refunds`])
    await shop.verify({ call: 'POST /v1/checkouts/{id}/refunds', count: 2 })
    await shop.verify({ call: 'POST /v1/**', count: { atLeast: 4 } })
    await shop.verify({ op: 'checkouts.*', json: { amount: { gt: 1000 } }, status: '4xx', count: 1 })
    await shop.verify({ header: { 'Content-Type': 'application/json' }, count: { atMost: 3 } })
    await shop.verify({ op: 'refunds.create', count: 0 })
    await shop.verify({ op: 'checkouts.refund', exactly: 2 })
    await shop.verify({ op: 'checkouts.refund', atLeast: 1, atMost: 2 })
    await expect(shop.verify({ op: 'checkouts.refund', exactly: 1 })).rejects.toThrow(
      'Expected checkouts.refund exactly once, found 2',
    )
    await expect(shop.verify({ op: 'checkouts.refund', atLeast: 3, atMost: 4 })).rejects.toThrow(
      'Expected checkouts.refund at least 3 and at most 4 times, found 2',
    )
  })

  test('a miss lists the nearest requests and how they differ', async () => {
    const { shop, call } = openShop()
    await call('POST', '/v1/checkouts', order(200), { 'idempotency-key': 'k-1' })
    await call('GET', '/v1/checkouts')

    const missed = shop.verify({ call: 'POST /v1/checkouts', key: 'k-2', json: { amount: 250 }, status: 201 })
    await expect(missed).rejects.toMatchObject({
      status: 424,
      message: [
        'Expected POST /v1/checkouts with key "k-2", json {"amount":250}, status 201 at least once, found 0 among 2 requests.',
        '  req_1 POST /v1/checkouts → 201: key is "k-1", not "k-2"; $.amount is 200, not 250',
        '  req_2 GET /v1/checkouts → 200: call is GET /v1/checkouts, not POST /v1/checkouts; key is nothing, not "k-2"; status is 200, not 201; $ is null, not {"amount":250}',
      ].join('\n'),
      details: { found: 0, nearest: [{ request: { id: 'req_1' } }, { request: { id: 'req_2' } }] },
    })
    await expect(shop.verify({ op: 'checkouts.create', count: 0 })).rejects.toMatchObject({
      message: 'Expected checkouts.create never, found 1 among 2 requests.\n  req_1 POST /v1/checkouts → 201',
      details: { requests: [{ id: 'req_1' }], nearest: [] },
    })
  })

  test('counts a request whose connection broke before the operation', async () => {
    const { shop, call } = openShop()
    await call('POST', '/v1/checkouts', order(), { 'x-sim': 'fault=reset', 'idempotency-key': 'k' }).catch(
      () => {},
    )
    await call('POST', '/v1/checkouts', order(), { 'idempotency-key': 'k' })
    await shop.verify({ op: 'checkouts.create', count: 2, keys: 'same', bodies: 'same' })
    await expect(shop.verify({ op: 'checkouts.create', status: 500 })).rejects.toThrow(
      '  req_1 POST /v1/checkouts → reset: status is null, not 500',
    )
  })

  test('compares the pause between requests with a duration, or with milliseconds', async () => {
    const { shop, call } = openShop()
    await call('GET', '/v1/checkouts')
    await shop.clock.advance('1s')
    await call('GET', '/v1/checkouts')
    for (const apart of ['1s', 1_000] as const) await shop.verify({ op: 'checkouts.list', apart })
    for (const apart of ['1s1ms', 1_001] as const)
      await expect(shop.verify({ op: 'checkouts.list', apart })).rejects.toThrow(
        'time of req_2 is 1s after it, not 1s1ms or more after req_1',
      )
  })

  test('waits, and returns as soon as the expectation is met', async () => {
    const { shop, call } = openShop()
    const waiting = shop.verify({ op: 'checkouts.create' }, { within: '30s' })
    await call('GET', '/v1/checkouts')
    await call('POST', '/v1/checkouts', order())
    expect(await waiting).toMatchObject({ count: 1 })
    await expect(shop.verify({ op: 'refunds.create' }, { within: '20ms' })).rejects.toThrow('within 20ms')
  })

  test.each([
    [{ call: '/v1/checkouts' }, 'call must be a method and a path'],
    [{ apart: '1x' }, 'apart must be a duration such as 250ms'],
    [{ count: 'many' }, 'count must be a number from 0 to 1000000, or { atLeast, atMost }'],
    [{ count: 1, exactly: 1 }, 'exactly cannot be combined with another count'],
    [{ exactly: 1, atLeast: 1 }, 'exactly cannot be combined with another count'],
    [{ json: { id: { regex: '(' } } }, 'must be a regular expression'],
  ])('%j is refused', async (expectation, message) => {
    const { shop } = openShop()
    await expect(shop.verify(expectation as never)).rejects.toThrow(message)
  })

  test('over HTTP a miss is 424 with the nearest requests, and an unknown word 400', async () => {
    const { simulator, call } = openShop()
    await call('POST', '/v1/checkouts', order())
    const ask = (body: object, query = '') => asTester(simulator)('POST', `/verify${query}`, body)
    expect((await ask({ op: 'checkouts.create' })).status).toBe(200)
    expect(await ask({ op: 'refunds.create' }, '?within=1ms')).toMatchObject({
      status: 424,
      body: {
        error: 'Failed Dependency',
        found: 0,
        nearest: [{ request: { id: 'req_1' }, differences: [{ path: 'op' }] }],
      },
    })
    expect((await ask({ opp: 'x' })).status).toBe(400)
  })
})
