import { describe, expect, test } from 'vitest'
import { asPlatform } from '../control/shop.ts'
import { ABSENT, contract, isRemote, openPlatform, type Platform, START } from './platform.ts'

const LIST = { call: 'GET /v1/checkouts' }

/** A minute, unless a profile says otherwise. */
const WINDOW_MS = contract.rateWindowMs
/** The value of the reset header for a window that starts at START, after a time. */
const resetAfter = (ms: number) =>
  String(
    contract.profile.rateLimit.resetAs === 'seconds'
      ? Math.ceil((WINDOW_MS - ms) / 1000)
      : (Date.parse(START) + WINDOW_MS) / 1000,
  )

/** How many requests pass before the first 429. */
async function passed(platform: Platform, request: Parameters<Platform['send']>[0] = LIST): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { status } = await platform.send(request)
    if (status === 429) return count
  }
}

const standing = async (platform: Platform) => {
  const { headers } = await platform.send(LIST)
  return ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
}

describe.skipIf(isRemote)('the limit', () => {
  test('is 100 requests in a window', async () => {
    expect(await passed(openPlatform({ rateLimit: undefined, clock: 'real' }))).toBe(100)
  })

  test('of a frozen clock counts but never refuses, unless it was set explicitly', async () => {
    const { tester, send } = openPlatform({ rateLimit: undefined })
    const ask = async () => {
      const { status, headers } = await send(LIST)
      return [status, headers.get('x-ratelimit-remaining')]
    }
    expect(await ask()).toEqual([200, '99'])
    for (let count = 0; count < 150; count += 1) await send(LIST)
    expect(await ask()).toEqual([200, '0'])
    await tester.advance(WINDOW_MS)
    expect(await ask()).toEqual([200, '99'])

    expect(await passed(openPlatform({ rateLimit: 100 }))).toBe(100)
  })

  test('refuses again once the clock runs, also in a copy of the sandbox', async () => {
    const { tester } = openPlatform({ rateLimit: undefined })
    const { simulator } = tester
    const copy = simulator.create({ name: 'copy', from: 'default' })
    expect(copy.describe().rateLimit).toBe(100)
    const ask = async () =>
      (await asPlatform(simulator, copy)('GET', contract.pathOf('checkouts.list'))).status
    for (let count = 0; count < 150; count += 1) expect(await ask()).toBe(200)
    copy.clock.resume()
    expect(await ask()).toBe(429)
  })

  test("refuses with the contract's 429, which names the time to wait", async () => {
    const platform = openPlatform({ rateLimit: 1 })
    await platform.send(LIST)
    await platform.tester.advance(1_500)
    const refused = await platform.send(LIST)
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'Too Many Requests', message: 'Too many requests, please try again later.' },
    })
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': String(Math.ceil((WINDOW_MS - 1_500) / 1000)),
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': resetAfter(1_500),
    })
  })

  test('is in the headers of every response', async () => {
    const platform = openPlatform({ rateLimit: 3 })
    const reset = resetAfter(0)
    expect(await standing(platform)).toEqual(['3', '2', reset])
    expect(await standing(platform)).toEqual(['3', '1', reset])
    expect(await standing(platform)).toEqual(['3', '0', reset])
    expect(await standing(platform)).toEqual(['3', '0', reset])
  })

  test('can be off, and then has no headers', async () => {
    const platform = openPlatform({ rateLimit: 'off' })
    expect(await standing(platform)).toEqual([null, null, null])
    for (let count = 0; count < 200; count += 1) {
      expect((await platform.send(LIST)).status).toBe(200)
    }
  })
})

describe.skipIf(isRemote)('the window', () => {
  test.for([
    [WINDOW_MS - 1, 429],
    [WINDOW_MS, 200],
  ])('after %i ms: %i', async ([afterMs, status]) => {
    const platform = openPlatform({ rateLimit: 1 })
    await platform.send(LIST)
    await platform.tester.advance(afterMs!)
    expect((await platform.send(LIST)).status).toBe(status)
  })

  test('is not extended by refused requests', async () => {
    const platform = openPlatform({ rateLimit: 2 })
    await passed(platform)
    await platform.tester.advance(WINDOW_MS - 1_000)
    await platform.send(LIST)
    await platform.tester.advance(1_000)
    expect(await passed(platform)).toBe(2)
  })

  test('starts with the first request, not with the minute', async () => {
    const platform = openPlatform({ rateLimit: 1 })
    await platform.tester.advance(42_000)
    await platform.send(LIST)
    await platform.tester.advance(WINDOW_MS - 1)
    expect((await platform.send(LIST)).status).toBe(429)
  })
})

describe.skipIf(isRemote)('the limit counts', () => {
  test.for([
    ['a successful response', LIST],
    ['an unknown path', { call: 'GET /v1/nothing' }],
    ['a wrong method', { call: 'DELETE /v1/checkouts' }],
    ['HEAD', { call: 'HEAD /v1/checkouts' }],
    ['OPTIONS', { call: 'OPTIONS /v1/checkouts' }],
    ['a body that is too large', { call: 'POST /v1/checkouts', body: ' '.repeat(200_000) }],
    ['a body that is not JSON', { call: 'POST /v1/checkouts', body: 'no' }],
    ['a missing field', { call: 'POST /v1/checkouts', body: '{}' }],
    ['an unknown resource', { call: 'GET /v1/checkouts/nobody' }],
    [
      'a replay',
      { call: 'POST /v1/customers', body: '{"externalId":"b"}', headers: { 'idempotency-key': 'k' } },
    ],
  ] as const)('%s', async ([, request]) => {
    const platform = openPlatform({ rateLimit: 3 })
    for (let count = 0; count < 3; count += 1) await platform.send(request)
    expect((await platform.send(LIST)).status).toBe(429)
  })

  test.for([
    ['an unknown key', 'sk_staging_nobody'],
    ['no key', ABSENT],
  ] as const)('%s, per address only', async ([, key]) => {
    const platform = openPlatform({ rateLimit: 3 })
    expect(await passed(platform, { ...LIST, headers: { 'x-api-key': key } })).toBe(3)
    expect(await passed(platform)).toBe(3)
  })

  test('each sandbox separately', async () => {
    const platform = openPlatform({ rateLimit: 3, sandboxes: ['other'] })
    expect(await passed(platform)).toBe(3)
    const { headers } = await platform.send({ ...LIST, headers: { 'x-api-key': 'sk_staging_other' } })
    expect(headers.get('x-ratelimit-remaining')).toBe('2')
  })

  test.for(['/healthz', '/openapi.json', '/checkout/chk_nobody'])('not %s', async (path) => {
    const platform = openPlatform({ rateLimit: 1 })
    const { simulator } = platform.tester
    for (let count = 0; count < 3; count += 1) {
      const { status, headers } = await simulator.fetch(new Request(`http://paysim.test${path}`))
      expect(status).not.toBe(429)
      expect(headers.get('x-ratelimit-limit')).toBeNull()
    }
    expect((await platform.send(LIST)).status).toBe(200)
  })
})

describe.skipIf(isRemote)('the client address', () => {
  const from = (forwarded: string) => ({ ...LIST, headers: { 'x-forwarded-for': forwarded } })

  test('does not come from a header', async () => {
    const platform = openPlatform({ rateLimit: 3 })
    await passed(platform, from('203.0.113.1'))
    expect((await platform.send(from('203.0.113.2'))).status).toBe(429)
  })

  test('comes from a trusted proxy', async () => {
    const platform = openPlatform({ rateLimit: 3, trustProxy: true })
    expect(await passed(platform, from('203.0.113.1'))).toBe(3)
    expect(await passed(platform, from('203.0.113.2, 198.51.100.7'))).toBe(3)
    expect((await platform.send(from('203.0.113.2'))).status).toBe(429)
  })

  test('is normalized, and an invalid address from a trusted proxy is limited as well', async () => {
    const platform = openPlatform({ rateLimit: 3, trustProxy: true })
    for (const [first, ...same] of [
      ['203.0.113.1', '203.0.113.1:4711', '::ffff:203.0.113.1'],
      ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:4711'],
      ['unknown', ',,,', 'a'.repeat(4_000)],
    ]) {
      for (const address of [first!, ...same]) expect((await platform.send(from(address))).status).toBe(200)
      expect((await platform.send(from(first!))).status).toBe(429)
    }
  })
})
