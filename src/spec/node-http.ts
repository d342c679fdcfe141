/** Shared by the client and the server side of Node's HTTP. */

import * as http from 'node:http'
import * as https from 'node:https'
import { tlsProblem } from './tls-problem.ts'

export { createServer } from 'node:http'

/** The client for a URL's protocol; both take an `https.RequestOptions`. */
export const clientFor = (protocol: string) => (protocol === 'https:' ? https : http) as typeof https

/** The host of an address for Node's sockets: an IPv6 address without its brackets. */
export const socketHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Node's request and response, which the adapter hands to the Hono apps as bindings. */
export interface AppEnv {
  /** Empty for a request by `simulator.fetch`, which has no socket. */
  Bindings: {
    incoming?: http.IncomingMessage
    outgoing?: http.ServerResponse
  }
}

/**
 * Resolves with the response, or rejects with the reason why there is none. Node emits `upgrade` instead of `response` for a 101, and
 * closes the connection without an error if nothing listens to that, so waiting for `response` alone would never end.
 */
export function answerTo(request: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response)
    })
    // Not `once`: an error in the middle of the response body is emitted here too, after the promise is settled, and on the
    // response, whose reader handles it.
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

/** The headers that a proxy forwards: none that belong to one connection or are named by `Connection`, and none in `own`. */
export function passedOnHeaders(raw: readonly string[], dropped: readonly string[] = []): [string, string][] {
  const all = headerPairs(raw)
  const named = all
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
  const left = new Set([...OF_CONNECTION, ...dropped, ...named])
  return all.filter(([name]) => !left.has(name.toLowerCase()))
}
