/** Sends one attempt of a delivery and returns what the receiver answered. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from '../../spec/node-http.ts'
import { VERSION } from '../../spec/package.ts'
import { stopwatch, TIMER_MAX_MS } from '../../spec/world/clock.ts'

export interface SendOutcome {
  /** The receiver's status, or null when it gave none. */
  status: number | null
  durationMs: number
  /** The beginning of what the receiver answered. */
  response: string | null
  error: string | null
}

/** Enough of an answer for a person to understand it. */
const RESPONSE_HEAD_BYTES = 1024

export async function sendWebhook(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  stopped: AbortSignal,
): Promise<SendOutcome> {
  const startedAt = stopwatch()
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, TIMER_MAX_MS))
  try {
    // Not fetch: it adds headers of its own, such as sec-fetch-mode, which no payments service sends.
    const send = url.startsWith('https:') ? (await import('node:https')).request : requestHttp
    const request = send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `paysim/${VERSION}`, ...headers },
      signal: AbortSignal.any([timeout, stopped]),
    })
    // An error after the answer has begun is one of the answer too, and told there.
    request.on('error', () => {})
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return { status: response.statusCode!, ...since(startedAt), response: await head(response), error: null }
  } catch (cause) {
    const error = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : reason(cause)
    return { status: null, ...since(startedAt), response: null, error }
  }
}

const since = (startedAt: number) => ({ durationMs: Math.round(stopwatch() - startedAt) })

async function head(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= RESPONSE_HEAD_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, RESPONSE_HEAD_BYTES).toString('utf8')
}

/** A call that was stopped says why in its cause; where a name has several addresses, the first error stands for all. */
function reason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown instanceof AggregateError) return reason(thrown.errors[0])
  const cause = thrown.cause instanceof Error ? thrown.cause : thrown
  const code = (cause as NodeJS.ErrnoException).code
  return code && !cause.message.includes(code)
    ? `${code}: ${cause.message}`
    : cause.message || code || cause.name
}
