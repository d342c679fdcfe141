import { describe, expect, test } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../../src/tester/control/simulator-verbs.ts'
import { sendRaw } from '../contract/socket.ts'
import { asTester, confirmedCheckout, type Method, openShop, order, refund, START } from './shop.ts'

function openTester(options: SimulatorOptions = {}) {
  const opened = openShop(options)
  return { ...opened, tester: asTester(opened.simulator) }
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
    expect(text).toContain('"sums":{"charged":1000.00,"captured":0.00,"refunded":250.50,')
    expect(text).toContain(`"createdAt":"${START}"`)
    expect((await tester('GET', '/events')).text).toContain('"amount":1000.00')
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

  test('ends an answer with a line break, so that a shell prompt starts on a new line', async () => {
    expect((await openTester().tester('GET', '/webhook')).text).toBe('null\n')
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
        const { status, body } = await tester(row.method as Method, place + query)
        expect({ status, body }, place).not.toMatchObject({ body: { message: 'Route not found' } })
        expect(status, place).toBeLessThan(500)
      }
    }
  })
})

describe('an invalid request gets an error in one sentence', () => {
  // test/control/mistakes.test.ts has those of a misspelled word.
  test.each([
    [
      'POST /clock',
      {},
      'Invalid field: body must be one of { advance: 2d }, { set: 2026-01-01T00:00:00Z }, { freeze: true } and { resume: true }',
    ],
    ['POST /clock', { advance: 1e300 }, /advance/],
    ['POST /clock', [], /^Invalid field: body must be one of/],
    ['POST /sandboxes', { name: 7 }, 'Invalid field: name must be a text'],
    ['POST /sandboxes', { name: '../x' }, /^name must be a name of 1 to 63 letters/],
    [
      'POST /sandboxes',
      { from: 7 },
      /^Invalid field: from must be the name of a sandbox, { sandbox, snapshot }/,
    ],
    ['POST /sandboxes', { webhook: {} }, 'Missing required field: webhook.url'],
    ['POST /sandboxes', { ttl: 'soon' }, /^ttl must be a duration/],
    ['PUT /webhook', {}, 'Missing required field: url'],
    [
      'GET /requests?limit=0',
      undefined,
      /^Invalid query parameter: limit must be a whole number from 1 to 100$/,
    ],
    ['POST /snapshots', { name: '' }, /^name must be/],
    ['POST /customers/cus_x/payment-methods', { type: 'cash' }, /type must be one of card, bank_account$/],
  ])('%s %j', async (request, json, message) => {
    const { tester } = openTester()
    const [method = '', path = ''] = request.split(' ')
    const { status, body } = await tester(method as Method, path, json)
    expect(body).toMatchObject({ error: 'Bad Request', message: expect.stringMatching(message) })
    expect(status).toBe(400)
  })

  test('for a body that is not JSON', async () => {
    const { tester } = openTester()
    expect((await tester('POST', '/clock', '{')).body.message).toBe('Malformed JSON body')
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
})
