/** /v1 as a route of the Hono app: reads the request, passes it through the door and sends the answer. */
import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { type Answer, type PlatformRequest, plainIp } from '../../service/door/request.ts'
import { readBodyBytes } from '../../spec/body.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { BODY_MAX_BYTES } from '../../spec/contract/limits.ts'
import { faultyResponse } from './connection-faults.ts'
import { connectionOf, type ServerEnv } from './server-env.ts'

export interface V1Options {
  /** The key selects the sandbox: see `answering` in simulator/registry.ts, then door/door.ts. */
  answer(request: PlatformRequest): Promise<Answer>
}

export function addV1Routes(app: Hono<ServerEnv>, options: V1Options): void {
  // One route for all: the contract of the answering sandbox decides which operation it is.
  app.all('/v1/*', (c) => respond(c, options))
  // A platform with a wrong base URL: the journal of its sandbox shows it.
  app.notFound((c) => respond(c, options))
}

async function respond(c: Context<ServerEnv>, { answer }: V1Options): Promise<Response> {
  const { method, raw } = c.req
  const body = writes(method) ? await readBodyBytes(c.env.incoming, raw, BODY_MAX_BYTES) : EMPTY
  return responseOf(c, await answer(platformRequest(c, body)))
}

const EMPTY = Buffer.alloc(0)

function platformRequest(c: Context<ServerEnv>, body: PlatformRequest['body']): PlatformRequest {
  const { method, raw, url, path } = c.req
  const incoming = c.env.incoming
  const origin = url.slice(0, url.indexOf('/', 'https://'.length))
  const sent = incoming?.url
  // HTTP allows a whole URL here (RFC 9112, 3.2.2).
  const target = sent?.startsWith('/') ? sent : url.slice(origin.length)
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

function responseOf(c: Context<ServerEnv>, answer: Answer): Response | Promise<Response> {
  const { status, headers, body, fault } = answer
  // Set here, because Hono drops the body of a response to HEAD.
  if (body) headers['content-length'] = String(Buffer.byteLength(body))
  if (fault) return faultyResponse(c, answer, fault)
  // As bytes: Node would write a string together with the head, and turn a header in Latin-1 into UTF-8.
  return new Response(body === '' ? null : Buffer.from(body), { status, headers })
}
