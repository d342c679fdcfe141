/** Sends one attempt of a delivery and returns what the receiver answered. */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { answerTo } from '../../spec/answer-to.ts'
import { NotStored } from '../../spec/contract/errors.ts'
import { clientFor } from '../../spec/node-http.ts'
import { VERSION } from '../../spec/package.ts'
import { stopwatch, within } from '../../spec/world/clock.ts'
import { asStorageFailure, whyNotLookedUp } from '../store/storage-failure.ts'

export interface SendOutcome {
  /** The receiver's status, or null when it gave none. */
  status: number | null
  durationMs: number
  /** The beginning of what the receiver answered. */
  response: string | null
  error: string | null
}

/**
 * A connection serves the next delivery too. What is not used is closed well before a receiver does it, which for Node is after
 * 5 s: a request into a closing connection fails, and a retry or a completed refund comes just 5 s after the one before.
 */
const KEEP_ALIVE = { keepAlive: true, timeout: 1_000 }
/** Each is a descriptor. */
const IDLE_CONNECTIONS = 64

const agents: Record<string, Agent> = {}

function agentFor(protocol: string): Agent {
  agents[protocol] ??= keptIn(new (clientFor(protocol).Agent)(KEEP_ALIVE))
  return agents[protocol]
}

/** Keeps no more idle connections than that to all receivers together: Node bounds them for each receiver alone. */
function keptIn(agent: Agent): Agent {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0)
    return idle < IDLE_CONNECTIONS && keepSocketAlive(socket)
  }
  return agent
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
  let request: ClientRequest | undefined
  try {
    // Not fetch: it adds headers of its own, such as sec-fetch-mode, which no payments service sends.
    const { protocol } = new URL(url)
    request = clientFor(protocol)
      .request(url, {
        agent: agentFor(protocol),
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': `paysim/${VERSION}`, ...headers },
        signal: stopped,
      })
      .end(body)
    // Not by a signal of the request: one that is destroyed already takes no note of it.
    const answered = await within(timeoutMs, read(answerTo(request)), undefined)
    if (!answered) throw new Error(`no answer within ${timeoutMs / 1000} s`)
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
  // What follows a 101 is no longer HTTP, and its connection is closed.
  return { status, response: status === 101 ? '' : await head(response) }
}

/** A receiver is not to blame for what this machine lacks: the attempt is made again when there is some. */
function requireOfMachine(cause: unknown): void {
  const failure = asStorageFailure(whyNotLookedUp(cause instanceof AggregateError ? cause.errors[0] : cause))
  if (failure instanceof NotStored) throw failure
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
