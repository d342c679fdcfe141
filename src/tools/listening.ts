/** A small HTTP server: the player's webhook endpoint, the one of `paysim listen`, and the proxy of `paysim fidelity`. */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from '../spec/node-http.ts'

const LOOPBACK = '127.0.0.1'

/** Listens at this port, or at a free one; with `everywhere`, not only for this machine. `close` ends its connections. */
export async function listening(answer: RequestListener, { port = 0, everywhere = false } = {}) {
  // Idle connections are never closed: a client could be sending on one just then, and would see an error of this server.
  const server = createServer({ keepAliveTimeout: 0 }, answer)
  await once(server.listen({ port, host: everywhere ? undefined : LOOPBACK }), 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${LOOPBACK}:${taken}`,
    async close() {
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
    },
  }
}
