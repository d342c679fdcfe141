/** Puts an answer on a socket: whole, or as badly as a fault asks, down to the packets. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from '../gate/request.ts'
import { drips, firstHalf, misspelled, type SocketFault } from './spoiled.ts'

export function put(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: Answer,
): Promise<void> | undefined {
  const { fault } = answer
  if (fault === undefined) return putWhole(outgoing, answer)
  if (fault.kind === 'bad-json') return putWhole(outgoing, misspelled(answer))
  if (fault.kind === 'drip') return drip(outgoing, answer, fault.durationMs)
  // From here on the socket is ours: whatever else is written to this answer goes nowhere. And as no answer is under
  // way on it, it counts as idle, so a closing server does not wait for a connection that stays silent.
  outgoing.detachSocket(incoming.socket)
  BROKEN[fault.kind](incoming.socket, answer)
  return undefined
}

function putWhole(outgoing: ServerResponse, { status, headers, body }: Answer): undefined {
  outgoing.statusCode = status
  for (const name in headers) outgoing.setHeader(name, headers[name]!)
  outgoing.end(body)
}

async function drip(
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
  durationMs: number,
): Promise<void> {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  for await (const bytes of drips(body, durationMs)) {
    if (outgoing.destroyed) return
    outgoing.write(bytes)
  }
  outgoing.end()
}

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
