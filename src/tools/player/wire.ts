/**
 * Sends one request and returns the raw response and how the connection ended. Ordinary HTTP clients do not distinguish a reset
 * from a close or a timeout, but scenarios must.
 */
import type { IncomingMessage } from 'node:http'
import { type NumberTexts, numberTexts } from '../../spec/contract/json-text.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import type { Answered, Asked, Exchange } from '../../spec/exchange.ts'
import { groupBy } from '../../spec/grouping.ts'
import { clientFor, headerPairs } from '../../spec/node-http.ts'
import { UsageError } from '../../spec/options/read.ts'
import { tlsProblem } from '../../spec/tls-problem.ts'
import { callAfter, stopwatch, wallClock } from '../../spec/world/clock.ts'

/** A default name in a response, and the name that the service's profile specifies instead. */
export interface ForeignWord {
  path: string
  expected: string
  received: string
}

/** Headers in the order sent. A list has the values of a repeated header. */
export type Sent = Asked<string | readonly string[]>

/** `broken`: the response is not valid HTTP, or longer than {@link ExchangeOptions.maxBytes}. */
export type PlayedExchange = Exchange<Sent, 'reset' | 'closed' | 'timeout' | 'broken'> & {
  /** Default names in the response where the service's profile specifies others. */
  foreign?: readonly ForeignWord[]
}

/** Nothing listens at the address, so playing cannot continue. */
export class Unreachable extends UsageError {}

/** The self-signed CA of the simulator that is started for playing. */
let ownAuthority: string | undefined

export function trust(authority: string): void {
  ownAuthority = authority
}

/** A page of a hundred items has 60 KB; the limit keeps an endless response from filling the memory. */
const RESPONSE_MAX_BYTES = 1024 ** 2

interface ExchangeOptions {
  timeoutMs: number
  /** The longest response body to read. Default: 1 MB. */
  maxBytes?: number
  signal?: AbortSignal | undefined
}

export function exchange(
  base: URL,
  asked: Sent,
  { timeoutMs, maxBytes = RESPONSE_MAX_BYTES, signal }: ExchangeOptions,
): Promise<PlayedExchange> {
  const { method, target, body } = asked
  const [at, began] = [wallClock(), stopwatch()]
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined
    const chunks: Buffer[] = []
    let length = 0
    let ending: PlayedExchange['ending'] = null
    let finished = false

    const request = clientFor(base.protocol).request(base, {
      method,
      path: base.pathname.replace(/\/$/, '') + target,
      headers: [
        ...eachHeader(asked),
        ['host', base.host],
        ['connection', 'close'],
        ...(body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))]]),
      ].flat(),
      agent: false,
      ...(ownAuthority !== undefined && { ca: ownAuthority }),
    })

    const cancelTimeout = callAfter(timeoutMs, () => finish('timeout'))
    const abort = () => finish('closed')
    signal?.addEventListener('abort', abort)

    function finish(ending: PlayedExchange['ending']): void {
      if (finished) return
      finished = true
      cancelTimeout()
      signal?.removeEventListener('abort', abort)
      request.destroy()
      resolve({
        asked,
        answered: response === undefined ? null : answerOf(response, Buffer.concat(chunks)),
        ending,
        at,
        took: Math.round(stopwatch() - began),
      })
    }

    request.on('socket', (socket) => {
      // The parser reports a reset and a close alike; only the error code distinguishes them. The operating system reports a
      // reset that arrives with the last bytes as a close.
      const onError = (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') ending ??= 'reset'
      }
      const onEnd = () => {
        ending ??= 'closed'
      }
      socket.on('error', onError).on('end', onEnd)
    })
    request.on('response', (incoming) => {
      response = incoming
      incoming.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxBytes) finish('broken')
        else chunks.push(chunk)
      })
      incoming.on('end', () => incoming.complete && finish(null))
      incoming.on('error', () => {})
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const why = whyNotConnected(error)
      if (error.code?.startsWith('HPE_')) ending = 'broken'
      else if (why !== undefined && response === undefined) {
        finished = true
        cancelTimeout()
        reject(new Unreachable(`${base.origin} cannot be reached: ${why}`))
      }
    })
    request.on('close', () => finish(ending ?? 'closed'))
    request.end(body)
  })
}

/** Why no connection was made; undefined for other errors. */
function whyNotConnected(error: NodeJS.ErrnoException): string | undefined {
  const { syscall, code, message } = error
  return syscall === 'connect' || syscall === 'getaddrinfo' ? code || message : tlsProblem(error)
}

const answerOf = ({ statusCode, rawHeaders }: IncomingMessage, body: Buffer): Answered => ({
  status: statusCode!,
  headers: joined(headerPairs(rawHeaders)),
  body: body.toString('utf8'),
})

/** One line for each header value, in the order sent. */
export const eachHeader = ({ headers }: Sent): [name: string, value: string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, text]),
  )

/** Joins the values of repeated headers, as in responses. */
export const withSingleValues = (sent: Sent): Asked => ({
  ...sent,
  headers: joined(eachHeader(sent)),
})

const joined = (pairs: readonly [name: string, value: string][]): Record<string, string> => {
  const values = groupBy(pairs, ([name]) => name.toLowerCase())
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.map(([, value]) => value).join(', ')]),
  )
}

/** The numbers of a body as they were written; empty if it is not JSON. */
export const numbersOf = ({ body }: { body: string }): NumberTexts =>
  parsedJson(body) === undefined ? new Map() : numberTexts(body)
