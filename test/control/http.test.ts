import { describe, expect, onTestFinished, test } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../../src/tester/control/simulator-verbs.ts'
import { sendRaw } from '../contract/socket.ts'
import { openReceiver } from '../receiver.ts'
import { asPlatform, confirmedCheckout, openShop, openSimulator, order, refund, START } from './shop.ts'

interface Asked {
  json?: unknown
  bytes?: string
  headers?: Record<string, string>
}

function openTester(options: SimulatorOptions = {}) {
  const { simulator, shop, call } = openShop(options)
  async function tester(method: string, path: string, { json, bytes, headers }: Asked = {}) {
    const body = bytes ?? (json === undefined ? undefined : JSON.stringify(json))
    const request = new Request(`http://paysim.test/_sim${path}`, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body: body as string }),
    })
    const response = await simulator.fetch(request)
    const content = Buffer.from(await response.arrayBuffer())
    const text = content.toString('utf8')
    const isJson = response.headers.get('content-type') === 'application/json'
    return {
      status: response.status,
      headers: response.headers,
      text,
      content,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }
  return { simulator, shop, call, tester }
}

describe("the tester's API over HTTP", () => {
  test('describes the simulator', async () => {
    const { tester } = openTester()
    expect((await tester('GET', '')).body).toMatchObject({ name: 'paysim', sandboxes: ['default'] })
    expect((await tester('GET', '/')).status).toBe(200)
  })

  test('has money with two decimals, and times in ISO 8601', async () => {
    const { tester, call } = openTester()
    await refund(call, await confirmedCheckout(call), 250.5)
    const { text } = await tester('GET', '/ledger')
    expect(text).toContain('"sums":{"charged":1000.00,"captured":0.00,"refunded":250.50,"charges":1')
    expect(text).toContain(`"createdAt":"${START}"`)
    expect((await tester('GET', '/events')).text).toContain('"amount":1000.00')
  })

  test('moves the clock, and returns what happened', async () => {
    const { tester, call } = openTester()
    const id = await refund(call, await confirmedCheckout(call), 10)
    expect((await tester('POST', '/clock', { json: { advance: '2d' } })).body).toMatchObject({
      now: '2026-01-03T00:00:00.000Z',
      frozen: true,
      happened: [{ what: 'refund.completed', id }],
    })
    expect((await tester('POST', '/clock', { json: { resume: true } })).body).toMatchObject({ frozen: false })
    expect((await tester('POST', '/clock', { json: { freeze: true } })).body).toMatchObject({ frozen: true })
    expect((await tester('POST', '/clock', { json: { set: '2027-01-01T00:00:00Z' } })).body.now).toBe(
      '2027-01-01T00:00:00.000Z',
    )
  })

  test('creates, forks, reads and removes sandboxes', async () => {
    const { simulator, tester, call } = openTester()
    const id = await confirmedCheckout(call)
    const made = await tester('POST', '/sandboxes', {
      json: { name: 'b', from: 'default', refundDelay: '1h' },
    })
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'b', apiKey: 'sk_staging_b', refundDelay: '1h', clock: { now: START, frozen: true } },
    })
    const b = asPlatform(simulator, made.body)
    expect((await b('GET', `/v1/checkouts/${id}`)).status).toBe(200)
    expect((await tester('GET', '/sandboxes/b/ledger')).body.sums.charges).toBe(1)
    expect((await tester('GET', '/sandboxes')).body.data).toHaveLength(2)
    expect((await tester('POST', '/sandboxes', { json: { name: 'b' } })).status).toBe(409)
    expect((await tester('DELETE', '/sandboxes/b')).status).toBe(204)
    expect((await tester('GET', '/sandboxes/b')).status).toBe(404)
    expect((await tester('GET', '/sandboxes/b/ledger')).body).toEqual({
      error: 'Not Found',
      message: 'Sandbox not found',
    })
    expect((await b('GET', '/v1/checkouts')).status).toBe(401)
  })

  test('takes and restores snapshots', async () => {
    const { tester, call } = openTester()
    const id = await confirmedCheckout(call)
    expect((await tester('POST', '/snapshots', { json: { name: 'paid' } })).status).toBe(201)
    expect((await tester('POST', '/reset')).status).toBe(204)
    expect((await call('GET', `/v1/checkouts/${id}`)).status).toBe(404)
    expect((await tester('POST', '/snapshots/paid/restore')).status).toBe(200)
    expect((await call('GET', `/v1/checkouts/${id}`)).status).toBe(200)
    expect((await tester('GET', '/snapshots')).body.data.map(({ name }: { name: string }) => name)).toEqual([
      'paid',
    ])
    expect((await tester('DELETE', '/snapshots/paid')).status).toBe(204)
  })

  test('has pages in the documented order', async () => {
    const { tester, call } = openTester()
    for (let n = 0; n < 5; n += 1) await call('GET', '/v1/checkouts')
    const ids = async (query: string) => {
      const { body } = await tester('GET', `/requests?${query}`)
      return [body.data.map(({ id }: { id: string }) => id), body.nextCursor]
    }
    expect(await ids('limit=2')).toEqual([['req_4', 'req_5'], 'req_4'])
    expect(await ids('limit=2&cursor=req_4')).toEqual([['req_2', 'req_3'], 'req_2'])
    expect(await ids('limit=2&cursor=req_2')).toEqual([['req_1'], null])
    expect(await ids('op=checkouts.list&status=2xx&since=req_4')).toEqual([['req_5'], null])
  })

  test('has pages of the ledger, each with the sums of the whole ledger', async () => {
    const { tester, call } = openTester()
    const id = await confirmedCheckout(call, 1000)
    for (let amount = 1; amount <= 4; amount += 1) await refund(call, id, amount)
    const page = async (query: string) => {
      const { body } = await tester('GET', `/ledger?${query}`)
      const amounts = body.movements.map(({ amount }: { amount: number }) => amount)
      return [amounts, body.hasMore, body.nextCursor, body.sums.refunded]
    }
    expect(await page('limit=2')).toEqual([[3, 4], true, '4', 10])
    expect(await page('limit=2&cursor=4')).toEqual([[1, 2], true, '2', 10])
    await refund(call, id, 5)
    expect(await page('limit=2&cursor=2')).toEqual([[1000], false, null, 15])
    for (const cursor of ['x', '%20', '-1', '1e3'])
      expect((await tester('GET', `/ledger?cursor=${cursor}`)).body.message, cursor).toMatch(
        /cursor must be the nextCursor/,
      )
  })

  test('has the actions that only a tester has', async () => {
    const { tester, call } = openTester()
    const { body: checkout } = await call('POST', '/v1/checkouts', order())
    expect((await tester('POST', `/checkouts/${checkout.id}/decline`)).body).toMatchObject({
      status: 'pending',
    })
    const { body: second } = await call('POST', '/v1/checkouts', order())
    expect((await tester('POST', `/checkouts/${second.id}/approve`)).body).toMatchObject({
      status: 'approved',
    })
    const { body: customer } = await call('POST', '/v1/customers', { externalId: 'bolt' })
    const attached = await tester('POST', `/customers/${customer.id}/payment-methods`, {
      json: { type: 'bank_account' },
    })
    expect(attached).toMatchObject({ status: 201, body: { type: 'bank_account' } })
    const refundId = await refund(call, await confirmedCheckout(call), 10)
    expect((await tester('POST', `/refunds/${refundId}/complete`)).body).toMatchObject({
      status: 'completed',
    })
    const emitted = await tester('POST', '/events', {
      json: { type: 'refund.completed', resourceId: refundId },
    })
    expect(emitted).toMatchObject({ status: 201, body: { type: 'refund.completed' } })
  })

  test('configures a webhook endpoint', async () => {
    const { tester } = openTester()
    // Ends with a line break, so that a shell prompt starts on a new line.
    expect((await tester('GET', '/webhook')).text).toBe('null\n')
    const put = await tester('PUT', '/webhook', {
      json: { url: 'http://127.0.0.1:9/', events: ['refund.*'] },
    })
    expect(put.body).toMatchObject({ url: 'http://127.0.0.1:9/', events: ['refund.*'], disabledAt: null })
    expect((await tester('DELETE', '/webhook')).status).toBe(204)
  })

  test('lists deliveries with their attempts, and redelivers an event', async () => {
    const receiver = await openReceiver(503)
    onTestFinished(() => receiver.close())
    const { tester, call } = openTester()
    await tester('PUT', '/webhook', { json: { url: receiver.url } })
    await call('POST', '/v1/customers', { externalId: 'acme' })
    expect((await tester('POST', '/settle?within=10s')).status).toBe(204)
    const [delivery] = (await tester('GET', '/deliveries?status=pending')).body.data
    expect(delivery).toMatchObject({
      eventType: 'customer.created',
      attempts: [{ number: 1, at: START, url: receiver.url, status: 503, error: null }],
      nextAttemptAt: '2026-01-01T00:00:05.000Z',
    })

    receiver.reply(204)
    const again = await tester('POST', `/deliveries/${delivery.id}/redeliver`)
    expect(again).toMatchObject({ status: 201, body: { eventId: delivery.eventId, attempts: [] } })
    await tester('POST', '/settle?within=10s')
    expect((await tester('GET', `/deliveries?eventId=${delivery.eventId}`)).body.data).toMatchObject([
      { id: delivery.id, status: 'pending' },
      { id: again.body.id, status: 'delivered', attempts: [{ status: 204 }] },
    ])
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([delivery.eventId, delivery.eventId])
    expect((await tester('POST', '/deliveries/dlv_none/redeliver')).status).toBe(404)
  })

  test('settles, and returns 408 with the pending work', async () => {
    const { tester, call } = openTester()
    const held = call('POST', '/v1/checkouts', order(), { 'x-sim': 'hold=gate-a' })
    expect((await tester('GET', '/gates/gate-a?within=10s')).body.data).toMatchObject([{ request: 'req_1' }])
    const { status, body } = await tester('POST', '/settle?within=5ms')
    expect([status, body.error, body.inFlight[0].target]).toEqual([408, 'Request Timeout', '/v1/checkouts'])
    expect((await tester('POST', '/settle?held=false')).status).toBe(204)
    expect((await tester('POST', '/settle?held=no')).status).toBe(400)
    expect((await tester('POST', '/gates/gate-a/release')).body.data).toMatchObject([{ request: 'req_1' }])
    expect((await tester('POST', '/settle')).status).toBe(204)
    expect((await held).status).toBe(201)
  })

  test('is not journaled and not rate limited', async () => {
    const { tester, shop } = openTester({ rateLimit: 1 })
    for (let n = 0; n < 5; n += 1) expect((await tester('GET', '/clock')).status).toBe(200)
    expect(shop.requests()).toEqual([])
  })

  test('serves every row of the tables at its path, in the default sandbox and in any other', async () => {
    const { simulator, tester } = openTester()
    simulator.sandbox('other')
    for (const row of [...SIMULATOR_ROUTES, ...SANDBOX_ROUTES]) {
      const path = row.path.replace('{sandbox}', 'other').replaceAll(/\{\w+\}/g, 'nothing')
      const places = SANDBOX_ROUTES.includes(row as never) ? [path, `/sandboxes/other${path}`] : [path]
      for (const place of row.id === 'sandboxes.remove' ? [] : places) {
        const query = row.path === '/gates/{name}' ? '?within=1ms' : ''
        const { status, body } = await tester(row.method, place + query)
        expect({ status, body }, place).not.toMatchObject({ body: { message: 'Route not found' } })
        expect(status, place).toBeLessThan(500)
      }
    }
  })
})

describe('an invalid request gets an error in one sentence', () => {
  test.each([
    [
      'POST',
      '/clock',
      {},
      'Invalid field: body must be one of { advance: 2d }, { set: 2026-01-01T00:00:00Z }, { freeze: true } and { resume: true }',
    ],
    [
      'POST',
      '/clock',
      { advance: 'soon' },
      'advance must be a duration such as 250ms, 5s, 1m, 2h, 2d or 1h30m, at most 36500d, not "soon".',
    ],
    ['POST', '/clock', { advance: 1e300 }, /advance/],
    ['POST', '/clock', { set: 'tomorrow' }, /^set must be a time/],
    ['POST', '/clock', { set: '1999-01-01' }, /^Invalid field: set must lead forward/],
    ['POST', '/clock', [], /^Invalid field: body must be one of/],
    ['POST', '/sandboxes', { nmae: 'x' }, '^nmae is unknown here; did you mean name'],
    ['POST', '/sandboxes', { name: 7 }, 'Invalid field: name must be a text'],
    ['POST', '/sandboxes', { name: '../x' }, /^name must be a name of 1 to 63 letters/],
    [
      'POST',
      '/sandboxes',
      { from: 7 },
      'Invalid field: from must be the name of a sandbox, { sandbox, snapshot } or { fixture }',
    ],
    ['POST', '/sandboxes', { seed: -1 }, 'seed must be a whole number from 0 to 9007199254740991, not -1.'],
    ['POST', '/sandboxes', { clock: 'fast' }, /^clock must be real, frozen/],
    ['POST', '/sandboxes', { webhook: {} }, 'Missing required field: webhook.url'],
    ['POST', '/sandboxes', { webhook: { url: 'ftp://x' } }, /must be an http or https URL/],
    [
      'POST',
      '/sandboxes',
      { apiKey: 'with space' },
      /^apiKey must be 1 to 255 characters of printable ASCII/,
    ],
    ['POST', '/sandboxes', { signingSecret: 'short' }, /^signingSecret must be whsec_/],
    ['POST', '/sandboxes', { ttl: 'soon' }, /^ttl must be a duration/],
    [
      'POST',
      '/reset',
      { what: ['all'] },
      'Invalid field: what.0 must be one of state, journal, behaviors, clock, limits',
    ],
    ['POST', '/settle?within=soon', undefined, /^Invalid query parameter: within must be a duration/],
    ['POST', '/events', { type: 'nothing.happened', resourceId: 'x' }, /^Invalid field: type must be one of/],
    ['PUT', '/webhook', {}, 'Missing required field: url'],
    ['PUT', '/webhook', { url: 'x' }, /^url must be an http/],
    ['PUT', '/webhook', { url: 'http://x', events: ['nothing'] }, /^events\.0 must be an event type/],
    [
      'GET',
      '/requests?limit=0',
      undefined,
      'Invalid query parameter: limit must be a whole number from 1 to 100',
    ],
    ['GET', '/requests?cursor=x', undefined, /^Invalid query parameter: cursor must be a request/],
    ['GET', '/events?cursor=evt_x', undefined, /cursor must be the nextCursor/],
    ['GET', '/requests?status=bad', undefined, /^Invalid query parameter: status must be/],
    ['GET', '/requests?since=never', undefined, /^since must be a time/],
    ['GET', '/events?type=nothing', undefined, /^Invalid query parameter: type must be one of/],
    ['POST', '/snapshots', { name: '' }, /^name must be/],
    [
      'POST',
      '/customers/cus_x/payment-methods',
      { type: 'cash' },
      'Invalid field: type must be one of card, bank_account',
    ],
  ])('%s %s %j', async (method, path, json, message) => {
    const { tester } = openTester()
    const { status, body } = await tester(method, path, { json })
    expect(body).toMatchObject({ error: 'Bad Request', message: expect.stringMatching(message) })
    expect(status).toBe(400)
  })

  test('for a body that is not JSON', async () => {
    const { tester } = openTester()
    expect((await tester('POST', '/clock', { bytes: '{' })).body.message).toBe('Malformed JSON body')
  })

  test('for a wrong path and a wrong method', async () => {
    const { tester } = openTester()
    expect(await tester('GET', '/nothing')).toMatchObject({
      status: 404,
      body: { message: 'Route not found' },
    })
    const { status, headers } = await tester('PUT', '/clock')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})

describe("access to the tester's API", () => {
  /** Sent over a socket, because fetch would replace Host. */
  async function steer(headers: Record<string, string>, options: SimulatorOptions = {}) {
    const { url } = await openTester(options).simulator.listen()
    const { port, host } = new URL(url)
    const json = '{"advance":"1d"}'
    const sent = { host, ...headers, 'content-length': json.length, connection: 'close' }
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
    const request = ['POST /_sim/clock HTTP/1.1', ...lines, '', json].join('\r\n')
    const { text, ...answer } = await sendRaw(Number(port), request)
    return { ...answer, body: JSON.parse(text) }
  }

  test.each([
    ['a page of ours', { host: '127.0.0.1:4100', origin: 'http://127.0.0.1:4100' }, 200],
    ['no page at all', { host: 'localhost:4100' }, 200],
    ['an address of this machine', { host: '[::1]:4100' }, 200],
    ['the address of a container', { host: '172.17.0.2:4100' }, 200],
    ["another site's page", { host: '127.0.0.1:4100', origin: 'https://evil.example' }, 403],
    ['a page beside us', { host: 'localhost:4100', origin: 'http://localhost:3000' }, 403],
    ['a page without an origin', { host: 'localhost:4100', origin: 'null' }, 403],
    [
      'a name that leads here (DNS rebinding)',
      { host: 'evil.example:4100', origin: 'http://evil.example:4100' },
      403,
    ],
    ['a name that looks like an address', { host: '127.0.0.1.evil.example' }, 403],
    ['a name without a page', { host: 'paysim:4100' }, 403],
  ])('%s', async (_, headers, status) => {
    const { body, status: answered } = await steer(headers)
    expect(answered).toBe(status)
    if (status === 403) expect(body).toMatchObject({ error: 'Forbidden' })
  })

  test('accepts the configured public address', async () => {
    const publicUrl = 'https://paysim.internal'
    const headers = { host: 'paysim.internal', origin: publicUrl }
    expect((await steer(headers, { publicUrl })).status).toBe(200)
    expect((await steer({ ...headers, origin: 'https://other.internal' }, { publicUrl })).status).toBe(403)
  })

  test('with an admin token requires that token', async () => {
    const options = { adminToken: 'secret' }
    const without = await steer({}, options)
    expect(without).toMatchObject({
      status: 401,
      body: { error: 'Unauthorized', message: 'Invalid admin token' },
    })
    expect(without.headers['www-authenticate']).toBe('Bearer')
    expect((await steer({ authorization: 'Bearer wrong!' }, options)).status).toBe(401)
    expect((await steer({ authorization: 'Bearer secret' }, options)).status).toBe(200)
  })

  test("over a real socket refuses another site's page, but not the platform", async () => {
    const simulator = openSimulator()
    const { url } = await simulator.listen()
    const before = simulator.sandbox('default').clock.now()
    const response = await fetch(`${url}/_sim/clock`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: '{"advance":"1d"}',
    })
    expect(response.status).toBe(403)
    expect(simulator.sandbox('default').clock.now()).toBe(before)
    const platform = await fetch(`${url}/v1/checkouts`, {
      headers: { 'x-api-key': 'sk_staging_default', origin: 'https://evil.example' },
    })
    expect(platform.status).toBe(200)
  })
})
