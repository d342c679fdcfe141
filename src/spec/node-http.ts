/**
 * Node's HTTP without fetch: an `import` of node:http reads everything that it exports, and from Node 22 on that is WebSocket,
 * too, which loads fetch, HTTP/2 and TLS: 20 of the 136 ms of CPU that a start takes. HTTPS is loaded by the first that needs it.
 */

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { tlsProblem } from './tls-problem.ts'

const load = createRequire(import.meta.url)
const http = load('node:http') as typeof import('node:http')

export const { Agent, createServer, STATUS_CODES } = http

/** What speaks the protocol of an address; both take an `https.RequestOptions`. */
export const clientFor = (protocol: string) =>
  (protocol === 'https:' ? load('node:https') : http) as typeof import('node:https')

/** The host of an address as Node's sockets take it: an IPv6 address without its brackets. */
export const socketHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Node's request and answer, which the HTTP server hands to the Hono apps as bindings. */
export interface AppEnv {
  /** Empty where the request came by `simulator.fetch`, which has no socket. */
  Bindings: {
    incoming?: IncomingMessage
    outgoing?: ServerResponse
  }
}

/**
 * The answer to a request, or the reason why there is none. Node tells of a 101 by `upgrade` in place of `response`; where
 * nothing listens to that it closes the connection without an error, and a wait for `response` alone would never end.
 */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response)
    })
    // Not `once`: an error in the middle of the answer's body is emitted here too, where the promise is
    // settled already, and on the answer itself, whose reader handles it.
    request.on('error', (error) => {
      const why = tlsProblem(error)
      reject(why === undefined ? error : new Error(why))
    })
    request.once('close', () => reject(new Error('the connection was closed without an answer')))
  })
}

/** RFC 9110, 7.6.1. `trailer` is among them because trailers are not passed on (6.5.1). */
export const OF_CONNECTION = [
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]

export const headerPairs = (raw: readonly string[]): [name: string, value: string][] =>
  raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1]!]] : []))

/** Name and value of each header that a proxy passes on: not those of one connection, also named by `Connection`, nor those in `own`. */
export function passedOnHeaders(raw: readonly string[], own: readonly string[] = []): [string, string][] {
  const all = headerPairs(raw)
  const named = all
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
  const left = new Set([...OF_CONNECTION, ...own, ...named])
  return all.filter(([name]) => !left.has(name.toLowerCase()))
}
