/** HTTPS: HTTP/2 with a client that asks for it, and HTTP/1.1 with all others. */
import { createSecureServer, type Http2SecureServer, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { OF_CONNECTION } from '../../spec/node-http.ts'
import type { Certificate } from './certificate.ts'
import { socketBelow } from './connection-faults.ts'

/** RFC 9113, 6.5.2: at least 100. A client opens further streams as soon as earlier ones end. */
const STREAMS_MAX = 100

export function secureServer({ cert, key }: Certificate): Http2SecureServer {
  const settings = { maxConcurrentStreams: STREAMS_MAX }
  const server = createSecureServer({
    cert,
    key,
    allowHTTP1: true,
    settings,
    Http2ServerResponse: Http2Answer,
  })
  const sockets = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    sockets.set(peer, socket)
    socket.once('close', () => sockets.delete(peer))
  })
  // A reset happens at TCP level, so the faults need the socket below TLS.
  server.on('secureConnection', (socket: Socket) => socketBelow.set(socket, sockets.get(peerOf(socket))!))
  return server
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

class Http2Answer extends Http2ServerResponse {
  override writeHead(status: number, headers: object | string = {}): this {
    return super.writeHead(status, withoutConnectionHeaders(headers as Record<string, string>))
  }
}

/** Removes connection-specific headers, which HTTP/2 does not allow (RFC 9113, 8.2.2); a `respond` may set them. */
const withoutConnectionHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase())))

const CONNECTION_HEADERS = new Set([...OF_CONNECTION, 'http2-settings'])
