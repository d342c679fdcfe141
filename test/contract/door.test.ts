import { describe, expect, onTestFinished, test } from 'vitest'
import { ORDER } from '../order.ts'
import { head, listening, openConnection, parts, sendRaw } from './socket.ts'

const HEAD = ['Host: paysim.test', 'x-api-key: sk_staging_default']
const request = (call: string, ...headers: string[]) => [call, ...HEAD, ...headers, '', ''].join('\r\n')
const post = (path: string, body: string, ...headers: string[]) =>
  request(
    `POST ${path} HTTP/1.1`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...headers,
  ) + body

/** Expects that the server is up, and that no request has met a bug. */
async function expectSound({ simulator, url }: Awaited<ReturnType<typeof listening>>) {
  const { status } = await fetch(`${url}/v1/customers`, { headers: { 'x-api-key': 'sk_staging_default' } })
  expect(status).toBe(200)
  await simulator.sandbox('default').settle()
}

describe('different spellings of a path are the same path', () => {
  test.each([
    '/v1/customers#here',
    '/v1/./customers',
    '/x/../v1/customers',
    '/v1/x/../customers',
    '/%761/c%75stomers',
    'http://elsewhere.test/v1/customers',
  ])('%s', async (target) => {
    const { port } = await listening()
    const twice = ['idempotency-key: a', 'idempotency-key: b', 'content-type: application/json']
    const body = '{"externalId":"acme"}'
    const sent = head(`POST ${target}`, ...twice, `content-length: ${body.length}`) + body
    expect(await sendRaw(port, sent)).toMatchObject({ status: 400 })
    expect((await sendRaw(port, head(`GET ${target}`))).text).toContain('"data":[]')
    const broken = await sendRaw(port, head(`GET ${target}`, 'x-sim: fault=bad-json'))
    expect(broken).toMatchObject({ status: 200, text: '{"data":[],"hasMore":false,"nextCursor":null,' })
  })

  test('an absolute request target overrides the Host header', async () => {
    const { port } = await listening()
    const body = JSON.stringify(ORDER)
    const call = head(
      'POST http://named.test/v1/checkouts',
      'content-type: application/json',
      `content-length: ${body.length}`,
    )
    expect((await sendRaw(port, call + body)).text).toContain('"checkoutUrl":"http://named.test/checkout/')
  })
})

describe('a request with an invalid host or target', () => {
  const ask = (target: string, host: string) => [
    `GET ${target} HTTP/1.1`,
    `Host: ${host}`,
    'x-api-key: sk_staging_default',
    'connection: close',
    '',
    '',
  ]

  test.each(['user@elsewhere.test', 'elsewhere.test/path', 'not a host', '[::1'])(
    'is refused for the header Host: %s',
    async (host) => {
      const { port } = await listening()
      const { status, text } = await sendRaw(port, ask('/v1/checkouts', host).join('\r\n'))
      expect({ status, text }).toMatchObject({
        status: 400,
        text: expect.stringMatching(/^400 Bad Request: /),
      })
    },
  )

  test('is refused for a backslash in its path', async () => {
    const { port } = await listening()
    for (const target of ['/v1\\..\\v1/customers', '/v1/customers\\all'])
      expect(await sendRaw(port, ask(target, 'paysim.test').join('\r\n'))).toMatchObject({
        status: 400,
        text: '400 Bad Request: Backslash in request path\n',
      })
  })

  test.each(['[::1]:4100', '127.1:4100', 'PaySim.test:80'])('does not include Host: %s', async (host) => {
    const { port } = await listening()
    const sent = ask('/v1/checkouts', host).join('\r\n')
    expect(await sendRaw(port, sent)).toMatchObject({ status: 200 })
  })
})

test('a listening simulator does not change the globals of its process', async () => {
  const { Request, Response } = globalThis
  const { url } = await listening()
  expect(await fetch(`${url}/healthz`)).toBeInstanceOf(globalThis.Response)
  expect({ Request: globalThis.Request, Response: globalThis.Response }).toEqual({ Request, Response })
})

test('HEAD has the Content-Length of the GET response, and no body', async () => {
  const { port } = await listening()
  const got = await sendRaw(port, head('GET /v1/customers'))
  const asked = await sendRaw(port, head('HEAD /v1/customers'))
  expect(asked.text).toBe('')
  expect(asked.headers['content-length']).toBe(String(got.text.length))
})

describe('a fault affects only its own request', () => {
  test('a fault on a pipelined request waits for its turn', async () => {
    const served = await listening()
    const connection = openConnection(served.port)
    connection.write(
      request('GET /v1/customers HTTP/1.1', 'x-sim: delay=1ms') +
        post('/v1/customers', '{"externalId":"acme"}', 'x-sim: fault=reset; at=after-commit'),
    )
    served.simulator.sandbox('default').clock.resume()
    await connection.ended
    const received = connection.received()
    expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1)
    expect(received).not.toContain('HTTP/1.1 201')
    await expectSound(served)
  })

  test('a request pipelined behind a hanging request gets no response', async () => {
    const served = await listening()
    const connection = openConnection(served.port)
    connection.write(request('GET /v1/customers HTTP/1.1', 'x-sim: fault=hang'))
    const shop = served.simulator.sandbox('default')
    while (shop.requests()[0]?.fault !== 'hang') await new Promise(setImmediate)
    connection.write(request('GET /healthz HTTP/1.1'))
    await expectSound(served)
    expect(connection.received()).toBe('')
  })

  test('many faults on one connection leave no listener on it', async () => {
    const warnings: Error[] = []
    const keep = (warning: Error) => void warnings.push(warning)
    process.on('warning', keep)
    onTestFinished(() => void process.off('warning', keep))
    const served = await listening()
    const connection = openConnection(served.port)
    for (let sent = 1; sent <= 12; sent += 1) {
      connection.write(request('GET /v1/customers HTTP/1.1', 'x-sim: fault=bad-json'))
      await connection.until('nextCursor', sent)
    }
    await expectSound(served)
    expect(warnings).toEqual([])
  })

  test('a response that drips for years starts immediately, and ends when its client disconnects', async () => {
    const served = await listening()
    const connection = openConnection(served.port)
    connection.write(request('GET /v1/customers HTTP/1.1', 'x-sim: fault=drip; over=1000d'))
    expect(await connection.until('\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK/)
    connection.giveUp()
    await expectSound(served)
  })
})

test('an HTTP/1.0 client gets a Content-Length, and may keep its connection', async () => {
  const { port } = await listening()
  const connection = openConnection(port)
  connection.write(request('GET /v1/customers HTTP/1.0', 'connection: keep-alive'))
  const received = await connection.until('nextCursor')
  expect(received).toMatch(/content-length: \d+/i)
  expect(received).toMatch(/connection: keep-alive/i)
})

test('a response has the same header names in the same order if its target has special characters', async () => {
  const { port } = await listening()
  const names = async (call: string) => {
    const connection = openConnection(port)
    connection.write(request(`${call} HTTP/1.1`, 'connection: close'))
    await connection.ended
    return [...parts(connection.received()).head.matchAll(/^([\w-]+):/gm)].map(([, name]) => name)
  }
  const plain = await names('GET /v1/customers')
  expect(plain).toContain('content-length')
  expect(await names('GET /v1/customers?limit=~')).toEqual(await names('GET /v1/customers?limit=x'))
  expect(await names('GET /v1/customers?externalId=a.b')).toEqual(plain)
})

test('a read shows the address of its request, even if it was delayed or read at another one before', async () => {
  const { url, simulator } = await listening()
  const shop = simulator.sandbox('default')
  const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json' }
  const ask = async (address: string, path: string, more: RequestInit = {}) => {
    const init = { ...more, headers: { ...headers, ...more.headers } }
    const response = await simulator.fetch(new Request(`${address}/v1${path}`, init))
    return (await response.json()) as { id: string; checkoutUrl: string }
  }
  const body = JSON.stringify(ORDER)
  const { id } = await ask(url, '/checkouts', { method: 'POST', body })
  const held = ask(url, `/checkouts/${id}`, { headers: { 'x-sim': 'hold=gate' } })
  await shop.untilHeld('gate', { within: '10s' })
  await ask('http://elsewhere.test', '/checkouts')
  shop.release('gate')
  expect((await held).checkoutUrl).toBe(`${url}/checkout/${id}`)
  for (const address of [url, 'http://elsewhere.test', url])
    expect((await ask(address, `/checkouts/${id}`)).checkoutUrl).toBe(`${address}/checkout/${id}`)
})

test('a body that is nested too deep is explained as text', async () => {
  const { simulator, port } = await listening()
  const body = '['.repeat(5000) + ']'.repeat(5000)
  const call = head('POST /v1/customers', 'content-type: application/json', `content-length: ${body.length}`)
  expect(await sendRaw(port, call + body)).toMatchObject({ status: 400 })
  const { request } = simulator.sandbox('default').request('req_1')
  expect(request).toMatchObject({ body, json: null })
})

test("a request outside /v1 gets a hint at the right path, and is in its sandbox's journal", async () => {
  const { url, simulator } = await listening()
  const shop = simulator.create()
  const ask = async (call: string, apiKey?: string) => {
    const [method = '', path = ''] = call.split(' ')
    const answer = await fetch(url + path, { method, headers: apiKey ? { 'x-api-key': apiKey } : {} })
    return [answer.status, await answer.json()]
  }
  const notFound = (more: string) => [
    404,
    { error: 'Not Found', message: `Route not found outside /v1${more}` },
  ]
  expect(await ask('GET /customers?limit=2', shop.apiKey)).toEqual(notFound('; did you mean /v1/customers?'))
  expect(await ask('POST /api/v1/refunds', shop.apiKey)).toEqual(notFound('; did you mean /v1/refunds?'))
  expect(await ask('GET /custmers', shop.apiKey)).toEqual(notFound('; did you mean GET /v1/customers?'))
  expect(await ask('GET /nothing/at/all')).toEqual(notFound(''))
  expect(shop.requests().map(({ step, target }) => [step, target])).toEqual([
    ['outside /v1', '/customers?limit=2'],
    ['outside /v1', '/api/v1/refunds'],
    ['outside /v1', '/custmers'],
  ])
  expect(shop.journal()).toContain('GET /custmers → 404  Refused at the step "outside /v1"')
  expect(simulator.sandbox('default').requests()).toHaveLength(1)
})
