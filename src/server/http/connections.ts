/** The connections of a server, so that it can stop: what is being answered is finished, and all others are cut at once. */
import type { Server, ServerResponse } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/**
 * At a stop, after all is answered, open connections get this long, then are cut: an answer that its client reads slowly, and a
 * request whose body does not arrive.
 */
const GRACE_MS = 500

export class Connections {
  readonly #server: Server | Http2SecureServer
  readonly #sockets = new Set<Socket>()
  /** Each HTTP/1 connection with its latest response. Node tells one that has never sent anything from one that is idle. */
  readonly #latest = new Map<Socket, ServerResponse | undefined>()
  readonly #sessions = new Set<ServerHttp2Session>()
  #isClosing = false

  constructor(server: Server | Http2SecureServer) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      if (this.#isClosing) return void socket.destroy()
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    // Below TLS, HTTP/1 speaks on a socket of its own.
    const speaks = 'setSecureContext' in server ? 'secureConnection' : 'connection'
    server.on(speaks, (socket: Socket) => {
      if ((socket as TLSSocket).alpnProtocol === 'h2') return
      this.#latest.set(socket, undefined)
      socket.once('close', () => this.#latest.delete(socket))
    })
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
    })
  }

  answering(response: ServerResponse): void {
    if (response.socket && this.#latest.has(response.socket)) this.#latest.set(response.socket, response)
  }

  /** Takes no new requests, and resolves when every connection is closed: soon after what was in flight is answered. */
  async close(answered = Promise.resolve()): Promise<void> {
    this.#isClosing = true
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const [socket, response] of this.#latest) {
      if (!response || response.closed) socket.destroy()
      else closeAfter(response, socket)
    }
    for (const session of this.#sessions) session.close()
    await answered
    const cutOff = AbortSignal.timeout(GRACE_MS)
    cutOff.addEventListener('abort', () => {
      for (const socket of this.#sockets) socket.destroy()
    })
    await closed
  }
}

function closeAfter(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false
  response.once('close', () => socket.destroySoon())
}
