/** Sends one attempt of a delivery and returns the receiver's response. */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { readUpTo } from '../../spec/body.ts'
import { NotStored } from '../../spec/contract/errors.ts'
import { answerTo, clientFor } from '../../spec/node-http.ts'
import { VERSION } from '../../spec/package.ts'
import { stopwatch, within } from '../../spec/world/clock.ts'
import { asStorageFailure, whyNotLookedUp } from '../store/storage-failure.ts'

export interface SendOutcome {
  /** The receiver's status; null if it returned none. */
  status: number | null
  durationMs: number
  /** The start of the response body. */
  response: string | null
  error: string | null
}

/**
 * Connections are reused for the next delivery. An idle one is closed after 1 s, well before the receiver does it (5 s in Node):
 * a request into a closing connection fails, and retries and completed refunds often arrive exactly 5 s later.
 */
const KEEP_ALIVE = { keepAlive: true, timeout: 1_000, maxFreeSockets: 16 }

const agents: Record<string, Agent> = {}

function agentFor(protocol: string): Agent {
  agents[protocol] ??= new (clientFor(protocol).Agent)(KEEP_ALIVE)
  return agents[protocol]
}

/** How many bytes of a response are stored for people to read. */
const RESPONSE_HEAD_BYTES = 1024

export const lateText = (timeoutMs: number) => `no answer within ${timeoutMs / 1000} s`

export async function sendWebhook(
  url: string,
  body: string | Buffer | Readable,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  stopped: AbortSignal,
): Promise<SendOutcome> {
  const startedAt = stopwatch()
  let request: ClientRequest | undefined
  try {
    // Not fetch, which adds its own headers, such as sec-fetch-mode, that no payments service sends.
    const { protocol } = new URL(url)
    request = clientFor(protocol).request(url, {
      agent: agentFor(protocol),
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `paysim/${VERSION}`, ...headers },
      signal: stopped,
    })
    if (body instanceof Readable) body.pipe(request)
    else request.end(body)
    // Not by an AbortSignal, which a destroyed request ignores.
    const answered = await within(timeoutMs, read(answerTo(request)), undefined)
    if (!answered) throw new Error(lateText(timeoutMs))
    return { ...answered, ...since(startedAt), error: null }
  } catch (cause) {
    request?.destroy()
    requireOfMachine(cause)
    return { status: null, ...since(startedAt), response: null, error: reason(cause) }
  }
}

async function read(
  answer: Promise<IncomingMessage>,
): Promise<Pick<SendOutcome, 'response'> & { status: number }> {
  const response = await answer
  const status = response.statusCode!
  // After a 101 the connection speaks another protocol; it is closed.
  return { status, response: status === 101 ? '' : await head(response) }
}

/** Throws for an error of this machine, such as no descriptors: the receiver did not fail, so the attempt is repeated later. */
function requireOfMachine(cause: unknown): void {
  const failure = asStorageFailure(whyNotLookedUp(cause instanceof AggregateError ? cause.errors[0] : cause))
  if (failure instanceof NotStored) throw failure
}

const since = (startedAt: number) => ({ durationMs: Math.round(stopwatch() - startedAt) })

async function head(response: IncomingMessage): Promise<string> {
  // One less than the limit, so that an endless body of exactly this size is not waited for.
  const bytes = await readUpTo(response, RESPONSE_HEAD_BYTES - 1)
  return bytes.subarray(0, RESPONSE_HEAD_BYTES).toString('utf8')
}

/** The text of an error. An aborted request has it in its cause; for a name with several addresses the first error is used. */
function reason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown instanceof AggregateError) return reason(thrown.errors[0])
  const cause = thrown.cause instanceof Error ? thrown.cause : thrown
  const code = (cause as NodeJS.ErrnoException).code
  return code && !cause.message.includes(code)
    ? `${code}: ${cause.message}`
    : cause.message || code || cause.name
}
