/** Serves the Hono app on a port. Closing waits for the requests in flight. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { chain } from '../../service/gate/maybe-promise.ts'
import { LazyPart } from '../../service/lazy-part.ts'
import type { AppEnv } from '../../spec/app-env.ts'
import type { ApiError } from '../../spec/contract/errors.ts'
import { createServer } from '../../spec/node-http.ts'
import type { Certificate } from './certificate.ts'
import { hasBrokenSocket } from './connection-faults.ts'
import { Connections } from './connections.ts'
import { parsedUrl, settleHost } from './host.ts'
import { connectionOf, NodeResponse, platformsRequest, sendAnswer } from './messages.ts'
import { refusalOf } from './refusal.ts'

export interface Listening {
  url: string
  /** Resolves when every connection is closed, which waits for those that are being answered. */
  close(answered?: Promise<void>): Promise<void>
}

type Fetch = Hono<AppEnv>['fetch']

export async function listen(
  { fetch }: { fetch: Fetch },
  { port, host, certificate, portFlag = '--port' }: Where,
  logBug: (cause: unknown) => void,
): Promise<Listening> {
  const respond = listenerOf(certificate ? 'https' : 'http', fetch)
  const server = await serverFor(certificate, (incoming, outgoing) => {
    if (hasBrokenSocket(incoming)) return
    const fail = (cause: unknown) => {
      // A client that has left gets no answer, and what fails for that reason is no bug.
      if (!connectionOf(incoming).destroyed) refuse(incoming, outgoing, refusalOf(cause, logBug))
    }
    outgoing.on('error', fail)
    // It fails where its client leaves. The code that reads it handles that error, so it is no bug here.
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
    server.once('error', (cause) => reject(whyNot(cause, port, host, portFlag)))
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
    // This process may be a test's: its globals stay its own.
    return getRequestListener((request, bindings) => fetch(request, bindings as AppEnv['Bindings']), {
      overrideGlobalObjects: false,
    })
  })
  return (incoming, outgoing) => {
    const url = parsedUrl(`${scheme}://${incoming.headers.host}${incoming.url}`)?.href
    if (url === undefined || !PLATFORMS_PATH.test(getPath({ url } as Request))) {
      return adapter.load().then((adapted) => adapted(incoming, outgoing) as Promise<void>)
    }
    const bindings = { incoming, outgoing, Response: NodeResponse } as unknown as AppEnv['Bindings']
    return chain(fetch(platformsRequest(incoming, url), bindings), (answer) =>
      bindings.isSent ? undefined : sendAnswer(answer, outgoing),
    )
  }
}

const PLATFORMS_PATH = /^\/v1(\/|$)/

/**
 * The last handler of an answer that fails, wherever: nothing that it meets may end the process. Where an answer has begun, its
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

/** One sentence with a value that would work. */
function whyNot(cause: NodeJS.ErrnoException, port: number, host: string, portFlag: string): Error {
  if (cause.code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is taken; ${portFlag} 0 takes a free one.`)
  if (cause.code === 'EACCES')
    return new Error(`Port ${port} is not allowed to this user; take one above 1023.`)
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(cause.code ?? '')) return new NoSuchHost(host)
  return cause
}
