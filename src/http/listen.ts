/** A socket to listen on, and a way to stop without cutting anybody off. */
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

type FetchCallback = Parameters<typeof createAdaptorServer>[0]['fetch']

/** What is in flight may finish, for this long. */
const GRACE_MS = 5_000

export interface Listening {
  url: string
  close(): Promise<void>
}

export function listen(
  fetch: FetchCallback,
  { port, host }: { port: number; host: string },
): Promise<Listening> {
  const server = createAdaptorServer({ fetch, hostname: host })
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(whyNot(cause, port, host)))
    server.listen(port, host, () => {
      const { port: taken, address, family } = server.address() as AddressInfo
      const shown = family === 'IPv6' ? `[${address}]` : address
      resolve({ url: `http://${shown}:${taken}`, close: () => close(server as never) })
    })
  })
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

interface Closable {
  close(done: () => void): void
  closeIdleConnections(): void
  closeAllConnections(): void
}

function close(server: Closable): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = AbortSignal.timeout(GRACE_MS)
    cutOff.addEventListener('abort', () => server.closeAllConnections())
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
