/**
 * A socket to listen on, and a way to stop without cutting anybody off. What a platform asks under /v1 goes through a door of
 * its own, straight to the gate; everything else is Hono's, and is loaded when somebody asks for it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Listener, socketDoor } from './socket.ts'
import { type Ask, isV1 } from './v1.ts'
import { isGivenUp } from './write-answer.ts'

/** What is in flight may finish, for this long. */
const GRACE_MS = 5_000

export interface Listening {
  url: string
  close(): Promise<void>
}

export interface Served {
  ask: Ask
  /** Everything beside /v1. */
  fetch(request: Request): Response | Promise<Response>
  bug(cause: unknown): void
}

export function listen(
  { ask, fetch, bug }: Served,
  { port, host }: { port: number; host: string },
): Promise<Listening> {
  const platform = socketDoor(ask, bug)
  const others = throughHono(fetch, host, bug)
  const server = createServer((incoming, outgoing) => {
    if (isGivenUp(incoming)) return
    toOriginForm(incoming)
    if (isV1(incoming.url ?? '')) platform(incoming, outgoing)
    else others(incoming, outgoing)
  })
  // A client that takes up a connection again at the moment it is closed would meet a reset that nobody asked for.
  server.keepAliveTimeout = 0
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(whyNot(cause, port, host)))
    server.listen(port, host, () => {
      const { port: taken, address, family } = server.address() as AddressInfo
      const shown = family === 'IPv6' ? `[${address}]` : address
      resolve({ url: `http://${shown}:${taken}`, close: () => close(server) })
    })
  })
}

/** Whoever thinks to speak to a proxy names the whole address, and its host is the one that counts. */
function toOriginForm(incoming: IncomingMessage): void {
  const { url: target = '' } = incoming
  if (target.startsWith('/') || !URL.canParse(target)) return
  const { host, pathname, search } = new URL(target)
  incoming.url = pathname + search
  incoming.headers.host = host
}

function throughHono(fetch: Served['fetch'], hostname: string, bug: Served['bug']): Listener {
  let loading: Promise<(incoming: IncomingMessage, outgoing: ServerResponse) => unknown> | undefined
  return (incoming, outgoing) => {
    loading ??= import('@hono/node-server').then(({ getRequestListener }) =>
      getRequestListener(fetch, { hostname }),
    )
    loading.then((listener) => listener(incoming, outgoing)).catch(bug)
  }
}

/** What can be done about it, in one sentence. */
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

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = AbortSignal.timeout(GRACE_MS)
    cutOff.addEventListener('abort', () => server.closeAllConnections())
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
