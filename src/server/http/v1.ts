/**
 * /v1 as routes of the Hono app: each reads its request, goes through the door and sends the answer. Request and answer do without the
 * classes of Fetch: Node's own take 14 % of a start to load, and much of each request's time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Hono } from 'hono'
import {
  type Answer,
  chain,
  type MaybePromise,
  type PlatformRequest,
  plainIp,
} from '../../service/door/request.ts'
import { readBodyBytes } from '../../spec/body.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { BODY_MAX_BYTES } from '../../spec/contract/limits.ts'
import { faultyResponse } from './connection-faults.ts'
import { responseClass, type ServerEnv } from './server-env.ts'

export interface V1Options {
  /**
   * Answers by the sandbox of the request's key: see `answering` in simulator/registry.ts, then door/door.ts.
   */
  answer(request: PlatformRequest): MaybePromise<Answer>
}

export function addV1Routes(app: Hono<ServerEnv>, options: V1Options): void {
  // One route for all: the contract of the answering sandbox decides which operation it is.
  app.all('/v1/*', (c) => respond(c, options))
}

function respond(c: Context<ServerEnv>, { answer }: V1Options): MaybePromise<Response> {
  const { method, raw } = c.req
  const body = writes(method) ? readBodyBytes(c.env.incoming, raw, BODY_MAX_BYTES) : EMPTY
  return chain(body, (body) => chain(answer(platformRequest(c, body)), (answered) => responseOf(c, answered)))
}

const EMPTY = Buffer.alloc(0)

function platformRequest(c: Context<ServerEnv>, body: PlatformRequest['body']): PlatformRequest {
  const { method, raw, url, path } = c.req
  const incoming = c.env.incoming
  const origin = url.slice(0, url.indexOf('/', 'https://'.length))
  const target = incoming?.url ?? url.slice(origin.length)
  const question = target.indexOf('?')
  const header = incoming
    ? (name: string) => incoming.headers[name] as string | undefined
    : (name: string) => raw.headers.get(name) ?? undefined
  return {
    method,
    target,
    path,
    query: question === -1 ? '' : target.slice(question),
    apiKey: header('x-api-key'),
    ip: plainIp(incoming?.socket.remoteAddress ?? EMBEDDED_IP),
    // Only Node's request shows whether a header was sent twice (D31).
    idempotencyKeys: incoming ? valuesOf(incoming, 'idempotency-key') : present(header('idempotency-key')),
    body,
    header,
    origin,
    connection: incoming ? connectionOf(incoming) : callerOf(raw.signal),
  }
}

/** Without a socket, a caller that aborts its request has left. */
const callerOf = (signal: AbortSignal) => ({
  get destroyed() {
    return signal.aborted
  },
})

const present = (value: string | undefined): string[] => (value === undefined ? [] : [value])

/** Node joins the values of a header that was sent twice with a comma; only then the slower list is read. */
function valuesOf(incoming: IncomingMessage, name: string): readonly string[] {
  const joined = incoming.headers[name] as string | undefined
  if (!joined?.includes(', ')) return present(joined)
  const { rawHeaders } = incoming
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name)
}

const EMBEDDED_IP = '127.0.0.1'

function responseOf(c: Context<ServerEnv>, answer: Answer): Response {
  const { status, headers, body, fault, hasLatin1Header } = answer
  // Set here, as Hono drops the body of an answer to HEAD.
  if (body) headers['content-length'] = String(Buffer.byteLength(body))
  if (fault) return faultyResponse(c, answer, fault)
  // Node writes a head and a text together, in the encoding of the text.
  const content = hasLatin1Header ? Buffer.from(body) : body
  const Response = responseClass(c)
  return new Response(body === '' ? null : content, { status, headers })
}

/** What Hono's router and the routes of /v1 read of a Request. */
export const platformsRequest = (incoming: IncomingMessage, url: string): Request =>
  new NodeRequest(incoming, url) as unknown as Request

class NodeRequest {
  readonly method: string
  readonly url: string
  readonly #incoming: IncomingMessage

  constructor(incoming: IncomingMessage, url: string) {
    this.method = incoming.method!
    this.url = url
    this.#incoming = incoming
  }

  /** Aborted once the client has left. */
  get signal(): AbortSignal {
    return closing(connectionOf(this.#incoming))
  }
}

type Connection = Pick<IncomingMessage['socket'], 'destroyed' | 'destroy' | 'once'>

/** In HTTP/2 a request has a stream of its own, and a client leaves by ending it. */
export const connectionOf = (incoming: IncomingMessage): Connection =>
  (incoming as { stream?: Connection }).stream ?? incoming.socket

const signals = new WeakMap<Connection, AbortSignal>()

/** One signal for a connection: a listener for each request would stay until the connection is closed. */
function closing(connection: Connection): AbortSignal {
  const known = signals.get(connection)
  if (known) return known
  const closed = new AbortController()
  if (connection.destroyed) closed.abort()
  else connection.once('close', () => closed.abort())
  signals.set(connection, closed.signal)
  return closed.signal
}

type Body = string | Buffer | ReadableStream<Buffer> | null

/** Stands in for a Response: it has the same constructor. */
export class NodeResponse {
  readonly body: Body
  readonly status: number
  readonly headers: Record<string, string>

  constructor(body: Body, { status, headers }: { status: number; headers: Record<string, string> }) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

/** Hono answers HEAD with a Response without a body. */
export function sendAnswer(
  answer: Response | NodeResponse,
  outgoing: ServerResponse,
): Promise<void> | undefined {
  const { status, body } = answer
  const headers = answer instanceof NodeResponse ? answer.headers : Object.fromEntries(answer.headers)
  outgoing.writeHead(status, headers)
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    // Corked, so that head and body are one write; `end(body)` would be two, and take 7 % more CPU time of a GET.
    outgoing.cork()
    outgoing.write(body)
    outgoing.uncork()
    outgoing.end()
    return undefined
  }
  if (body === null) return void outgoing.end()
  return sendPieces(body, outgoing)
}

async function sendPieces(pieces: AsyncIterable<Buffer>, outgoing: ServerResponse): Promise<void> {
  outgoing.flushHeaders()
  for await (const piece of pieces) outgoing.write(piece)
  outgoing.end()
}
