/**
 * Puts an answer on the wire: whole, or as badly as a fault asks. Over a socket a fault is real, down to the packets.
 * Without one, what a client would have met as a failed connection is a {@link ConnectionError}.
 */
import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Answer, ConnectionFault } from '../gate/request.ts'
import { ConnectionError } from './connection-error.ts'
import type { HttpContext } from './v1.ts'

export function play(c: HttpContext, answer: Answer): Response {
  const { fault } = answer
  if (fault === undefined) return whole(answer)
  if (fault.kind === 'bad-json') return whole({ ...answer, body: `${answer.body.slice(0, -1)},` })
  if (fault.kind === 'drip') return dripping(answer, fault.durationMs)
  const { incoming, outgoing } = c.env ?? {}
  if (!incoming || !outgoing) return withoutSocket(answer, fault.kind)
  // From here on the socket is ours: whatever else is written to this answer goes nowhere. And as no answer is under
  // way on it, it counts as idle, so a closing server does not wait for a connection that stays silent.
  outgoing.detachSocket(incoming.socket)
  ON_THE_WIRE[fault.kind](incoming.socket, answer)
  return RESPONSE_ALREADY_SENT
}

const whole = ({ status, headers, body }: Answer): Response => new Response(body || null, { status, headers })

type SocketFault = Exclude<ConnectionFault['kind'], 'bad-json' | 'drip'>

const ON_THE_WIRE: Record<SocketFault, (socket: Socket, answer: Answer) => void> = {
  /** RST. */
  reset: (socket) => socket.resetAndDestroy(),

  /** FIN, without a byte. */
  close: (socket) => socket.destroySoon(),

  /** Silence, until the client gives up. */
  hang: () => {},

  /** Half of what Content-Length promises. */
  truncate(socket, answer) {
    const length = Buffer.byteLength(answer.body)
    socket.write(head(answer, { 'content-length': String(length) }))
    socket.write(firstHalf(answer.body))
    socket.destroySoon()
  },

  /** One good chunk, and then something that is no chunk. */
  'bad-chunk'(socket, answer) {
    const chunk = firstHalf(answer.body)
    socket.write(head(answer, { 'transfer-encoding': 'chunked' }))
    socket.write(`${chunk.length.toString(16)}\r\n`)
    socket.write(chunk)
    socket.write('\r\nthis is no length of a chunk\r\n')
    socket.destroySoon()
  },
}

function head({ status, headers }: Answer, more: Record<string, string>): string {
  const fields = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields.join('')}\r\n`
}

function firstHalf(body: string): Buffer {
  const bytes = Buffer.from(body)
  return bytes.subarray(0, Math.ceil(bytes.length / 2))
}

/** Where an answer has begun, it is its body that fails. */
function withoutSocket({ status, headers, body }: Answer, kind: SocketFault): Response {
  if (kind === 'reset' || kind === 'close' || kind === 'hang') throw new ConnectionError(kind)
  async function* broken() {
    yield firstHalf(body)
    throw new ConnectionError(kind)
  }
  return new Response(ReadableStream.from(broken()), { status, headers })
}

const DRIPS = 20

/** The right answer in small pieces, spread over the time. */
function dripping({ status, headers, body }: Answer, durationMs: number): Response {
  const bytes = Buffer.from(body)
  const size = Math.max(1, Math.ceil(bytes.length / DRIPS))
  async function* drips() {
    for (let at = 0; at < bytes.length; at += size) {
      await once(AbortSignal.timeout(Math.ceil((durationMs * size) / bytes.length)), 'abort')
      yield bytes.subarray(at, at + size)
    }
  }
  return new Response(ReadableStream.from(drips()), {
    status,
    headers: { ...headers, 'content-length': String(bytes.length) },
  })
}
