/** Serves the Hono app on a port. Closing waits for the requests in flight. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hono } from 'hono'
import { isBroken } from './connection-faults.ts'
import { Connections } from './connections.ts'
import { believedHost, parsedUrl } from './host.ts'
import type { AppEnv } from './v1.ts'

export interface Listening {
  url: string
  /** Resolves when every connection is closed, which waits for those that are being answered. */
  close(answered?: Promise<void>): Promise<void>
}

export async function listen(
  { fetch }: Pick<Hono<AppEnv>, 'fetch'>,
  { port, host }: { port: number; host: string },
  logBug: (cause: unknown) => void,
): Promise<Listening> {
  const answer = await requestListener(fetch)
  const server = createServer((incoming, outgoing) => {
    if (isBroken(incoming)) return
    connections.answering(outgoing)
    makeFetchable(incoming)
    Promise.resolve(answer(incoming, outgoing)).catch(logBug)
  })
  const connections = new Connections(server)
  // 0 is no timeout: closing an idle connection just when its client sends again would be a reset without a fault.
  server.keepAliveTimeout = 0
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(whyNot(cause, port, host)))
    server.listen(port, host, () => {
      const { port: taken, address, family } = server.address() as AddressInfo
      resolve({
        url: `http://${inUrl(address, family === 'IPv6')}:${taken}`,
        close: (answered) => connections.close(answered),
      })
    })
  })
}

/**
 * The adapter writes its own class of Response without a stream, which saves a third of a GET, but offers it only in place
 * of the global one. This process may be a test's, so its globals are put back, and the class is handed on as a binding.
 */
async function requestListener(fetch: Hono<AppEnv>['fetch']) {
  // Loaded here, because an embedded simulator that never listens needs none of it.
  const { getRequestListener } = await import('@hono/node-server')
  const request = Object.getOwnPropertyDescriptor(globalThis, 'Request')!
  const response = Object.getOwnPropertyDescriptor(globalThis, 'Response')!
  const listener = getRequestListener((request, bindings) => fetch(request, { ...bindings, Response }))
  const { Response } = globalThis
  Object.defineProperties(globalThis, { Request: request, Response: response })
  return listener
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
  headers.host = believedHost(incoming) ?? localHost(incoming)
}

const localHost = ({ socket: { localAddress = '', localPort } }: IncomingMessage) =>
  `${inUrl(localAddress, localAddress.includes(':'))}:${localPort}`

/** One sentence with a value that would work. */
function whyNot(cause: NodeJS.ErrnoException, port: number, host: string): Error {
  if (cause.code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is taken; --port 0 takes a free one.`)
  if (cause.code === 'EACCES')
    return new Error(`Port ${port} is not allowed to this user; take one above 1023.`)
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND') {
    return new Error(`${host} is no address of this machine; --host 127.0.0.1 or 0.0.0.0 is.`)
  }
  return cause
}
