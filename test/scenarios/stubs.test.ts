/** Endpoints outside the specification: a stub responds, or forwards the request to the real staging. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSimulator, type Sandbox } from '../../src/index.ts'
import { newSimulator } from '../control/shop.ts'
import { folder } from '../given.ts'
import { play } from './playing.ts'
import { service } from './service.ts'
import { start, type Written } from './start.ts'

const balance: Written = {
  id: 'balance',
  when: { stub: 'GET /v1/balance' },
  do: { respond: { status: 200, json: { available: 12.5 } } },
}

const KEY = 'sk_staging_of_the_real_one'
const forwardTo = (forward: string, more: Partial<Written> = {}): Written => ({
  id: 'others',
  when: { stub: '* /v1/**' },
  do: { forward, apiKey: KEY },
  ...more,
})

test('a stub handles only paths that are not endpoints, behind the same door', async () => {
  const { arm, call, journal } = start()
  expect((await call('GET /v1/balance')).status).toBe(404)
  arm(balance)
  expect(await call('GET /v1/balance')).toMatchObject({ status: 200, json: { available: 12.5 } })
  expect(await call('HEAD /v1/balance')).toMatchObject({ status: 200 })
  expect((await call('GET /v1/balance', { headers: { 'x-api-key': 'wrong' } })).status).toBe(401)
  expect((await call('POST /v1/balance', { json: {} })).status).toBe(404)
  expect((await call('GET /v1/balances')).status).toBe(404)
  expect((await call('GET /v1/checkouts')).json).toEqual({ data: [], hasMore: false, nextCursor: null })
  expect(journal()[1]).toMatchObject({ operation: null, step: 'behaviors', status: 200 })
})

test('a response can use values of the request', async () => {
  const { arm, call } = start()
  arm({
    when: { stub: 'POST /v1/accounts/{account}/payouts' },
    do: {
      respond: {
        status: 201,
        headers: { location: '/v1/payouts/${request.id}' },
        json: {
          id: 'po_${request.id}',
          account: '${request.path.account}',
          amount: '${request.json.amount}',
          half: '${request.json.amount * 0.5}',
          first: '${request.json.lines[0].sku}',
          say: 'for ${request.query.who}, under ${request.key}',
          nothing: '${request.json.nothing}',
          at: '${request.time}',
          by: '${request.header.user-agent}',
        },
      },
    },
  })
  const payout = {
    json: { amount: 250.5, lines: [{ sku: 'a' }] },
    key: 'k-1',
    headers: { 'user-agent': 'shop/1' },
  }
  const answer = await call('POST /v1/accounts/acc%201/payouts?who=ann', payout)
  expect(answer).toMatchObject({ status: 201 })
  expect(answer.json).toEqual({
    id: 'po_req_1',
    account: 'acc 1',
    amount: 250.5,
    half: 125.25,
    first: 'a',
    say: 'for ann, under k-1',
    nothing: null,
    at: '2026-01-01T00:00:00.000Z',
    by: 'shop/1',
  })
  expect(answer.headers.get('location')).toBe('/v1/payouts/req_1')
})

test('a request value cannot add a header', async () => {
  const { arm, call } = start()
  arm({
    when: { stub: 'POST /v1/echo' },
    do: { respond: { status: 200, headers: { 'x-echo': '${request.json.a}' } } },
  })
  const { headers } = await call('POST /v1/echo', { json: { a: 'x\r\nset-cookie: a=b' } })
  expect([headers.get('x-echo'), headers.get('set-cookie')]).toEqual(['x??set-cookie: a=b', null])
})

test('counts, delays, lost responses and stored responses work as for an endpoint', async () => {
  const { arm, call, send } = start()
  arm(
    {
      id: 'lose',
      when: { stub: 'POST /v1/payouts' },
      times: 1,
      continue: true,
      do: { fault: 'reset', at: 'after-commit' },
    },
    {
      id: 'pay',
      when: { stub: 'POST /v1/payouts' },
      times: 2,
      do: { respond: { status: 201, json: { n: '${request.id}' } }, stored: true },
    },
  )
  const payout = { json: { amount: 1 }, key: 'k' }
  await expect(send('POST /v1/payouts', payout)).rejects.toMatchObject({ kind: 'reset' })
  const again = await call('POST /v1/payouts', payout)
  expect([again.json, again.headers.get('idempotent-replayed')]).toEqual([{ n: 'req_1' }, 'true'])
  expect((await call('POST /v1/payouts', { ...payout, key: 'other' })).json).toEqual({ n: 'req_3' })
  expect((await call('POST /v1/payouts', { ...payout, key: 'third' })).status).toBe(404)
})

test('the journal marks a stub, and verify counts its requests', async () => {
  const { arm, call, simulator } = start()
  arm(balance)
  await call('GET /v1/balance')
  await call('GET /v1/checkouts')
  const shop = simulator.sandbox('default')
  expect(shop.requests().map(({ stub }) => stub)).toEqual(['answered', null])
  expect(shop.requests({ only: 'stubs' })).toHaveLength(1)
  expect(await shop.verify({ stub: 'GET /v1/balance', count: 1 })).toMatchObject({ count: 1 })
  await expect(shop.verify({ stub: 'GET /v1/balance', count: 2 })).rejects.toThrow(
    'Expected GET /v1/balance exactly 2 times, found 1 among 2 requests.',
  )
  await expect(shop.verify({ stub: 'GET /v1/payouts' })).rejects.toThrow(
    'call is GET /v1/balance, not GET /v1/payouts',
  )
  expect(shop.behaviors()[0]).toMatchObject({ explained: 'GET /v1/balance: answers 200', fired: 1 })
})

test('forward sends the request to the real staging with its key, and returns its response', async () => {
  const real = await service(({ target }) =>
    target.startsWith('/v1/missing')
      ? { status: 404, json: { error: 'Not Found' } }
      : { status: 200, json: { available: 7 }, headers: { 'x-real': 'yes', 'set-cookie': 'session=1' } },
  )
  const { arm, call, simulator } = start()
  arm(forwardTo(real.url))
  const answer = await call('GET /v1/balance?currency=USD', {
    headers: { 'x-trace': 'secret', authorization: 'Bearer x' },
  })
  expect(answer).toMatchObject({ status: 200, json: { available: 7 } })
  const header = (name: string) => answer.headers.get(name)
  expect([header('x-real'), header('set-cookie'), header('x-sim-forwarded-to')]).toEqual([
    'yes',
    null,
    real.url,
  ])
  expect(real.asked[0]).toMatchObject({ method: 'GET', target: '/v1/balance?currency=USD' })
  expect(real.asked[0]!.headers).toMatchObject({ 'x-api-key': KEY, host: new URL(real.url).host })
  expect(real.asked[0]!.headers).not.toHaveProperty('authorization')

  await call('POST /v1/missing', { json: { a: 1 }, key: 'k', sim: 'delay=0ms' })
  expect(real.asked[1]).toMatchObject({ method: 'POST', body: '{"a":1}' })
  expect(real.asked[1]!.headers).toMatchObject({ 'idempotency-key': 'k', 'content-type': 'application/json' })
  expect(real.asked[1]!.headers).not.toHaveProperty('x-sim')

  await call('GET /v1/checkouts')
  expect(real.asked).toHaveLength(2)
  const shop = simulator.sandbox('default')
  expect(shop.requests().map(({ stub, status }) => [stub, status])).toEqual([
    ['forwarded', 200],
    ['forwarded', 404],
    [null, 200],
  ])
  expect(JSON.stringify([shop.requests(), shop.behaviors(), shop.request('req_1')])).not.toContain(KEY)
})

test.for([
  ['reset', 'gave no answer: ECONNRESET', 502],
  [{ status: 200, text: 'x'.repeat(1024 * 1024 + 1) }, 'gave an answer of more than 1 MB', 502],
] as const)('a failure of the real staging is named in the response, %#', async ([reply, why, status]) => {
  const real = await service(() => reply)
  const { arm, call } = start()
  arm(forwardTo(real.url))
  const { json, ...answer } = await call('GET /v1/balance')
  expect([answer.status, json.message, answer.headers.get('x-sim-forwarded-to')]).toEqual([
    status,
    `${real.url} ${why}`,
    real.url,
  ])
})

test('a request that is forwarded to this simulator itself does not loop', async () => {
  const simulator = newSimulator({ log: 'silent' })
  const { url } = await simulator.listen()
  const shop = simulator.sandbox('default')
  const { apiKey } = shop
  shop.arm({ when: { stub: 'GET /v1/balance' }, do: { forward: url, apiKey } })
  const answer = await fetch(`${url}/v1/balance`, { headers: { 'x-api-key': apiKey } })
  expect([answer.status, await answer.json()]).toMatchObject([502, { message: /has come round/ }])
  expect(shop.requests()).toHaveLength(2)
})

test.for([
  '/v1/%2e%2e/admin',
  '/v1/a/../b',
  '/v1/check%09outs',
  '/v1/check%2509outs',
  '/v1/checkouts%20',
  '/v1/checkouts/',
  '/v1//checkouts',
  '/v1/checkouts;a=1',
  '/v1/Checkouts',
  '/v1/x%5C..%5Crefunds',
  '/v1/balance%3Fall',
])('%s can be read as another path, so it is not forwarded', async (target) => {
  const real = await service(() => ({ status: 200, json: {} }))
  const { arm, sandbox } = start()
  arm(forwardTo(real.url))
  const request = { method: 'GET', query: '', apiKey: sandbox.config.apiKey, ip: '::1', idempotencyKeys: [] }
  const { status, body } = await sandbox.answer({
    ...{ ...request, target, path: decodeURI(target), body: Buffer.alloc(0) },
    ...{ header: () => undefined, origin: 'http://paysim.test', connection: undefined },
  })
  expect([status, real.asked]).toEqual([404, []])
  expect(JSON.parse(body).message).toMatch(/^Route not found: .* is not asked, as its path may be read as /)
})

test('forward sends the unchanged target over a new connection, without the Host that the sandbox journals', async () => {
  const real = await service(() => ({ status: 200, json: {} }))
  const { arm, call } = start({ journal: { headers: ['host'] } })
  arm(forwardTo(real.url))
  const targets = ['/v1/a%2Fb/caf%C3%A9?q=%20', '/v1/100%25', "/v1/a'b"]
  for (const target of targets) await call(`GET ${target}`, { headers: { host: 'elsewhere.test' } })
  expect(real.asked.map(({ target }) => target)).toEqual(targets)
  expect(real.asked.map(({ headers }) => headers.host)).toEqual(targets.map(() => new URL(real.url).host))
  expect(new Set(real.asked.map(({ port }) => port)).size).toBe(3)
})

test('the key of the real staging is in memory only, and must be set again after a restart', async () => {
  const real = await service(() => ({ status: 200, json: { available: 7 } }))
  const data = folder()
  const behavior = forwardTo(real.url) as never
  const run = async (work: (shop: Sandbox, balance: () => Promise<unknown>) => Promise<void>) => {
    const simulator = createSimulator({ log: 'silent', data })
    const { url } = await simulator.listen()
    const shop = simulator.sandbox('default')
    const balance = async () => {
      const answer = await fetch(`${url}/v1/balance`, { headers: { 'x-api-key': shop.apiKey } })
      return [answer.status, await answer.json()]
    }
    await work(shop, balance)
    await simulator.close()
  }
  await run(async (shop, balance) => {
    shop.arm(behavior)
    shop.snapshot('armed')
    shop.reset()
    shop.restore('armed')
    expect(await balance()).toEqual([200, { available: 7 }])
  })
  for (const file of await readdir(data, { recursive: true, withFileTypes: true }))
    if (file.isFile()) expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toContain(KEY)
  await run(async (shop, balance) => {
    expect(await balance()).toMatchObject([502, { message: /is gone: set the key again/ }])
    shop.arm(behavior)
    expect(await balance()).toEqual([200, { available: 7 }])
  })
})

test('a key on one path of a stub is a different key on another path', async () => {
  const { arm, call } = start()
  const respond = { status: 201, json: { at: '${request.path.what}', id: '${request.id}' } }
  arm({ when: { stub: 'POST /v1/**' }, do: { respond, stored: true } })
  const payouts = await call('POST /v1/payouts', { json: {}, key: 'k' })
  const transfers = await call('POST /v1/transfers', { json: {}, key: 'k' })
  expect([payouts.json.id, transfers.json.id]).toEqual(['req_1', 'req_2'])
  expect((await call('POST /v1/payouts', { json: {}, key: 'k' })).json.id).toBe('req_1')
})

test('a response can take at most 1 MB from its request', async () => {
  const { arm, call, journal } = start()
  const taking = (count: number) => Array.from({ length: count }, () => '${request.json.s}')
  const stub = {
    when: { stub: 'POST /v1/echo' },
    do: { respond: { status: 200, json: taking(300) } },
  } as const
  arm(stub)
  const s = 'x'.repeat(90_000)
  const answer = await call('POST /v1/echo', { json: { s } })
  expect(answer).toMatchObject({ status: 502, json: { message: /has more than 1 MB/ } })
  expect(journal()[0]).toMatchObject({ bug: null })
  expect((await call('POST /v1/echo', { json: { s: 'x' } })).json).toHaveLength(300)
  expect(refused({ ...stub, do: { respond: { status: 200, json: [taking(301).join(' ')] } } })).toBe(
    'do.respond must have at most 300 placeholders',
  )
})

const refused = (behavior: unknown) => {
  const { simulator } = start()
  try {
    simulator.sandbox('default').arm(behavior as never)
  } catch (cause) {
    return (cause as Error).message.replace('Malformed behavior: ', '')
  }
  return 'armed'
}

test.for([
  [{ do: { hold: '${gate}' } }, 'do.hold must be a name of letters, digits, dots and dashes, not "${gate}"'],
  [
    { when: { stub: 'GET /v1/checkouts/{id}' }, do: { respond: 200 } },
    'when.stub must not be an endpoint: use call instead of stub',
  ],
  [
    { when: { stub: 'GET /balance' }, do: { respond: 200 } },
    'when.stub must be a method and a path under /v1, such as GET /v1/balance, not "GET /balance"',
  ],
  [
    { when: { call: 'GET /v1/balance' }, do: { respond: 200 } },
    'when.call must be an endpoint, such as POST /v1/checkouts/{id}/refunds; stub takes any other path, not "GET /v1/balance"',
  ],
  [
    { when: { call: 'GET /v1/refund' }, do: { respond: 200 } },
    'when.call must be an endpoint; did you mean GET /v1/refunds? stub takes any other path',
  ],
  [
    { when: { stub: 'GET /v1/balance', op: 'refunds.*' }, do: { respond: 200 } },
    'when.stub cannot be combined with call or op: the path of a stub is not an endpoint',
  ],
  [
    { when: { op: 'refunds.create' }, do: { forward: 'https://staging.test', apiKey: KEY } },
    'do.forward needs when: { stub: GET /v1/balance }: paysim answers its endpoints itself',
  ],
  [
    forwardTo('https://staging.test', { do: { forward: 'https://staging.test', apiKey: 'sk_live_1' } }),
    'do.apiKey is a production key, which is never sent; use a staging key',
  ],
  [
    forwardTo('file:///etc/passwd'),
    'do.forward must be an address such as https://staging.example, without a path, not "file:///etc/passwd"',
  ],
  [
    forwardTo('https://staging.test/admin'),
    'do.forward must be an address such as https://staging.example, without a path, not "https://staging.test/admin"',
  ],
  [
    forwardTo('https://a:b@staging.test'),
    'do.forward must be an address such as https://staging.example, without a path, not "https://a:b@staging.test"',
  ],
  [
    forwardTo('https://staging.test', { do: { forward: 'https://staging.test' } as never }),
    'do.apiKey is missing',
  ],
  [
    forwardTo('https://staging.test', {
      do: { forward: 'https://staging.test', apiKey: '${env:STAGING_KEY}' },
    }),
    'Invalid field: do.apiKey must be written out here, not ${env:STAGING_KEY}',
  ],
  [
    { when: { stub: 'GET /v1/balance' }, do: { respond: { status: 200, json: { a: '${request.body.a}' } } } },
    'do.respond.json.a has ${request.body.a}, but a request has id, time, method, path, query, header, key, json',
  ],
  [
    {
      when: { stub: 'POST /v1/quotes' },
      do: { respond: { status: 200, json: { fee: '${request.json.amount * 0.025}' } } },
    },
    'do.respond.json.fee has ${request.json.amount * 0.025}, but a sum is of whole cents: its numbers have at most two decimals',
  ],
] as const)('%#: %s is refused', ([behavior, message]) => {
  expect(refused(behavior)).toBe(message)
})

test('X-Sim cannot forward a request', async () => {
  const { arm, call } = start()
  arm(balance)
  const { status } = await call('GET /v1/balance', { sim: 'forward=https://elsewhere.test; apiKey=sk_1' })
  expect(status).toBe(400)
})

test('a file can define, call and count stubs, and a misspelled call is still detected', async () => {
  const real = await service(({ headers }) => ({ status: 200, json: { key: headers['x-api-key'] === KEY } }))
  const file = (call: string) => `
name: n
behaviors:
  - when: { stub: "GET /v1/balances/{account}" }
    do: { respond: { status: 200, json: { account: "\${request.path.account}", by: "\${request.header.user-agent}" } } }
  - when: { stub: GET /v1/refund-reasons }
    do: { forward: "\${env:REAL}", apiKey: "\${env:REAL_KEY}" }
steps:
  - call: ${call}
    header: { user-agent: shop }
    expect: { json: { account: acc_1, by: shop } }
  - call: GET /v1/refund-reasons
    expect: { json: { key: true } }
  - requests: { stub: "GET /v1/balances/{account}", count: 1 }
`
  const options = { targets: [], reports: [] }
  const io = { env: { REAL: real.url, REAL_KEY: KEY } }
  const right = await play(file('GET /v1/balances/acc_1'), options as never, io)
  expect([right.code, right.out + right.err]).toEqual([0, expect.not.stringContaining(KEY)])
  const wrong = await play(file('GET /v1/refund'), options as never, io)
  expect(wrong.err).toContain('is not an endpoint; did you mean GET /v1/refunds?')
})
