/**
 * Sends a response with a fault. A wrong or slow body is an ordinary Response. Breaking the connection needs the raw socket,
 * which is in Hono's bindings. Without a socket (`simulator.fetch`) the caller's fetch rejects, as on a real network.
 */
import { once } from 'node:events'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Context } from 'hono'
import type { Answer, ConnectionFault } from '../../service/door/request.ts'
import { ConnectionError } from '../../spec/contract/connection-error.ts'
import type { ConnectionFaultKind, SlowFault } from '../../spec/contract/connection-fault.ts'
import { TIMER_MAX_MS } from '../../spec/world/clock.ts'
import { brokenSockets, type ServerEnv } from './server-env.ts'

/** The faults that need the socket; the others are sent as an ordinary Response. */
type SocketFault = Exclude<ConnectionFaultKind, 'bad-json' | SlowFault>

export function faultyResponse(
  { req, env }: Context<ServerEnv>,
  answer: Answer,
  fault: ConnectionFault,
): Response | Promise<Response> {
  const { status, headers, body } = answer
  if (fault.kind === 'bad-json')
    return new Response(Buffer.from(`${body.slice(0, -1)},`), { status, headers })
  if ('durationMs' in fault) {
    const pieces = drip(body, fault.durationMs, req.raw.signal)
    return new Response(ReadableStream.from(pieces), { status, headers })
  }
  const way = BREAK[fault.kind]
  if (!env.outgoing) return way.fetched(answer, new ConnectionError(fault.kind))
  breakConnection(way, env.outgoing, answer, req.method !== 'HEAD')
  // Never resolves, so the adapter sends nothing on a connection that is broken.
  return new Promise(() => {})
}

const PIECES = 20

/** Sends the body in small pieces over `durationMs`; stops when the client disconnects. */
async function* drip(body: string, durationMs: number, clientLeft: AbortSignal): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body)
  const size = Math.max(1, Math.ceil(bytes.length / PIECES))
  for (let at = 0; at < bytes.length; at += size) {
    const pauseMs = Math.ceil((durationMs * size) / bytes.length)
    await once(AbortSignal.timeout(Math.min(pauseMs, TIMER_MAX_MS)), 'abort', { signal: clientLeft })
    yield bytes.subarray(at, at + size)
  }
}

function breakConnection(way: Break, outgoing: ServerResponse, answer: Answer, withBody: boolean): void {
  const stream = streamOf(outgoing)
  if (stream) return void way.http2(stream, answer, withBody)
  // A pipelined response has no socket until the responses before it are sent.
  if (outgoing.socket) breakSocket(outgoing.socket)
  else outgoing.once('socket', breakSocket)

  /**
   * Takes the socket away from the response, so that nothing else is written to it. Node then counts the connection as idle,
   * so closing the server does not wait for a `hang`.
   */
  function breakSocket(socket: Socket): void {
    brokenSockets.add(socket)
    outgoing.detachSocket(socket)
    way.http1(socket, answer, withBody)
  }
}

/** In HTTP/2 each request has its own stream. */
const streamOf = (outgoing: ServerResponse) => (outgoing as { stream?: ServerHttp2Stream }).stream

/** What a fault does on each kind of connection. `withBody` is false for HEAD, whose response has no body. */
interface Break {
  http1(socket: Socket, answer: Answer, withBody: boolean): void
  /** HTTP/2: only the stream of the request breaks, not its connection. */
  http2(stream: ServerHttp2Stream, answer: Answer, withBody: boolean): void
  /** Without a socket: throws, or returns a body that fails while it is read. */
  fetched(answer: Answer, error: ConnectionError): Response
}

/** RFC 9113, 7. */
const INTERNAL_ERROR = 0x2

/** RST_STREAM (RFC 9113, 6.4), before any byte of the response. */
const resetStream: Break['http2'] = (stream) => stream.close(INTERNAL_ERROR)

const resetStreamHalfway: Break['http2'] = (stream, { status, headers, body }, withBody) => {
  stream.respond({ ...headers, ':status': status })
  stream.write(withBody ? firstHalf(body) : '', () => stream.close(INTERNAL_ERROR))
}

const reject: Break['fetched'] = (_answer, error) => {
  throw error
}

const rejectHalfway: Break['fetched'] = ({ status, headers, body }, error) => {
  async function* half() {
    yield firstHalf(body)
    throw error
  }
  return new Response(ReadableStream.from(half()), { status, headers })
}

/** RST. While a socket is shut down because its client has left, Node 20 refuses to reset it, and the process then never exits. */
const RESET: Break = {
  http1(socket) {
    const below = socketBelow.get(socket) ?? socket
    if (below.writableEnded) below.destroy()
    else below.resetAndDestroy()
  },
  http2: resetStream,
  fetched: reject,
}

const BREAK: Readonly<Record<SocketFault, Break>> = {
  reset: RESET,

  /** The client has been killed; one that could not be killed gets a reset. */
  crash: RESET,

  /** FIN, without a byte. HTTP/2 has none for an unanswered stream. */
  close: { http1: (socket) => socket.destroySoon(), http2: resetStream, fetched: reject },

  /** Silence, until the client gives up. */
  hang: { http1: () => {}, http2: () => {}, fetched: reject },

  /** Half of what Content-Length promises. */
  truncate: {
    http1(socket, answer, withBody) {
      socket.write(head(answer), 'latin1')
      if (withBody) socket.write(firstHalf(answer.body))
      socket.destroySoon()
    },
    http2: resetStreamHalfway,
    fetched: rejectHalfway,
  },

  /** One valid chunk, then invalid bytes for the length of the next one. HTTP/2 has no chunks. */
  'bad-chunk': {
    http1(socket, answer, withBody) {
      const chunk = firstHalf(answer.body)
      const { 'content-length': _, ...headers } = answer.headers
      socket.write(head({ ...answer, headers: { ...headers, 'transfer-encoding': 'chunked' } }), 'latin1')
      if (withBody) {
        socket.write(`${chunk.length.toString(16)}\r\n`)
        socket.write(chunk)
        socket.write('\r\nthis is not the length of a chunk\r\n')
      }
      socket.destroySoon()
    },
    http2: resetStreamHalfway,
    fetched: rejectHalfway,
  },
}

/** The TCP socket of a TLS socket. */
export const socketBelow = new WeakMap<Socket, Socket>()

function firstHalf(body: string): Buffer {
  const bytes = Buffer.from(body)
  return bytes.subarray(0, Math.ceil(bytes.length / 2))
}

function head({ status, headers }: Answer): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields.join('')}\r\n`
}
