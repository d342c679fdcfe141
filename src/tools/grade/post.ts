/** Sends one POST to the receiver over a new connection, and returns the response. */
import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { answerTo, clientFor } from '../../spec/node-http.ts'
import { stopwatch, TIMER_MAX_MS } from '../../spec/world/clock.ts'

export interface LetterAnswer {
  /** Null if there was no response. */
  status: number | null
  ms: number
  error: string | null
  /** Set if the response did not arrive in time. */
  isLate?: boolean
}

interface Sending {
  url: URL
  headers: Readonly<Record<string, string>>
  body: string
  /** The time limit for the response. */
  timeoutMs: number
  /** Sends the body in pieces over this time. */
  overMs?: number | undefined
}

const PIECES = 10

/** Does not follow redirects, because the service does not. */
export async function post({ url, headers, body, timeoutMs, overMs }: Sending): Promise<LetterAnswer> {
  const startedAt = stopwatch()
  const bytes = Buffer.from(body)
  const request = clientFor(url.protocol).request(url, {
    method: 'POST',
    agent: false,
    signal: AbortSignal.timeout(Math.min(timeoutMs + (overMs ?? 0), TIMER_MAX_MS)),
    headers: {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      'user-agent': 'paysim grade',
      ...headers,
    },
  })
  const answered = answerTo(request)
  // A receiver may respond, or hang up, before the body is sent.
  answered.catch(() => {})
  try {
    if (overMs === undefined) request.end(bytes)
    else await drip(request, bytes, overMs)
    const response = await answered
    const ms = stopwatch() - startedAt
    response.resume()
    return { status: response.statusCode ?? null, ms, error: null }
  } catch (cause) {
    const late = (cause as Error).name === 'AbortError'
    const error = late ? `no answer within ${timeoutMs / 1000} s` : (cause as Error).message
    return { status: null, ms: stopwatch() - startedAt, error, isLate: late }
  } finally {
    request.destroy()
  }
}

async function drip(request: ClientRequest, bytes: Buffer, overMs: number): Promise<void> {
  const size = Math.ceil(bytes.length / PIECES)
  for (let at = 0; at < bytes.length; at += size) {
    request.write(bytes.subarray(at, at + size))
    await once(AbortSignal.timeout(overMs / PIECES), 'abort')
  }
  request.end()
}
