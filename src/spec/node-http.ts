/**
 * Node's HTTP without fetch: an `import` of node:http reads everything that it exports, and from Node 22 on that is WebSocket,
 * too, which loads fetch, HTTP/2 and TLS: 20 of the 136 ms of CPU that a start takes. HTTPS is loaded by the first that needs it.
 */
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)
const http = load('node:http') as typeof import('node:http')

export const { Agent, createServer, STATUS_CODES } = http

/** What speaks the protocol of an address; both take an `https.RequestOptions`. */
export const clientFor = (protocol: string) =>
  (protocol === 'https:' ? load('node:https') : http) as typeof import('node:https')
