import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { exchange, type PlayedExchange, type Sent, Unreachable } from '../../src/tools/player/wire.ts'
import { servedBytes } from '../served.ts'
import { reset } from './service.ts'

const HEAD = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\nx-a: 1\r\nX-A: 2\r\n'

/** A server that reads one whole request and then lets the test handle the socket. */
async function serving(answer: (socket: Socket, request: string) => void): Promise<URL> {
  const address = await servedBytes((socket) => {
    let request = ''
    socket.on('data', (chunk) => {
      request += chunk
      const [head = '', body = ''] = request.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (request.includes('\r\n\r\n') && Buffer.byteLength(body) >= length) answer(socket, request)
    })
  })
  return new URL(address)
}

const POST: Sent = {
  method: 'POST',
  target: '/v1/checkouts?a=1',
  headers: { 'Idempotency-Key': ['a', 'b'] },
  body: '{"amount":1}',
}
/** Prevents waiting forever. */
const PATIENCE = { timeoutMs: 30_000 }

test('a whole response has its bytes and headers', async () => {
  const url = await serving((socket) => socket.end(`${HEAD}content-length: 4\r\n\r\n{"é`))
  expect(await exchange(url, POST, PATIENCE)).toMatchObject({
    ending: null,
    answered: { status: 201, headers: { 'content-type': 'application/json', 'x-a': '1, 2' }, body: '{"é' },
  })
})

test('a response that stays open after its body is still complete', async () => {
  const url = await serving((socket) => socket.write(`${HEAD}content-length: 2\r\n\r\n{}`))
  expect(await exchange(url, POST, PATIENCE)).toMatchObject({
    ending: null,
    answered: { body: '{}' },
  })
})

test('the request is sent exactly as given', async () => {
  const url = await serving((socket, request) => {
    const text = JSON.stringify(request)
    socket.end(`${HEAD}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  })
  const { answered } = await exchange(new URL('/base/', url), POST, PATIENCE)
  expect(JSON.parse(answered!.body)).toBe(
    `POST /base/v1/checkouts?a=1 HTTP/1.1\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nhost: ${url.host}\r\nconnection: close\r\ncontent-length: 12\r\n\r\n{"amount":1}`,
  )
})

test.each<[string, (socket: Socket) => void, Partial<PlayedExchange>]>([
  ['a reset before the response', reset, { ending: 'reset', answered: null }],
  ['a close before the response', (socket) => socket.end(), { ending: 'closed', answered: null }],
  ['silence', () => {}, { ending: 'timeout', answered: null }],
  [
    'a body that stops short',
    (socket) => socket.end(`${HEAD}content-length: 9\r\n\r\n{"a`),
    { ending: 'closed', answered: { status: 201, headers: {}, body: '{"a' } },
  ],
  [
    'a body that goes silent',
    (socket) => socket.write(`${HEAD}content-length: 9\r\n\r\n{"a`),
    { ending: 'timeout', answered: { status: 201, headers: {}, body: '{"a' } },
  ],
  [
    'a chunked body that stops short',
    (socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`),
    { ending: 'closed', answered: { status: 201, headers: {}, body: '{}' } },
  ],
  [
    'an invalid chunk',
    (socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`),
    { ending: 'broken', answered: { status: 201, headers: {}, body: '' } },
  ],
  ['no HTTP at all', (socket) => socket.end('hello\r\n\r\n'), { ending: 'broken', answered: null }],
])('%s', async (_, answer, expected) => {
  const url = await serving(answer)
  const patience = expected.ending === 'timeout' ? { timeoutMs: 1_000 } : PATIENCE
  expect(await exchange(url, POST, patience)).toMatchObject(expected)
})

test('the caller can abort', async () => {
  const url = await serving(() => given.abort())
  const given = new AbortController()
  expect(await exchange(url, POST, { ...PATIENCE, signal: given.signal })).toMatchObject({
    ending: 'closed',
  })
})

test('an address without a server is reported', async () => {
  const url = await serving(() => {})
  const nobody = new URL(url)
  nobody.port = '1'
  const attempt = exchange(nobody, POST, PATIENCE)
  await expect(attempt).rejects.toThrow(Unreachable)
  await expect(attempt).rejects.toThrow('http://127.0.0.1:1 cannot be reached: ECONNREFUSED')
})
