/**
 * One request over a connection of its own, and exactly what came back: the bytes, and how the connection ended. An
 * ordinary client hides what a scenario is about, whether it was a reset, a close or silence.
 */
import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { delay, startStopwatch } from './timing.ts'

export interface PlayedRequest {
  method: string
  /** Path and query. */
  target: string
  /** As they are sent, names more than once where they are sent more than once. */
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | undefined
}

/** `broken` is an answer that cannot be read as HTTP; `answered`, a whole one. */
export type ConnectionEnding = 'answered' | 'reset' | 'closed' | 'timeout' | 'broken'

export interface ReceivedAnswer {
  connection: ConnectionEnding
  /** Undefined when not even the head came. */
  status: number | undefined
  /** By name in small letters; one that came more than once has its values joined. */
  headers: Record<string, string>
  /** What came of it. */
  body: Buffer
  tookMs: number
}

/** Nobody listens there: no answer and no fault, but a reason to stop. */
export class Unreachable extends Error {}

export interface RequestTimeouts {
  timeoutMs: number
  signal?: AbortSignal | undefined
}

export function exchange(
  base: URL,
  outgoing: PlayedRequest,
  { timeoutMs, signal }: RequestTimeouts,
): Promise<ReceivedAnswer> {
  const { method, target, headers, body } = outgoing
  const began = startStopwatch()
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined
    const chunks: Buffer[] = []
    let ending: ConnectionEnding | undefined
    let finished = false

    const request = (base.protocol === 'https:' ? overHttps : overHttp)({
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      method,
      path: base.pathname.replace(/\/$/, '') + target,
      headers: [
        ...headers,
        ['host', base.host],
        ['connection', 'close'],
        ...(body === undefined ? [] : [['content-length', String(body.length)]]),
      ].flat(),
      agent: false,
    })

    const callOff = delay(timeoutMs, () => finish('timeout'))
    const abort = () => finish('closed')
    signal?.addEventListener('abort', abort)

    function finish(how: ConnectionEnding): void {
      if (finished) return
      finished = true
      callOff()
      signal?.removeEventListener('abort', abort)
      request.destroy()
      resolve({
        connection: how,
        status: response?.statusCode,
        headers: response === undefined ? {} : joined(response.rawHeaders),
        body: Buffer.concat(chunks),
        tookMs: Math.round(startStopwatch() - began),
      })
    }

    request.on('socket', (socket) => {
      // The socket tells a reset from a close; what the parser makes of either is the same. One limit is the
      // platform's: a reset that arrives in one moment with the last bytes is told as a close.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' || error.code === 'EPIPE') ending ??= 'reset'
      })
      socket.on('end', () => {
        ending ??= 'closed'
      })
    })
    request.on('response', (incoming) => {
      response = incoming
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => incoming.complete && finish('answered'))
      incoming.on('error', () => {})
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('HPE_')) ending = 'broken'
      else if (neverConnected(error)) {
        finished = true
        callOff()
        reject(new Unreachable(`${base.origin} cannot be reached: ${error.code ?? error.message}`))
      }
    })
    request.on('close', () => finish(ending ?? 'closed'))
    request.end(body)
  })
}

/** Every error before the connection stands comes from looking for it. */
const neverConnected = ({ syscall }: NodeJS.ErrnoException): boolean =>
  syscall === 'connect' || syscall === 'getaddrinfo'

function joined(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase()
    const value = raw[index + 1]!
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return headers
}

/** What the body says as JSON; undefined for a body that is none. */
export function jsonOf({ body }: { body: Buffer }): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
