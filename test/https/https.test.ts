/** HTTPS: the certificate, both HTTP versions, connection faults, and shutdown. The contract over TLS is a separate project. */
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect as connectTester } from '../../src/control-client.ts'
import type { Sandbox, SimulatorOptions } from '../../src/index.ts'
import { CONNECTION_FAULT_KINDS, isSlow, lastingOf } from '../../src/spec/contract/connection-fault.ts'
import type { ListenOptions } from '../../src/spec/options/simulator.ts'
import { SIMULATOR_ADDRESSES } from '../../src/tester/control/addresses.ts'
import { Control } from '../../src/tools/player/control.ts'
import { sendHttp1, sendHttp2, sharedCertificate } from '../contract/over-tls.ts'
import { openShop, openSimulator } from '../control/shop.ts'
import { ORDER } from '../order.ts'

const folder = mkdtempSync(join(tmpdir(), 'paysim-https-'))
const file = (name: string) => join(folder, name)

async function serve() {
  const { ca, ...certificate } = await sharedCertificate()
  const simulator = openSimulator()
  const { url } = await simulator.listen(certificate)
  return { simulator, sandbox: simulator.sandbox('default'), url, ca }
}

const newCustomer = (url: string, { apiKey }: Sandbox) =>
  new Request(new URL('/v1/customers', url), {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ externalId: 'acme' }),
  })

/** Each asks the address, and rejects with a message. */
const CLIENTS: Record<string, (base: string) => Promise<unknown>> = {
  'a player': (base) => new Control(new URL(base), '/_sim', undefined).send(SIMULATOR_ADDRESSES.about),
  "a client of the tester's API": (base) => connectTester(base).sandboxes(),
  async 'a stub that forwards'(forward) {
    const { shop, call } = openShop()
    shop.arm({ when: { stub: 'GET /v1/balance' }, do: { forward, apiKey: 'sk_staging_1' } })
    throw new Error((await call('GET', '/v1/balance')).body.message)
  },
}

test.each(Object.entries(CLIENTS))(
  '%s prints the fix for a wrong protocol or certificate',
  async (_, ask) => {
    const { url } = await serve()
    const { url: plain } = await openSimulator().listen()
    await expect(ask(url)).rejects.toThrow(
      'its certificate is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set NODE_EXTRA_CA_CERTS',
    )
    await expect(ask(plain.replace('http:', 'https:'))).rejects.toThrow('this port does not speak HTTPS')
    if (ask !== CLIENTS['a stub that forwards'])
      await expect(ask(url.replace('https:', 'http:'))).rejects.toThrow(
        `; if this port serves HTTPS, use ${url}`,
      )
  },
)

describe('The generated certificate', () => {
  async function serveAnew(options: SimulatorOptions = {}) {
    const tlsCaOut = file('ca.pem')
    const listening = await openSimulator(options).listen({ tlsCaOut })
    return { ...listening, ca: readFileSync(tlsCaOut, 'utf8') }
  }

  test('is trusted by a client that has its authority, and by no other', async () => {
    const { url, ca } = await serveAnew()
    const health = () => new Request(new URL('/healthz', url))
    expect(url).toMatch(/^https:/)
    expect(await sendHttp1(url, ca, health())).toMatchObject({ status: 200 })
    await expect(fetch(health())).rejects.toThrow()
  })

  test('has the fingerprint in the output, and the names of this machine and of --public-url', async () => {
    const { url, ca, fingerprint } = await serveAnew({ publicUrl: 'https://pay.example' })
    const session = connect(url, { ca })
    onTestFinished(() => session.close())
    await new Promise((resolve) => session.once('connect', resolve))
    const { raw } = (
      session.socket as unknown as { getPeerCertificate(): { raw: Buffer } }
    ).getPeerCertificate()
    const served = new X509Certificate(raw)
    expect(served.fingerprint256).toBe(fingerprint)
    for (const name of ['localhost', 'pay.example']) expect(served.checkHost(name)).toBe(name)
    for (const address of ['127.0.0.1', '::1']) expect(served.checkIP(address)).toBe(address)
  })
})

test.each([
  [
    'a file that is not there',
    { tlsCert: file('none'), tlsKey: 'x' },
    `--tls-cert: Cannot read ${file('none')}: no such file.`,
  ],
  [
    'a folder that is not there',
    { tlsCaOut: '/nowhere/ca.pem' },
    '--tls-ca-out /nowhere/ca.pem cannot be written: ENOENT.',
  ],
  ['a misspelt option', { tsl: true }, 'tsl is unknown here; did you mean tls?'],
])('Refused: %s', async (_, where, message) => {
  await expect(openSimulator().listen(where as ListenOptions)).rejects.toThrow(message)
})

test('Refused: a file without a certificate', async () => {
  writeFileSync(file('empty.pem'), 'nothing')
  const where = { tlsCert: file('empty.pem'), tlsKey: file('empty.pem') }
  await expect(openSimulator().listen(where)).rejects.toThrow('has no CERTIFICATE in PEM.')
})

const VERSIONS = [
  ['HTTP/1.1', sendHttp1],
  ['HTTP/2', sendHttp2],
] as const

describe.each(VERSIONS)('Over %s', (_, send) => {
  test('a response has an https checkoutUrl', async () => {
    const { url, ca, sandbox } = await serve()
    const request = new Request(new URL('/v1/checkouts', url), {
      method: 'POST',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
    })
    const answer = await send(url, ca, request)
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      checkoutUrl: expect.stringMatching(`^${url}/checkout/`),
    })
  })

  test.each(CONNECTION_FAULT_KINDS.filter((kind) => lastingOf(kind) === undefined))(
    '%s breaks the response after the commit',
    async (fault) => {
      const { url, ca, sandbox } = await serve()
      sandbox.arm({ when: { op: 'customers.create' }, do: { fault, at: 'after-commit' } })
      const answer = send(url, ca, newCustomer(url, sandbox))
      await expect(answer.then(({ body }) => JSON.parse(body.toString()))).rejects.toThrow()
      expect(sandbox.requests()).toMatchObject([{ fault }])
      expect(sandbox.events({ type: 'customer.created' })).toHaveLength(1)
    },
  )

  test.each(CONNECTION_FAULT_KINDS.filter((kind) => lastingOf(kind) === 'patience'))(
    '%s lasts until the client leaves',
    async (fault) => {
      const { url, ca, sandbox } = await serve()
      sandbox.arm({ when: { op: 'customers.create' }, do: { fault, at: 'after-commit' } })
      const client = new AbortController()
      const left = expect(
        send(url, ca, new Request(newCustomer(url, sandbox), { signal: client.signal })),
      ).rejects.toMatchObject({ name: 'AbortError' })
      await expect.poll(() => sandbox.requests()).toMatchObject([{ fault }])
      client.abort()
      await left
      expect(sandbox.events({ type: 'customer.created' })).toHaveLength(1)
    },
  )

  test.each(CONNECTION_FAULT_KINDS.filter(isSlow))('%s delivers the whole response', async (fault) => {
    const { url, ca, sandbox } = await serve()
    sandbox.arm({ when: { op: 'customers.create' }, do: { fault, over: '10ms' } })
    const { status, body } = await send(url, ca, newCustomer(url, sandbox))
    expect([status, JSON.parse(body.toString())]).toMatchObject([201, { externalId: 'acme' }])
    expect(sandbox.requests()).toMatchObject([{ fault }])
  })

  test("the tester's pages and API are refused under the host name or origin of another site", async () => {
    const { url, ca } = await serve()
    const status = async (path: string, host: string, headers: Record<string, string> = {}) =>
      (await send(url, ca, new Request(`https://${host}${path}`, { headers }))).status
    for (const path of [
      ...['/_sim', '/_sim/ledger', '/_sim/openapi.json', '/_sim/openapi.yaml', '/_sim/mcp'],
      ...['/_sim/ui', '/_sim/ui/log-in', '/'],
    ]) {
      expect(await status(path, 'evil.example'), path).toBe(403)
      expect(await status(path, 'evil.example', { origin: 'https://evil.example' }), path).toBe(403)
      expect(await status(path, 'localhost', { origin: 'https://evil.example' }), path).toBe(403)
      expect(await status(path, 'localhost', { origin: 'https://localhost' }), path).not.toBe(403)
    }
  })

  test('an invalid host name is refused by every page, and ignored by /v1', async () => {
    const { url, ca, sandbox } = await serve()
    for (const path of ['/_sim', '/_sim/ui', '/openapi.json', '/v1/checkouts']) {
      const request = new Request(new URL(path, url), { headers: { 'x-api-key': sandbox.apiKey } })
      const { status } = await send(url, ca, request, 'a.b.1')
      expect([path, status]).toEqual([path, path.startsWith('/v1') ? 200 : 400])
    }
  })

  test.each(['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'http2-settings'])(
    'a behavior can respond with the header %s',
    async (name) => {
      const { url, ca, sandbox } = await serve()
      sandbox.arm({ do: { respond: { status: 418, headers: { [name]: 'close', 'x-own': 'a' } } } })
      const { status, headers } = await send(url, ca, newCustomer(url, sandbox))
      expect([status, headers['x-own']]).toEqual([418, 'a'])
    },
  )

  test('a closing simulator responds to held requests, and closes idle connections', async () => {
    const { url, ca, sandbox, simulator } = await serve()
    const idle = connect(url, { ca })
    idle.on('error', () => {})
    await new Promise((resolve) => idle.once('connect', resolve))
    sandbox.arm({ when: { op: 'customers.create' }, do: { hold: 'gate' } })
    const answer = send(url, ca, newCustomer(url, sandbox))
    await sandbox.untilHeld('gate')
    const closed = simulator.close()
    expect(await answer).toMatchObject({ status: 201 })
    await closed
    expect([idle.closed, idle.destroyed]).toContain(true)
  })
})

test('Over HTTP/2 a canceled stream counts as client left, and other requests of the connection continue', async () => {
  const { url, ca, sandbox } = await serve()
  sandbox.arm({ when: { op: 'customers.create' }, do: { hold: 'gate' } })
  const session = connect(url, { ca })
  onTestFinished(() => session.close())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/v1/customers',
    'x-api-key': sandbox.apiKey,
    'content-type': 'application/json',
  })
  stream.on('error', () => {})
  stream.end('{"externalId":"acme"}')
  await sandbox.untilHeld('gate')
  stream.close()
  await new Promise((resolve) => stream.once('close', resolve))
  const health = session.request({ ':path': '/healthz' })
  const [headers] = await new Promise<[{ ':status'?: number }]>((resolve) =>
    health.once('response', (...got) => resolve(got as never)),
  )
  expect(headers[':status']).toBe(200)
  sandbox.release('gate')
  await sandbox.settle()
  expect(sandbox.requests()).toMatchObject([{ fault: 'client left' }])
})

test('Over HTTP/2 an open page gets changes', async () => {
  const { url, ca, simulator } = await serve()
  simulator.sandbox('shop')
  const session = connect(url, { ca })
  onTestFinished(() => session.close())
  const stream = session.request({ ':path': '/_sim/ui/sandboxes/shop/live' })
  stream.setEncoding('utf8')
  expect(await new Promise((resolve) => stream.once('data', resolve))).toContain('event: changed')
  simulator.remove('shop')
  expect(await text(stream)).toContain('event: removed')
})

describe('A client that opens hundreds of streams and reads none of them', () => {
  test('gets a hundred responses at a time, and other clients are served meanwhile', async () => {
    const { url, ca, simulator } = await serve()
    const session = connect(url, { ca, settings: { initialWindowSize: 0 } })
    session.on('error', () => {})
    let answered = 0
    await new Promise<void>((resolve) => {
      for (let count = 0; count < 200; count += 1) {
        const stream = session.request({ ':path': '/openapi.json' })
        stream.on('error', () => {})
        stream.on('response', () => {
          answered += 1
          if (answered === 100) resolve()
        })
      }
    })
    const health = new Request(new URL('/healthz', url))
    for (const send of [sendHttp1, sendHttp2])
      expect(await send(url, ca, health)).toMatchObject({ status: 200 })
    expect(answered).toBe(100)
    const isClosed = new Promise((resolve) => session.once('close', resolve))
    await simulator.close()
    await isClosed
  })
})
