/** Serves the Hono app on a port with Hono's adapter. Closing waits for the requests in flight. */

import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import { UsageError } from '../../spec/options/read.ts'
import type { Certificate } from './certificate.ts'
import { badRequest, refusalOf, refusalResponse } from './refusals.ts'
import { brokenSockets, connectionOf, type ServerEnv } from './server-env.ts'

export interface Listening {
  url: string
  /** Resolves when every connection is closed, after the requests in progress. */
  close(answered?: Promise<void>): Promise<void>
}

export async function listen(
  { fetch }: Pick<Hono<ServerEnv>, 'fetch'>,
  { port, host, certificate, portFlag = '--port', ownsProcess = false }: Where,
  logBug: (cause: unknown) => void,
): Promise<Listening> {
  // Created for the first request: the adapter loads Node's fetch, which a test that sends nothing does not need.
  let respond: ReturnType<typeof getRequestListener> | undefined
  const makeListener = () =>
    getRequestListener((request, bindings) => fetch(request, bindings as ServerEnv['Bindings']), {
      overrideGlobalObjects: ownsProcess,
      // An HTTP/1.0 request may have no Host.
      hostname: 'localhost',
      errorHandler: (cause) =>
        cause instanceof RequestError ? badRequest(cause.message) : refusalResponse(refusalOf(cause, logBug)),
    })
  const server = await serverFor(certificate, (incoming, outgoing) => {
    if (brokenSockets.has(incoming.socket)) return
    connections.answering(outgoing)
    // A failure of the connection itself ends its request, and must not end the process.
    for (const stream of [incoming, outgoing]) stream.on('error', () => {})
    respond ??= makeListener()
    Promise.resolve(respond(incoming, outgoing)).catch((cause) => {
      logBug(cause)
      connectionOf(incoming).destroy()
    })
  })
  const connections = new Connections(server)
  return new Promise((resolve, reject) => {
    server.once('error', async (cause) => reject(await whyNot(cause, port, host, portFlag)))
    server.listen(port, host, () => {
      const { port: taken, address, family } = server.address() as AddressInfo
      resolve({
        url: `${certificate ? 'https' : 'http'}://${inUrl(address, family === 'IPv6')}:${taken}`,
        close: (answered) => connections.close(answered),
      })
    })
  })
}

export interface Where {
  port: number
  host: string
  /** If set, an HTTPS server. */
  certificate?: Certificate | undefined
  /** The option named in the message about a port in use. */
  portFlag?: string
  /**
   * True for `paysim start`: the adapter may replace the global Request and Response with faster ones. A process that embeds
   * paysim, such as a test's, keeps its own.
   */
  ownsProcess?: boolean
}

async function serverFor(certificate: Certificate | undefined, answer: RequestListener) {
  // 0 disables the timeout: closing an idle connection just when its client sends again would be a reset without a fault.
  if (!certificate) return createServer({ keepAliveTimeout: 0 }, answer)
  const { secureServer } = await import('./secure-server.ts')
  return secureServer(certificate).on('request', answer as (incoming: object, outgoing: object) => void)
}

const inUrl = (address: string, isIPv6: boolean) => (isIPv6 ? `[${address}]` : address)

/**
 * The text for agents is loaded at its first request, which takes more than half a second on a busy machine. This bounds the
 * delay of the message if a program holds the port and never responds.
 */
const ASKED_WITHIN_MS = 3_000

/** Whether a paysim is running there, detected by its text for agents. */
const isPaysim = (url: string): Promise<boolean> =>
  fetch(`${url}/llms.txt`, { signal: AbortSignal.timeout(ASKED_WITHIN_MS) })
    .then(async (answer) => answer.ok && (await answer.text()).startsWith('# paysim\n'))
    .catch(() => false)

/** One sentence with a value that would work. */
async function whyNot(
  cause: NodeJS.ErrnoException,
  port: number,
  host: string,
  portFlag: string,
): Promise<Error> {
  if (cause.code === 'EADDRINUSE') {
    const by = (await isPaysim(`http://${inUrl(host, host.includes(':'))}:${port}`))
      ? ' by another paysim'
      : ''
    return new Error(`Port ${port} on ${host} is in use${by}. Pass ${portFlag} 0 for any free port.`)
  }
  if (cause.code === 'EACCES') return new Error(`Port ${port} requires privileges. Choose a port above 1023.`)
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(cause.code ?? ''))
    return new UsageError(`${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`)
  return cause
}

/**
 * When stopping, connections still open after this time are cut, such as a response that its client reads slowly, or a request
 * whose body does not arrive.
 */
const GRACE_MS = 500

/** The connections of a server, so that it can stop: requests in progress are finished, and all other connections are cut immediately. */
class Connections {
  readonly #server: Server | Http2SecureServer
  readonly #sockets = new Set<Socket>()
  /** Each HTTP/1 connection with its latest response. Node distinguishes a connection that has never sent anything from an idle one. */
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
    // Under TLS, HTTP/1 uses a separate socket object.
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

  /** Accepts no new requests, and resolves when every connection is closed, soon after the requests in flight. */
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
