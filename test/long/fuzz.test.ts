/**
 * Requests by chance, made from the schemas and then spoiled: over /v1, /_sim, the pages and raw sockets. No answer is a
 * 5xx, no line of the log is an error, and memory stays where it is.
 */
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createSimulator } from '../../src/index.ts'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { Random } from '../../src/spec/world/random.ts'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-routes.ts'
import { SIMULATOR_ROUTES } from '../../src/tester/control/simulator-routes.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** A request by chance may ask for production, which opens then. */
const ALWAYS_THERE = ['default', 'production.default']

const REQUESTS = Number(process.env.PAYSIM_FUZZ_REQUESTS ?? 100_000)
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
const FAULTS = [
  '{"fault":"reset"}',
  '{"fault":"truncate"}',
  '{"fault":"bad-json","at":"after-commit"}',
  '{"rateLimit":{"limit":3}}',
  '{"webhook":{"duplicate":3,"delay":"1s"}}',
  '{"transition":"completed","after":{"polls":2}}',
  '{"decision":"decline"}',
]

/** Bodies that no value can be written as. */
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
  { 'x-sim': 'fault=reset; at=after-commit' },
  { 'x-sim': 'fault=truncate' },
  { 'x-sim': 'respond=418' },
  { 'x-sim': 'delay=0ms; fault' },
  { 'user-agent': "'; curl -H 'x" },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
  { 'content-encoding': 'gzip' },
]

/** The latest requests of the sandbox `default`: their pages show the bodies by chance. */
const requests: string[] = ['req_1']

/** Ids that answers have named, the latest ones. */
const ids: string[] = ['chk_1']
function learn(text: string): void {
  for (const [id] of text.matchAll(/\b(?:chk|ref|cus|auth|pm|evt|dlv|req)_\w+/g)) {
    if (ids.length < 200) ids.push(id)
    else ids[below(200)] = id
    if (often(0.5)) return
  }
}
const text = () => (often(0.4) ? oneOf(ids) : often(0.9) ? oneOf(GOOD_TEXT) : String(oneOf(ODD)))

type Shape = Record<string, unknown>

/** A value that a JSON Schema allows; sometimes any other. */
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
  '/requests/{request}/again',
  '/requests/{request}/beside/{request}',
  '/record?id={request}',
  '/record/file?id={request}',
  '/timeline?of={id}',
  '/resources',
  '/resources/{id}',
  '/ledger',
  '/conduct',
  '/outbox',
  '/outbox/{id}',
  '/events',
  '/events/{id}',
  '/deliveries/{id}',
  '/behaviors',
  '/sandboxes',
  '/compare?with={sandbox}',
  '/reference',
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
  { method: 'POST', path: '/_sim/ui/do/clock' },
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
function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.end(bytes)
  })
}

test(`${REQUESTS} requests by chance`, { timeout: 7_200_000 }, async () => {
  const errors: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    if (String(line).includes('"level":"error"')) errors.push(String(line).slice(0, 2_000))
    return true
  })
  onTestFinished(() => spy.mockRestore())
  const simulator = createSimulator({
    rateLimit: 'off',
    seed: 1,
    clock: 'frozen@2026-01-01T00:00:00Z',
    log: 'json',
    memory: 32,
  })
  onTestFinished(() => simulator.close())
  const port = Number(new URL((await simulator.listen()).url).port)

  const found: string[] = []
  const statuses: Record<string, number> = {}
  const heap: number[] = []
  for (let count = 0; count < REQUESTS; count += 1) {
    if (count % 2_000 === 0) {
      // The tables of a sandbox grow with its requests, as they should: it starts over, so that what grows is a leak.
      for (const { name } of simulator.sandboxes()) if (!ALWAYS_THERE.includes(name)) simulator.remove(name)
      const shop = simulator.sandbox('default')
      shop.reset()
      for (const { name } of shop.snapshots.list()) shop.snapshots.remove(name)
      simulator.create({ name: 's-1' })
      // Held until the reset above.
      const held = { 'x-api-key': 'sk_staging_default', 'x-sim': 'hold=fuzz' }
      simulator.fetch(new Request('http://paysim.test/v1/checkouts', { headers: held })).catch(() => {})
      for (const path of ['/openapi.json', '/_sim/openapi.json'])
        expect((await simulator.fetch(new Request(`http://paysim.test${path}`))).status).toBe(200)
      // The spy keeps every line.
      spy.mockClear()
      collectGarbage()
      heap.push(process.memoryUsage().heapUsed)
    }
    if (often(0.005)) {
      const answer = await sendRaw(port, oneOf(RAW))
      if (/^HTTP\/1\.1 5/.test(answer)) found.push(answer.slice(0, 200))
      continue
    }
    const request = requestOf(oneOf(often(0.5) ? V1 : often(0.7) ? STEERING : PAGES))
    const { method, url } = request
    try {
      const response = await simulator.fetch(request)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      const answer = await response.text()
      // A limit would refuse what comes after it, and little else would be tried.
      if (url.includes('/settings')) {
        for (const one of simulator.sandboxes()) one.configure({ rateLimit: 'off' })
      }
      const journaled = response.headers.get('x-sim-request')
      if (journaled) requests[count % 50] = journaled
      if (response.status < 300 && count % 3 === 0) learn(answer.slice(0, 5_000))
      if (response.status >= 500) found.push(`${response.status} ${method} ${url} ${answer.slice(0, 200)}`)
    } catch (cause) {
      if ((cause as Error).name !== 'ConnectionError')
        found.push(`${method} ${url} ${(cause as Error).stack}`)
    }
  }
  // The log says why.
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
  if (REQUESTS >= 20_000) expect(late - early).toBeLessThan(40 * 1024 ** 2)
})
