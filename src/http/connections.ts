/** The connections of a server, so that it can stop: what is being answered is finished, and all others are cut at once. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** For an answer that its client reads slowly, and for a request whose body does not arrive. */
const GRACE_MS = 500

export class Connections {
  readonly #server: Server
  /** Each with its latest response. Node tells a connection that has never sent anything from one that is idle. */
  readonly #latest = new Map<Socket, ServerResponse | undefined>()
  #isClosing = false

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      if (this.#isClosing) return void socket.destroy()
      this.#latest.set(socket, undefined)
      socket.once('close', () => this.#latest.delete(socket))
    })
  }

  answering(response: ServerResponse): void {
    if (response.socket) this.#latest.set(response.socket, response)
  }

  /** Takes no new requests, and resolves when every connection is closed: soon after what was in flight is answered. */
  async close(answered = Promise.resolve()): Promise<void> {
    this.#isClosing = true
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const [socket, response] of this.#latest) {
      if (!response || response.closed) socket.destroy()
      else closeAfter(response, socket)
    }
    await answered
    const cutOff = AbortSignal.timeout(GRACE_MS)
    cutOff.addEventListener('abort', () => this.#server.closeAllConnections())
    await closed
  }
}

function closeAfter(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false
  response.once('close', () => socket.destroySoon())
}
