/** Every step of a response fails once over each protocol: only its connection or stream breaks, and the server continues. */
import { get as getHttp } from 'node:http'
import { connect } from 'node:http2'
import { get as getHttps } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../src/server/http/app.ts'
import { type Certificate, certificateFor } from '../../src/server/http/certificate.ts'
import { listen } from '../../src/server/http/listen.ts'

let certificate: Certificate
beforeAll(async () => {
  certificate = (await certificateFor({ tls: true }, [], Date.now()))!
})

/** Resolves with the status, or with `broken`. */
type Ask = (url: string, path: string) => Promise<number | 'broken'>

const viaHttp1 =
  (get: typeof getHttp): Ask =>
  (url, path) =>
    new Promise((resolve) => {
      const options = { rejectUnauthorized: false, agent: false }
      get(new URL(path, url), options, (answer) => {
        buffer(answer).then(
          () => resolve(answer.statusCode!),
          () => resolve('broken'),
        )
      }).on('error', () => resolve('broken'))
    })

const viaHttp2: Ask = async (url, path) => {
  const session = connect(url, { rejectUnauthorized: false })
  session.on('error', () => {})
  const stream = session.request({ ':path': path })
  stream.on('error', () => {})
  let status: number | undefined
  stream.on('response', (headers) => {
    status = headers[':status']
  })
  stream.resume()
  await new Promise((resolve) => stream.once('close', resolve))
  session.destroy()
  return stream.rstCode === 0 && status !== undefined ? status : 'broken'
}

const PROTOCOLS = [
  ['HTTP/1.1', false, viaHttp1(getHttp)],
  ['HTTP/1.1 over TLS', true, viaHttp1(getHttps as typeof getHttp)],
  ['HTTP/2', true, viaHttp2],
] as const

// biome-ignore lint/suspicious/noExplicitAny: it removes parts of a response
type Parts = { incoming: any; outgoing: any }
type Fail = (parts: Parts) => unknown

const failure = () => new Error('it fails here')
const fails = () => {
  throw failure()
}
const answer = (
  _: Parts,
  body: ConstructorParameters<typeof Response>[0] = '{}',
  headers: Record<string, string> = {},
) => new Response(body, { status: 200, headers: { 'content-type': 'application/json', ...headers } })

const methods = [
  'writeHead',
  'write',
  'end',
  'destroy',
  'cork',
  'uncork',
  'flushHeaders',
  'once',
  'on',
  'off',
]
const ofConnection = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'http2-settings']

const STEPS: readonly (readonly [string, Fail])[] = [
  ['the app throws', fails],
  ['the app rejects', () => Promise.reject(failure())],
  ['the app returns nothing', () => undefined],
  ['the app returns nothing later', async () => undefined],
  ['the headers cannot be read', (parts) => Object.defineProperty(answer(parts), 'headers', { get: fails })],
  ['a header name is invalid', (parts) => answer(parts, '{}', { 'a b': 'c' })],
  ['a header value is invalid', (parts) => answer(parts, '{}', { a: 'b\r\nc: d' })],
  ...ofConnection.map(
    (name) => [`it has the header ${name}`, (parts: Parts) => answer(parts, '{}', { [name]: 'x' })] as const,
  ),
  ['its length is wrong', (parts) => answer(parts, '{}', { 'content-length': '7' })],
  ['its body fails immediately', (parts) => answer(parts, new ReadableStream({ pull: fails }))],
  ['its body fails later', (parts) => answer(parts, ReadableStream.from(failingLater()))],
  ['its body is not text', (parts) => answer(parts, ReadableStream.from([{}]) as never)],
  [
    'its body is read already',
    async (parts) => {
      const read = new Response('x')
      await read.text()
      return answer(parts, read.body)
    },
  ],
  ['its body waits for ever to be given up', (parts) => answer(parts, givenUpNever(parts))],
  ...methods.map(
    (name) =>
      [
        `${name} throws`,
        (parts: Parts) => {
          parts.outgoing[name] = fails
          return answer(parts)
        },
      ] as const,
  ),
  ...methods.map(
    (name) =>
      [
        `${name} throws while a body streams`,
        async (parts: Parts) => {
          parts.outgoing[name] = fails
          return answer(parts, ReadableStream.from(['{', '}'].map((text) => Buffer.from(text))))
        },
      ] as const,
  ),
  ['the request fails', ({ incoming }) => incoming.destroy(failure())],
  ['the response fails', ({ outgoing }) => outgoing.destroy(failure())],
  ['the response emits an error', ({ outgoing }) => outgoing.emit('error', failure())],
  ['the connection fails', ({ incoming }) => incoming.socket.destroy(failure())],
  ['the stream fails', ({ outgoing }) => (outgoing.stream ?? outgoing.socket).destroy(failure())],
  [
    'it was answered already',
    (parts) => {
      parts.outgoing.writeHead(200)
      parts.outgoing.end('x')
      return answer(parts)
    },
  ],
  [
    'something is written after the end',
    (parts) => {
      parts.outgoing.end('x')
      parts.outgoing.write('y')
      return answer(parts)
    },
  ],
]

async function* failingLater() {
  yield Buffer.from('{"a":')
  throw failure()
}

const givenUpNever = ({ outgoing }: Parts) =>
  new ReadableStream({
    pull: () => (outgoing.stream ?? outgoing.socket).destroy(failure()),
    cancel: () => new Promise(() => {}),
  })

describe.each(PROTOCOLS)('Over %s', (_, tls, ask) => {
  test('no failure ends the process, and the next request gets a response', async () => {
    const path = '/v1/customers'
    // The adapter logs its errors to stderr.
    const { error } = console
    console.error = () => {}
    onTestFinished(() => {
      console.error = error
    })
    const uncaught: unknown[] = []
    const keep = (cause: unknown) => uncaught.push(cause)
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, keep)
      onTestFinished(() => void process.off(event, keep))
    }
    let fail: Fail = answer
    const server = await listen(
      { fetch: ((_: Request, bindings: Parts) => fail(bindings)) as never },
      { port: 0, host: '127.0.0.1', ...(tls && { certificate }) },
      () => {},
    )
    onTestFinished(() => server.close())
    for (const [step, failing] of STEPS) {
      fail = failing
      const got = await ask(server.url, path)
      fail = answer
      expect([step, got, await ask(server.url, path), uncaught]).toEqual([step, got, 200, []])
    }
  })
})

test.each(PROTOCOLS)('Over %s no page is rendered for a client that has left', async (protocol, tls, ask) => {
  let goOn = () => {}
  const left = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let arrived = () => {}
  let made = 0
  const app = createApp({
    requireReady() {},
    answer: fails,
    logBug: fails,
    lazyRoutes: [
      {
        paths: ['/page'],
        async load() {
          arrived()
          await left
          return {
            fetch() {
              made += 1
              return new Response('a page')
            },
          }
        },
      },
    ],
  })
  const server = await listen(app, { port: 0, host: '127.0.0.1', ...(tls && { certificate }) }, fails)
  onTestFinished(() => server.close())
  const first = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const leave = protocol === 'HTTP/2' ? askAndLeaveHttp2(server.url) : askAndLeaveHttp1(server.url)
  await first
  leave()
  // Its connection is accepted only after the server has seen the first one end.
  expect(await ask(server.url, '/healthz')).toBe(200)
  const second = ask(server.url, '/page')
  goOn()
  expect(await second).toBe(200)
  expect(made).toBe(1)
})

function askAndLeaveHttp1(url: string): () => void {
  const get = url.startsWith('https') ? (getHttps as typeof getHttp) : getHttp
  const options = { rejectUnauthorized: false, agent: false }
  const request = get(new URL('/page', url), options)
  request.on('error', () => {})
  return () => request.destroy()
}

function askAndLeaveHttp2(url: string): () => void {
  const session = connect(url, { rejectUnauthorized: false })
  session.on('error', () => {})
  session.request({ ':path': '/page' }).on('error', () => {})
  return () => session.destroy()
}
