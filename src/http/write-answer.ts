/** Puts an answer on a socket: whole, or as badly as a fault asks, down to the packets. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from '../gate/request.ts'
import { drips, firstHalf, type SocketFault, withBadJson } from './connection-faults.ts'

export function writeAnswer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: Answer,
): Promise<void> | undefined {
  const { fault } = answer
  if (fault === undefined) return putWhole(outgoing, answer)
  if (fault.kind === 'bad-json') return putWhole(outgoing, withBadJson(answer))
  if (fault.kind === 'drip') return drip(outgoing, answer, fault.durationMs)
  const { kind } = fault
  // Earlier requests on the same connection are answered first.
  if (outgoing.socket) breakOff(kind, incoming.socket, outgoing, answer)
  else outgoing.once('socket', (socket: Socket) => breakOff(kind, socket, outgoing, answer))
  return undefined
}

/**
 * From here on the socket is ours: whatever else is written to this answer goes nowhere. And as no answer is under way on
 * it, it counts as idle, so a closing server does not wait for a connection that stays silent.
 */
function breakOff(kind: SocketFault, socket: Socket, outgoing: ServerResponse, answer: Answer): void {
  givenUp.add(socket)
  outgoing.detachSocket(socket)
  BROKEN[kind](socket, answer)
}

function putWhole(outgoing: ServerResponse, { status, headers, body }: Answer): undefined {
  outgoing.statusCode = status
  for (const name in headers) outgoing.setHeader(name, headers[name]!)
  // Node counts the bytes by itself, but not for HTTP/1.0.
  if (!outgoing.useChunkedEncodingByDefault) outgoing.setHeader('content-length', Buffer.byteLength(body))
  outgoing.end(body)
}

async function drip(
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
  durationMs: number,
): Promise<void> {
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).flushHeaders()
  try {
    for await (const bytes of drips(body, durationMs, left.signal)) outgoing.write(bytes)
    outgoing.end()
  } catch (cause) {
    if (!left.signal.aborted) throw cause
  }
}

/** Connections on which nothing is answered any more, whatever else is asked on them. */
const givenUp = new WeakSet<Socket>()

export const isGivenUp = ({ socket }: IncomingMessage): boolean => givenUp.has(socket)

const BROKEN: Record<SocketFault, (socket: Socket, answer: Answer) => void> = {
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
