/**
 * Random requests, generated from the schemas and then corrupted: to /v1, /_sim and the pages, over raw sockets and HTTP/2, and
 * without a socket. No response is a 5xx, the log has no errors, and memory does not grow.
 */
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { CONNECTION_FAULT_KINDS, lastingOf } from '../../src/spec/contract/connection-fault.ts'
import { ID_PREFIXES } from '../../src/spec/contract/ids.ts'
import { Random } from '../../src/spec/world/random.ts'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../../src/tester/control/simulator-verbs.ts'
import { newSimulator } from '../control/shop.ts'
import { logged } from '../given.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Includes production, because a random request may open it. */
const ALWAYS_THERE = ['default', 'production.default']

const REQUESTS = Number(process.env.PAYSIM_FUZZ_REQUESTS ?? 10_000)
const SEED = Number(process.env.PAYSIM_FUZZ_SEED ?? 1)
const random = new Random(SEED)
const below = (count: number) => Math.floor(random.fraction() * count)
const oneOf = <One>(all: readonly One[]): One => all[below(all.length)]!
const often = (probability: number) => random.fraction() < probability

const ODD = [
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    '%',
    '../..',
    '<b>',
    "'",
    'req_1',
    'req_9007199254740993',
  ],
  ...[null, true, 0, -1, 1e21, 0.1, 2 ** 53, [], {}, [[]], { a: { b: {} } }, 'x'.repeat(3_000)],
]
const GOOD_TEXT = [
  'acme',
  'a',
  'default',
  's-1',
  's-2',
  'gate',
  '5s',
  '0ms',
  '2026-01-01T00:00:00Z',
  'https://shop.test/ok',
  'refund.*',
  '*',
]
/** Faults that end the stream immediately. */
const BREAKING = CONNECTION_FAULT_KINDS.filter((kind) => lastingOf(kind) === undefined)
const FAULTS = [
  ...BREAKING.map((fault) => `{"fault":"${fault}","at":"after-commit"}`),
  '{"rateLimit":{"limit":3}}',
  '{"webhook":{"duplicate":3,"delay":"1s"}}',
  '{"transition":"completed","after":{"polls":2}}',
  '{"decision":"decline"}',
  '{"respond":{"status":418,"headers":{"connection":"x","keep-alive":"x","upgrade":"x","te":"x","http2-settings":"x"}}}',
]

/** Bodies that cannot be written as a JavaScript value. */
const RAW_BODIES = [
  '{"a":'.repeat(15_000) + 1 + '}'.repeat(15_000),
  '['.repeat(40_000) + ']'.repeat(40_000),
  `[${'{},'.repeat(20_000)}1]`,
  '{"amount":1e400,"checkoutId":"\\ud800","a":-0,"b":9007199254740993}',
  '{"externalId":"a","externalId":"b","__proto__":{"amount":1}}',
  `{"externalId":"${'\\u0000'.repeat(50)}"}`,
  new Uint8Array([0xff, 0xfe, 0x7b, 0x22, 0xc0, 0x80]),
]
const HEADERS = [
  ...BREAKING.map((kind) => ({ 'x-sim': `fault=${kind}` })),
  { 'x-sim': 'respond=418' },
  { 'x-sim': 'delay=0ms; fault' },
  { 'user-agent': "'; curl -H 'x" },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
  { 'content-encoding': 'gzip' },
]

/** The latest requests of the sandbox `default`, whose pages show the random bodies. */
const requests: string[] = ['req_1']

/** The latest ids in responses. */
const ids: string[] = ['chk_1']
const ID = new RegExp(`\\b(?:${Object.values(ID_PREFIXES).join('|')})\\w+`, 'g')
function learn(text: string): void {
  for (const [id] of text.matchAll(ID)) {
    if (ids.length < 200) ids.push(id)
    else ids[below(200)] = id
    if (often(0.5)) return
  }
}
const text = () => (often(0.4) ? oneOf(ids) : often(0.9) ? oneOf(GOOD_TEXT) : String(oneOf(ODD)))

type Shape = Record<string, unknown>

/** Generates a value that a JSON Schema allows, and sometimes any other value. */
function madeFrom(shape: Shape, defs: Shape, depth = 0): unknown {
  if (often(0.04)) return oneOf(ODD)
  if (typeof shape.$ref === 'string')
    return madeFrom(defs[shape.$ref.split('/').at(-1)!] as Shape, defs, depth)
  const forms = (shape.anyOf ?? shape.oneOf) as Shape[] | undefined
  if (forms) return madeFrom(oneOf(forms), defs, depth)
  if (Array.isArray(shape.enum)) return oneOf(shape.enum)
  if ('const' in shape) return shape.const
  if (shape.type === 'integer' || shape.type === 'number')
    return often(0.5) ? below(5) : below(1_000_000) / 100
  if (shape.type === 'boolean') return often(0.5)
  if (shape.type === 'array') {
    return depth > 5
      ? []
      : Array.from({ length: below(3) }, () => madeFrom(shape.items as Shape, defs, depth + 1))
  }
  if (shape.type === 'object' || shape.properties) {
    const required = (shape.required ?? []) as string[]
    const fields = Object.entries((shape.properties ?? {}) as Record<string, Shape>)
      .filter(([name]) => required.includes(name) || (depth < 6 && often(0.4)))
      .filter(() => !often(0.02))
    return Object.fromEntries(fields.map(([name, field]) => [name, madeFrom(field, defs, depth + 1)]))
  }
  return text()
}

interface Target {
  method: string
  path: string
  shape?: Shape
  scenario?: boolean
}
const shapeOf = (schema: z.ZodType | undefined): Pick<Target, 'shape'> =>
  schema ? { shape: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape } : {}

const V1: Target[] = OPERATIONS.map(({ method, path, body }) => ({ method, path, ...shapeOf(body) }))
const STEERING: Target[] = [
  ...SIMULATOR_ROUTES.map((route) => ({ ...route, path: `/_sim${route.path}` })),
  ...SANDBOX_ROUTES.map((route) => ({ ...route, path: `/_sim${route.path}` })),
  ...SANDBOX_ROUTES.map((route) => ({ ...route, path: `/_sim/sandboxes/{sandbox}${route.path}` })),
].map(({ method, path, body, takes }) => ({
  method,
  path,
  ...shapeOf(body),
  scenario: takes?.includes('yaml') ?? false,
}))
const UI = [
  '',
  '/requests',
  ...Array<string>(6).fill('/requests/{request}'),
  '/resources',
  '/resources/{id}',
  '/ledger',
  '/audit',
  '/outbox',
  '/outbox/{id}',
  '/events',
  '/events/{id}',
  '/deliveries/{id}',
  '/behaviors',
  '/sandboxes',
  '/find?q={id}',
  '/log-in',
]
const PAGES: Target[] = [
  ...UI.map((path) => ({ method: 'GET', path: `/_sim/ui${path}` })),
  ...[
    '/checkout/{id}',
    '/checkout/{id}/{sandbox}',
    '/checkout/{id}/log-in',
    '/sandboxes/{sandbox}/checkout/{id}',
    '/healthz',
    '/assets/{id}',
  ].flatMap((path) => [
    { method: 'GET', path },
    { method: 'POST', path },
  ]),
  { method: 'POST', path: '/_sim/ui/do/clock.advance' },
]

function requestOf({ method, path, shape, scenario }: Target): Request {
  const target = path.replaceAll(/\{\w+\}/g, (name) =>
    encodeURIComponent(
      (name === '{sandbox}'
        ? oneOf(['s-1', 's-2', text()])
        : name === '{request}'
          ? (oneOf(requests) ?? 'req_1')
          : text()
      ).toWellFormed() || '%20',
    ),
  )
  const waiting = /settle|gates|verify/.test(path) ? `${target.includes('?') ? '&' : '?'}within=0ms` : ''
  const body =
    method === 'GET' || often(0.03)
      ? undefined
      : often(0.02)
        ? oneOf(RAW_BODIES)
        : scenario
          ? `{"name":"n","behaviors":[{"times":2,"do":${oneOf(FAULTS)}}]}`
          : shape
            ? JSON.stringify(madeFrom(shape, (shape.$defs ?? {}) as Shape))
            : `token=${encodeURIComponent(text().toWellFormed())}&contact=a%40b.test`
  const headers: Record<string, string> = {
    'x-api-key': oneOf(['sk_staging_default', 'sk_staging_default', 'sk_staging_s-1', 'no']),
    'content-type': shape || scenario ? 'application/json' : 'application/x-www-form-urlencoded',
  }
  if (often(0.2)) headers['idempotency-key'] = `k${below(50)}`
  if (often(0.05)) Object.assign(headers, oneOf(HEADERS))
  return new Request(`http://paysim.test${target}${waiting}`, {
    method: often(0.01)
      ? oneOf(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      : method === 'GET' && often(0.01)
        ? 'HEAD'
        : method,
    headers,
    ...(body !== undefined && { body }),
  } as RequestInit)
}

const RAW = [
  'GET / HTTP/1.1\r\n\r\n',
  'GET /v1/checkouts HTTP/1.1\r\nhost: a.b.1\r\nconnection: close\r\n\r\n',
  'GET /checkout/chk_1 HTTP/1.1\r\nhost: [::1\r\nconnection: close\r\n\r\n',
  'POST /v1/checkouts HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n{',
  'POST /_sim/clock HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'TRACE /_sim HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  'GET http://[bad/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  '\u0000\u0001\r\n\r\n',
]

/** RFC 9113, 4.1. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}
const chance = (length: number) => Buffer.from(Array.from({ length }, () => below(256)))
const bytes = (...all: number[]) => Buffer.from(all)
/** GET https://localhost/, encoded with HPACK's static table. */
const GET = Buffer.concat([bytes(0x82, 0x87, 0x84, 0x41, 9), Buffer.from('localhost')])
const [DATA, HEADERS_FRAME, RST, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION] = [
  0, 1, 3, 4, 6, 7, 8, 9,
] as const
const FRAMES: readonly (() => Buffer)[] = [
  () => frame(HEADERS_FRAME, 5, 1, GET),
  () => frame(HEADERS_FRAME, 5, 1, Buffer.concat([GET, bytes(0x40, 2, 116, 101, 1, 120)])),
  () => frame(HEADERS_FRAME, 5, 1, chance(below(60))),
  () => frame(HEADERS_FRAME, 0, 1, GET),
  () => Buffer.concat(Array.from({ length: 500 }, () => frame(CONTINUATION, 0, 1, bytes(0x82)))),
  () => Buffer.concat(openedAndReset(300)),
  () => frame(HEADERS_FRAME, 5, 2, GET),
  () => frame(DATA, 1, 1, chance(100)),
  () => frame(SETTINGS, 0, 0, bytes(0, 4, 255, 255, 255, 255)),
  () => Buffer.concat(Array.from({ length: 500 }, () => frame(SETTINGS, 0, 0, bytes()))),
  () => Buffer.concat(Array.from({ length: 500 }, () => frame(PING, 0, 0, chance(8)))),
  () => frame(WINDOW, 0, 0, bytes(0, 0, 0, 0)),
  () => frame(GOAWAY, 0, 0, chance(8)),
  () => frame(below(256), below(256), below(4), chance(below(40))),
]
const openedAndReset = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    Buffer.concat([frame(HEADERS_FRAME, 5, 2 * at + 1, GET), frame(RST, 0, 2 * at + 1, bytes(0, 0, 0, 8))]),
  )

const rawFrames = () =>
  Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(SETTINGS, 0, 0, bytes()),
    ...Array.from({ length: 1 + below(4) }, () => oneOf(FRAMES)()),
  ])

function sendRaw(socket: Socket, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.end(bytes)
  })
}

const AUTHORITIES = [
  'localhost',
  'localhost',
  'localhost',
  '127.0.0.1:1',
  'evil.example',
  '[::1',
  'a.b.1',
  'x@localhost',
]

/** Keeps one connection, and opens the next one after it ends. */
function http2Client(url: string) {
  let session: ClientHttp2Session | undefined
  return {
    close: () => session?.destroy(),
    /** Returns undefined if the stream broke. */
    async send(request: Request): Promise<{ status: number; headers: Headers; answer: string } | undefined> {
      if (!session || session.closed || session.destroyed) {
        session = connectHttp2(url, { rejectUnauthorized: false })
        session.on('error', () => {})
      }
      const { pathname, search } = new URL(request.url)
      const body = Buffer.from(await request.arrayBuffer())
      const stream = session.request(
        {
          ...Object.fromEntries(request.headers),
          ':method': request.method,
          ':path': pathname + search,
          ':authority': oneOf(AUTHORITIES),
        },
        { endStream: body.length === 0 },
      )
      stream.on('error', () => {})
      if (body.length > 0) stream.end(body)
      const answered = new Promise<{ status: number; headers: Headers } | undefined>((resolve) => {
        stream.once('response', ({ ':status': status, ...headers }) => {
          const fields = Object.entries(headers).map(([name, value]) => [name, String(value)])
          resolve({ status: status!, headers: new Headers(fields as [string, string][]) })
        })
        stream.once('close', () => resolve(undefined))
      })
      const answer = await textOf(stream).catch(() => undefined)
      const head = await answered
      return head && answer !== undefined ? { ...head, answer } : undefined
    },
  }
}

/** The targets: a simulator without a socket, the same one over HTTP/2, and raw bytes for it and for one without TLS. */
async function openTargets() {
  const simulator = newSimulator({
    rateLimit: 'off',
    seed: 1,
    clock: 'frozen@2026-01-01T00:00:00Z',
    log: 'json',
    memory: 32,
  })
  const { url } = await simulator.listen({ tls: true })
  const port = Number(new URL(url).port)
  const http2 = http2Client(url)
  onTestFinished(() => http2.close())
  const plain = createSimulator({ log: 'json' })
  onTestFinished(() => plain.close())
  const plainPort = Number(new URL((await plain.listen()).url).port)
  const fetched = async (request: Request) => {
    const response = await simulator.fetch(request)
    return { status: response.status, headers: response.headers, answer: await response.text() }
  }
  return {
    simulator,
    /** Returns undefined if a fault broke the stream or the connection. */
    ask: (request: Request) =>
      (often(0.2) ? http2.send(request) : fetched(request)).catch((cause: Error) => {
        if (cause.name !== 'ConnectionError') throw cause
        return undefined
      }),
    askInBytes: oneIn(
      () => sendRaw(connect(plainPort, '127.0.0.1'), oneOf(RAW)),
      () => sendRaw(connectTls({ port, rejectUnauthorized: false }), oneOf(RAW)),
      () => sendRaw(connectTls({ port, rejectUnauthorized: false, ALPNProtocols: ['h2'] }), rawFrames()),
    ),
  }
}

const oneIn =
  <Answer>(...ways: (() => Answer)[]) =>
  () =>
    oneOf(ways)()

/** The tables of a sandbox are expected to grow with its requests. Starting over makes any remaining growth a leak. */
async function startOver(simulator: Simulator): Promise<void> {
  for (const { name } of simulator.sandboxes()) if (!ALWAYS_THERE.includes(name)) simulator.remove(name)
  const shop = simulator.sandbox('default')
  shop.reset()
  for (const { name } of shop.snapshots.list()) shop.snapshots.remove(name)
  simulator.create({ name: 's-1' })
  // The request is held until the next start over.
  const held = { 'x-api-key': 'sk_staging_default', 'x-sim': 'hold=fuzz' }
  simulator.fetch(new Request('http://paysim.test/v1/checkouts', { headers: held })).catch(() => {})
  for (const path of ['/openapi.json', '/_sim/openapi.json'])
    expect((await simulator.fetch(new Request(`http://paysim.test${path}`))).status).toBe(200)
}

test(`${REQUESTS} random requests cause no 5xx, no error and no leak`, { timeout: 7_200_000 }, async () => {
  const errors = logged(/"level":"error"/)
  const { simulator, ask, askInBytes } = await openTargets()

  const found: string[] = []
  const statuses: Record<string, number> = {}
  const heap: number[] = []
  for (let count = 0; count < REQUESTS; count += 1) {
    if (count % 1_000 === 0) {
      await startOver(simulator)
      collectGarbage()
      heap.push(process.memoryUsage().heapUsed)
    }
    if (often(0.005)) {
      const answer = await askInBytes()
      if (/^HTTP\/1\.1 5/.test(answer)) found.push(answer.slice(0, 200))
      continue
    }
    const request = requestOf(oneOf(often(0.5) ? V1 : often(0.7) ? STEERING : PAGES))
    const { method, url } = request
    try {
      const response = await ask(request)
      if (response === undefined) continue
      const { status, headers, answer } = response
      statuses[status] = (statuses[status] ?? 0) + 1
      // A rate limit would refuse most of the following requests.
      if (url.includes('/settings')) {
        for (const sandbox of simulator.sandboxes()) sandbox.configure({ rateLimit: 'off' })
      }
      const journaled = headers.get('x-sim-request')
      if (journaled) requests[count % 50] = journaled
      if (status < 300 && count % 3 === 0) learn(answer.slice(0, 5_000))
      if (status >= 500) found.push(`${status} ${method} ${url} ${answer.slice(0, 200)}`)
    } catch (cause) {
      found.push(`${method} ${url} ${(cause as Error).stack}`)
    }
  }
  // Checked first, because the log names the cause.
  expect([...new Set(errors)].slice(0, 5)).toEqual([])
  expect([...new Set(found)].slice(0, 10)).toEqual([])
  expect(statuses).toMatchObject({
    200: expect.any(Number),
    201: expect.any(Number),
    400: expect.any(Number),
  })
  const [early, late] = [heap.slice(1, 6), heap.slice(-5)].map((part) => Math.min(...part)) as [
    number,
    number,
  ]
  if (REQUESTS >= 10_000) expect(late - early).toBeLessThan(20 * 1024 ** 2)
})
