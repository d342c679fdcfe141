/**
 * What of /v1 needs neither Hono nor the classes of Fetch: Node's are undici's, which take 14 % of a start to load. Hono's
 * adapter takes all else.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from '../gate/request.ts'

/** A URL would change nothing in it, and no part of its path needs to be decoded. */
const PLAIN_TARGET = /^\/v1\/[\w/-]+(\?[\w=&%-]*)?$/

export const isPlain = ({ method, url }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'POST') && PLAIN_TARGET.test(url!)

const signals = new WeakMap<Socket, AbortSignal>()

/** One signal for a connection: a listener for each request would stay until the connection is closed. */
export function closing({ socket }: IncomingMessage): AbortSignal {
  const known = signals.get(socket)
  if (known) return known
  const closed = new AbortController()
  if (socket.destroyed) closed.abort()
  else socket.once('close', () => closed.abort())
  signals.set(socket, closed.signal)
  return closed.signal
}

/** Corked, so that head and body are one write of one text; `end(body)` would be two, and take 7 % more CPU time of a GET. */
export function sendPlain(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  if (body === '') return void outgoing.writeHead(status, headers).end()
  headers['content-length'] = String(Buffer.byteLength(body))
  outgoing.writeHead(status, headers)
  outgoing.cork()
  outgoing.write(body)
  outgoing.uncork()
  outgoing.end()
}
