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
    server.once('error', reject)
    server.listen(port, host, () => {
      const { port: taken, address, family } = server.address() as AddressInfo
      const shown = family === 'IPv6' ? `[${address}]` : address
      resolve({ url: `http://${shown}:${taken}`, close: () => close(server as never) })
    })
  })
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
