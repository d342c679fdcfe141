/**
 * Serves the Hono app on a port: what a request says of its host is put right, and the app answers it. Closing waits for the
 * requests in flight.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { LazyPart } from '../../sandbox/lazy-part.ts'
import { chain } from '../../service/door/request.ts'
import { asStorageFailure } from '../../service/store/storage-failure.ts'
import { type ApiError, internalError, NotStored } from '../../spec/contract/errors.ts'
import { createServer } from '../../spec/node-http.ts'
import type { Certificate } from './certificate.ts'
import { brokenSockets, type ServerEnv } from './server-env.ts'
import { connectionOf, NodeResponse, platformsRequest, sendAnswer } from './v1.ts'

export interface Listening {
  url: string
  /** Resolves when every connection is closed, which waits for those that are being answered. */
  close(answered?: Promise<void>): Promise<void>
}

type Fetch = Hono<ServerEnv>['fetch']

export async function listen(
  { fetch }: { fetch: Fetch },
  { port, host, certificate, portFlag = '--port' }: Where,
  logBug: (cause: unknown) => void,
): Promise<Listening> {
  const respond = listenerOf(certificate ? 'https' : 'http', fetch)
  const server = await serverFor(certificate, (incoming, outgoing) => {
    if (brokenSockets.has(incoming.socket)) return
    const fail = (cause: unknown) => {
      // A client that has left gets no answer, and what fails for that reason is no bug.
      if (!connectionOf(incoming).destroyed) refuse(incoming, outgoing, refusalOf(cause, logBug))
    }
    outgoing.on('error', fail)
    // The stream fails when its client leaves. The code that reads it handles that error, so it is no bug here.
    incoming.on('error', () => {})
    // In a promise, so that all that throws comes to one place.
    new Promise<void>((resolve) => {
      connections.answering(outgoing)
      makeFetchable(incoming)
      resolve(respond(incoming, outgoing))
    }).catch(fail)
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
  /** Makes it an HTTPS server. */
  certificate?: Certificate | undefined
  /** For the sentence on a port that is taken. */
  portFlag?: string
}

async function serverFor(certificate: Certificate | undefined, answer: RequestListener) {
  // 0 is no timeout: closing an idle connection just when its client sends again would be a reset without a fault.
  if (!certificate) return createServer({ keepAliveTimeout: 0 }, answer)
  // Loaded here, as it takes 8 ms of a start.
  const { secureServer } = await import('./secure-server.ts')
  return secureServer(certificate).on('request', answer as never)
}

type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | void

/** Platforms are answered without the classes of Fetch, and all others by Hono's adapter, which is loaded with the first of them. */
function listenerOf(scheme: 'http' | 'https', fetch: Fetch): Respond {
  const adapter = new LazyPart(async () => {
    const { getRequestListener } = await import('@hono/node-server')
    // The adapter would replace the global Request and Response; this process may be a test's.
    return getRequestListener((request, bindings) => fetch(request, bindings as ServerEnv['Bindings']), {
      overrideGlobalObjects: false,
    })
  })
  return (incoming, outgoing) => {
    const sent = `${scheme}://${incoming.headers.host}${incoming.url}`
    const url = scheme === 'http' && PLAIN_TARGET.test(incoming.url!) ? sent : parsedUrl(sent)?.href
    if (url === undefined || !PLATFORMS_PATH.test(getPath({ url } as Request))) {
      return adapter.load().then((adapted) => adapted(incoming, outgoing) as Promise<void>)
    }
    const bindings = { incoming, outgoing, Response: NodeResponse } as unknown as ServerEnv['Bindings']
    return chain(fetch(platformsRequest(incoming, url), bindings), (answer) =>
      bindings.isSent ? undefined : sendAnswer(answer, outgoing),
    )
  }
}

const PLATFORMS_PATH = /^\/v1(\/|$)/

/** With such a target a URL is as it would be written again. */
const PLAIN_TARGET = /^\/[\w/?&=-]*$/

/**
 * The last handler of an answer that fails: no error that it meets may end the process. Where an answer has begun, its
 * connection breaks, or in HTTP/2 its stream.
 */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse, { status, json }: ApiError): void {
  const breakOff = () => connectionOf(incoming).destroy()
  if (outgoing.headersSent) return void breakOff()
  try {
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(json)
  } catch {
    breakOff()
  }
}

const inUrl = (address: string, isIPv6: boolean) => (isIPv6 ? `[${address}]` : address)

/**
 * The adapter makes a Fetch URL of Host and target, and answers an empty 400 where that fails. HTTP allows more: a target
 * with a host of its own, which then counts (RFC 9112, 3.2.2), no Host in HTTP/1.0, and a backslash that is not a slash.
 */
function makeFetchable(incoming: IncomingMessage): void {
  const { headers, url: target = '' } = incoming
  const absolute = target.startsWith('/') ? undefined : parsedUrl(target)
  if (absolute) {
    incoming.url = absolute.pathname + absolute.search
    headers.host = absolute.host
  } else if (target.includes('\\')) {
    incoming.url = target.replaceAll('\\', '%5C')
  }
  settleHost(incoming, () => localHost(incoming))
}

const localHost = ({ socket: { localAddress = '', localPort } }: IncomingMessage) =>
  `${inUrl(localAddress, localAddress.includes(':'))}:${localPort}`

/** The caller gave an address that this machine does not have. */
export class NoSuchHost extends Error {
  constructor(host: string) {
    super(`${host} is no address of this machine; --host 127.0.0.1 or 0.0.0.0 is.`)
  }
}

/**
 * The text for agents is a part that is loaded when it is first asked for, which takes more than half a second on a busy machine. What
 * has the port and never answers holds up the sentence for so long.
 */
const ASKED_WITHIN_MS = 3_000

/** Whether what serves there is a paysim; its text for agents says so. */
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
    return new Error(`Port ${port} on ${host} is taken${by}; ${portFlag} 0 takes a free one.`)
  }
  if (cause.code === 'EACCES')
    return new Error(`Port ${port} is not allowed to this user; take one above 1023.`)
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(cause.code ?? '')) return new NoSuchHost(host)
  return cause
}

/** Requests whose Host header was no valid host. */
const wrong = new WeakSet<IncomingMessage>()

/** `/v1` answers all the same; a page cannot, because its links begin with it. */
export const hasWrongHost = (incoming: IncomingMessage | undefined): boolean =>
  incoming !== undefined && wrong.has(incoming)

/**
 * Puts the host that a request was sent to into its header Host, under HTTP/1.1 and HTTP/2 alike. The links of an answer are made
 * with it, and the guard judges it. A Host that is no valid host is replaced by `local`.
 */
function settleHost(incoming: IncomingMessage, local: () => string): void {
  const { headers, rawHeaders } = incoming
  // HTTP/2 sends it under another name, which counts before a Host (RFC 9113, 8.3.1).
  const authority = headers[':authority'] as string | undefined
  const host = believedHost(incoming, authority ?? headers.host) ?? local()
  headers.host = host
  if (authority === undefined) return
  headers[':authority'] = host
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at] === 'host') rawHeaders.splice(at, 2)
  }
  rawHeaders.push('host', host)
}

/** The sent Host as a URL writes it; undefined where it is no valid host. */
function believedHost(incoming: IncomingMessage, sent: string | undefined): string | undefined {
  if (sent === undefined) return undefined
  const parsed = parsedHost(sent)
  if (parsed === undefined) wrong.add(incoming)
  return parsed
}

/** Most requests have the same Host as the one before, so the latest is cached: without it a GET takes 12 % more CPU time. */
let latest: { sent: string; host: string } | undefined

function parsedHost(sent: string): string | undefined {
  if (latest?.sent === sent) return latest.host
  const url = parsedUrl(`http://${sent}`)
  if (url?.href !== `http://${url?.host}/`) return undefined
  latest = { sent, host: url.host }
  return url.host
}

function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/**
 * At a stop, after all is answered, open connections get this long, then are cut: an answer that its client reads slowly, and a
 * request whose body does not arrive.
 */
const GRACE_MS = 500

/** The connections of a server, so that it can stop: what is being answered is finished, and all others are cut at once. */
class Connections {
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

/**
 * The answer where no sandbox can answer: 503 with its sentence, such as when no file can be opened, or 500,
 * which is logged.
 */
export function refusalOf(cause: unknown, logBug: (cause: unknown) => void): ApiError {
  const failure = asStorageFailure(cause)
  if (failure instanceof NotStored) return failure
  logBug(cause)
  return internalError()
}
