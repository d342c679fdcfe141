/**
 * Node's HTTP without fetch: an `import` of node:http reads everything that it exports, and from Node 22 on that is WebSocket,
 * too, which loads fetch, HTTP/2 and TLS: 20 of the 136 ms of CPU that a start takes.
 */
import { createRequire } from 'node:module'

export const { Agent, createServer, get, request, STATUS_CODES } = createRequire(import.meta.url)(
  'node:http',
) as typeof import('node:http')
