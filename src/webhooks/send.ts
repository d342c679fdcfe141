/** Sends one attempt of a delivery and returns what the receiver answered. */
import { stopwatch } from '../world/clock.ts'

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
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'paysim', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, stopped]),
    })
    return { status: response.status, ...since(startedAt), response: await head(response), error: null }
  } catch (cause) {
    const error = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : reason(cause)
    return { status: null, ...since(startedAt), response: null, error }
  }
}

const since = (startedAt: number) => ({ durationMs: Math.round(stopwatch() - startedAt) })

async function head(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= RESPONSE_HEAD_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, RESPONSE_HEAD_BYTES).toString('utf8')
}

/** fetch throws `fetch failed`; the reason is its cause. */
function reason(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  if (!(cause instanceof Error)) return String(cause)
  const code = (cause as NodeJS.ErrnoException).code
  return code && !cause.message.includes(code)
    ? `${code}: ${cause.message}`
    : cause.message || code || cause.name
}
