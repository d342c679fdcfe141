import { describe, expect, test } from 'vitest'
import { FAULTS } from '../../src/sandbox/behaviors/faults/registry.ts'
import { CONNECTION_FAULT_KINDS, mayActBefore } from '../../src/spec/contract/connection-fault.ts'
import { ORDER } from '../order.ts'
import { NOW, start } from './start.ts'

const create = { json: ORDER, key: 'k' }
const refund = { json: { amount: 250 }, key: 'r' }

describe('the ledger shows whether a fault came before the operation or after the commit', () => {
  test.each(CONNECTION_FAULT_KINDS.filter(mayActBefore))('%s', async (fault) => {
    for (const at of ['before', 'after-commit'] as const) {
      const { arm, send, call, confirmCheckout, ledger, journal } = start()
      const path = `POST /v1/checkouts/${await confirmCheckout()}/refunds`
      arm({ when: { call: 'POST /v1/checkouts/{id}/refunds' }, times: 1, do: { fault, at } })
      await expect(send(path, refund)).rejects.toMatchObject({ kind: fault })
      expect(ledger()).toMatchObject(
        at === 'before' ? { refunds: 0, refunded: 0 } : { refunds: 1, refunded: 25_000 },
      )

      const retry = await call(path, refund)
      expect(retry.status).toBe(201)
      expect(retry.headers.get('idempotent-replayed')).toBe(at === 'before' ? null : 'true')
      expect(journal().at(-1)?.idempotency?.verdict).toBe(at === 'before' ? 'first use' : 'replayed')
      expect(ledger()).toMatchObject({ refunds: 1, refunded: 25_000 })
    }
  })

  test('a refusal of the operation can be lost as well', async () => {
    const { arm, send, call, createCheckout } = start()
    const path = `POST /v1/checkouts/${await createCheckout()}/refunds`
    arm({ times: 1, do: { fault: 'reset', at: 'after-commit' } })
    await expect(send(path, refund)).rejects.toMatchObject({ kind: 'reset' })
    const retry = await call(path, refund)
    expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([409, 'true'])
  })
})

describe('a replay', () => {
  const when = { op: 'checkouts.refund' } as const

  test.each(['truncate', 'bad-json', 'bad-chunk', 'drip', 'close', 'hang'] as const)(
    'is affected by %s, and alone with replay: true',
    async (fault) => {
      const { arm, send, call, confirmCheckout, journal } = start()
      const path = `POST /v1/checkouts/${await confirmCheckout()}/refunds`
      const over = fault === 'drip' ? { over: '1ms' as const } : {}
      arm({ when: { ...when, replay: true }, times: 1, do: { fault, ...over } })
      const first = await call(path, refund)
      await send(path, refund)
        .then((response) => response.text())
        .catch(() => {})
      expect(journal().at(-2)?.fault).toBeNull()
      expect(journal().at(-1)?.fault).toBe(fault)
      expect((await call(path, refund)).text).toBe(first.text)
    },
  )

  test('is delayed, and held at a gate', async () => {
    const { arm, send, call, confirmCheckout, sandbox } = start()
    const path = `POST /v1/checkouts/${await confirmCheckout()}/refunds`
    const first = await call(path, refund)
    arm({ when: { ...when, replay: true }, do: { hold: 'desk' } })
    const held = send(path, refund)
    await expect.poll(() => sandbox.behaviors.heldRequests.heldAt()).toHaveLength(1)
    sandbox.behaviors.release('desk')
    expect(await (await held).text()).toBe(first.text)
  })

  test('does not count for behaviors that replace the operation, or with replay: false', async () => {
    const { arm, call, confirmCheckout, journal } = start()
    const path = `POST /v1/checkouts/${await confirmCheckout()}/refunds`
    arm({ id: 'second', when, skip: 1, times: 1, do: { respond: 503 } })
    arm({ id: 'calm', when: { ...when, replay: false }, skip: 1, do: { fault: 'reset' } })
    expect((await call(path, refund)).status).toBe(201)
    expect((await call(path, refund)).status).toBe(201)
    expect(journal().at(-1)?.behaviors).toEqual([
      expect.objectContaining({ behavior: 'calm', fired: false, why: 'it is a replay' }),
    ])
    expect((await call(path, { ...refund, key: 'r2' })).status).toBe(503)
  })

  test('is lost by its own X-Sim header', async () => {
    const { send, call, confirmCheckout } = start()
    const path = `POST /v1/checkouts/${await confirmCheckout()}/refunds`
    const first = await call(path, refund)
    await expect(send(path, { ...refund, sim: 'fault=reset' })).rejects.toMatchObject({ kind: 'reset' })
    const again = await call(path, { ...refund, sim: 'respond=503' })
    expect([again.status, again.text]).toEqual([201, first.text])
  })

  test('cannot be matched by a behavior that replaces the operation', () => {
    const { arm } = start()
    expect(() => arm({ when: { ...when, replay: true }, do: { respond: 503 } })).toThrow(
      'cannot be combined with do: respond, which never acts on a replay',
    )
  })
})

describe('respond', () => {
  test.each([
    [401, 'Unauthorized', 'Invalid API key', { 'www-authenticate': 'ApiKey' }],
    [403, 'Forbidden', 'Platform keys can only refund card checkouts', {}],
    [404, 'Not Found', 'Checkout not found', {}],
    [409, 'Conflict', 'A request with this Idempotency-Key is already in progress', { 'retry-after': '1' }],
    [429, 'Too Many Requests', 'Too many requests, please try again later.', { 'retry-after': '60' }],
    [500, 'Internal Error', 'Internal server error', {}],
    [503, 'Service Unavailable', 'Service Unavailable', {}],
    [418, 'Error 418', 'Error 418', {}],
  ])('%i has the format of the service', async (status, error, message, headers) => {
    const { call } = start()
    const answer = await call('POST /v1/checkouts', { ...create, sim: `respond=${status}` })
    expect(answer).toMatchObject({ status, json: { error, message } })
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value)
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  test('429 has the headers of the real limit: nothing remaining, and the time of the reset', async () => {
    const { arm, call, sandbox } = start({ rateLimit: 100 })
    const left = (answer: { status: number; headers: Headers }) => [
      answer.status,
      ...['x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map((name) =>
        answer.headers.get(name),
      ),
    ]
    await call('GET /v1/checkouts')
    await sandbox.agenda.advanceTo(() => NOW + 20_000)
    expect(left(await call('GET /v1/checkouts', { sim: 'respond=429' }))).toEqual([
      429,
      '0',
      String(NOW / 1000 + 60),
      '40',
    ])
    arm({ do: { respond: { status: 429, headers: { 'Retry-After': '4' } } } })
    expect(left(await call('GET /v1/checkouts'))).toEqual([429, '0', String(NOW / 1000 + 24), '4'])
  })

  test('409 with a custom body is not the 409 of a key in flight, so it has no Retry-After', async () => {
    const { arm, call } = start()
    arm({ do: { respond: { status: 409, json: { error: 'Conflict', message: 'The buyer is gone' } } } })
    const answer = await call('POST /v1/checkouts', create)
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([409, false])
  })

  test('returns the status, body and headers of the behavior', async () => {
    const { arm, call } = start()
    arm({
      do: {
        respond: {
          status: 502,
          json: '<html>',
          headers: { 'Content-Type': 'text/html', 'Retry-After': '7' },
        },
      },
    })
    const { status, json, headers } = await call('POST /v1/checkouts', create)
    expect([status, json, headers.get('content-type'), headers.get('retry-after')]).toEqual([
      502,
      '<html>',
      'text/html',
      '7',
    ])
  })

  test('204 has no body', async () => {
    const { call } = start()
    expect(await call('POST /v1/checkouts', { ...create, sim: 'respond=204' })).toMatchObject({
      status: 204,
      text: '',
    })
  })

  test('leaves the key free, unless `stored` is set', async () => {
    const { arm, call, sandbox } = start()
    arm({ times: 1, do: { respond: { status: 500 } } })
    expect((await call('POST /v1/checkouts', create)).status).toBe(500)
    expect((await call('POST /v1/checkouts', create)).status).toBe(201)

    arm({ times: 1, do: { respond: { status: 500 }, stored: true } })
    const kept = { json: ORDER, key: 'kept' }
    const first = await call('POST /v1/checkouts', kept)
    const again = await call('POST /v1/checkouts', kept)
    expect([first.status, again.status, again.text]).toEqual([500, 500, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(sandbox.committedStore().checkouts.list({ limit: 5 }).data).toHaveLength(1)
  })
})

describe('rateLimit', () => {
  test('has the body and the headers of the real 429', async () => {
    const headersOf = (headers: Headers) => [...headers].filter(([name]) => name !== 'x-sim-request')
    const real = start({ rateLimit: 2 })
    const scripted = start()
    scripted.arm({ do: { rateLimit: { limit: 2 } } })
    for (const expected of [200, 200, 429, 429]) {
      const [first, second] = [await real.call('GET /v1/checkouts'), await scripted.call('GET /v1/checkouts')]
      expect(first.status).toBe(expected)
      expect({ ...second, headers: headersOf(second.headers) }).toEqual({
        ...first,
        headers: headersOf(first.headers),
      })
    }
  })

  test('has its own window, which ends on the sandbox clock', async () => {
    const { arm, call, advance } = start()
    arm({ do: { rateLimit: { limit: 1, window: '10s' } } })
    expect((await call('GET /v1/checkouts')).status).toBe(200)
    const refused = await call('GET /v1/checkouts')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    await advance(10_000)
    expect((await call('GET /v1/checkouts')).status).toBe(200)
  })

  test('`exhausted` refuses from the first request on', async () => {
    const { arm, call } = start()
    arm({ do: { rateLimit: { exhausted: true } }, times: 2 })
    const { status, headers, json } = await call('POST /v1/checkouts', create)
    expect([status, json.message]).toEqual([429, 'Too many requests, please try again later.'])
    expect(['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`))).toEqual(['100', '0'])
    expect((await call('POST /v1/checkouts', create)).status).toBe(429)
    expect((await call('POST /v1/checkouts', create)).status).toBe(201)
  })

  test('works in X-Sim as well', async () => {
    const { call } = start({ rateLimit: 5 })
    const { status, headers } = await call('GET /v1/checkouts', { sim: 'rateLimit=exhausted' })
    expect([status, headers.get('x-ratelimit-limit'), headers.get('retry-after')]).toEqual([429, '5', '60'])
  })
})

describe('decision: decline', () => {
  test('makes the bank decline as often as `times` allows', async () => {
    const { arm, simulator, createCheckout, sandbox, behaviors } = start()
    const { buyer } = simulator.sandbox('default')
    const id = await createCheckout()
    arm({ id: 'no', times: 1, do: { decision: 'decline' } })
    expect(() => buyer.approve(id)).toThrow(/declined/)
    expect(sandbox.committedStore().checkouts.find(id)?.status).toBe('pending')
    expect(buyer.approve(id).status).toBe('approved')
    expect(behaviors.backgroundResults.list()).toMatchObject([
      { behavior: 'no', did: 'declines the buyer', fired: true, subject: id },
      { behavior: 'no', fired: false, why: 'match 2, and it has acted 1 of 1' },
    ])
  })

  test('matches the kind of decision and the checkout', async () => {
    const { arm, simulator, createCheckout } = start()
    const { buyer } = simulator.sandbox('default')
    const [small, large] = [await createCheckout({ amount: 10 }), await createCheckout({ amount: 20.5 })]
    arm({ when: { json: { about: 'credit' } }, do: { decision: 'decline' } })
    arm({ when: { json: { about: 'card', amount: 20.5 } }, do: { decision: 'decline' } })
    expect(() => buyer.approve(large)).toThrow(/declined/)
    expect(buyer.approve(small).status).toBe('approved')
    expect(() => buyer.approve(large, { method: 'bank_account' })).toThrow(/declined/)
  })
})

test('every fault has a description', () => {
  for (const { sentence } of Object.values(FAULTS)) expect(sentence).toMatch(/^[A-Z][^.]*\.$/)
})

test('an armed behavior lists its actions', () => {
  const { arm, behaviors } = start()
  arm(
    {
      when: { call: 'POST /v1/checkouts', json: { amount: { gt: 5 } } },
      times: 2,
      do: { respond: { status: 500 } },
    },
    { when: { event: 'refund.*' }, times: 1, do: { webhook: { duplicate: 3, sign: 'stale' } } },
    { when: { resource: 'refund', enters: 'pending' }, do: { transition: 'completed', after: { polls: 3 } } },
    { do: { decision: 'decline' } },
    { when: { op: 'refunds.get' }, do: { fault: 'drip', over: '2s' } },
    { continue: true, do: { hold: 'gate-a', max: '10s', at: 'after-commit' } },
    { continue: true, do: { delay: { p50: '80ms', p99: '2s' } } },
    { do: { rateLimit: { limit: 5, window: '10s' } } },
  )
  expect(behaviors.armed.list().map(({ explained }) => explained)).toEqual([
    'POST /v1/checkouts with json {"amount":{"gt":5}}: answers 500, 2 times',
    'refund.*: is delivered 3 times, is signed stale, once',
    'a new refund: completes it when it is read 3 times',
    'a buyer: declines the buyer',
    'refunds.get: sends the body slowly, over 2s, after the commit',
    'any request: is held at gate-a for at most 10s, after the commit',
    'any request: waits 80ms or, once in a hundred times, more than 2s',
    'any request: allows 5 requests in 10s',
  ])
})
