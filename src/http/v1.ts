/** /v1 over HTTP: reads a request, has the gate answer it, and sends the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { BODY_MAX_BYTES } from '../contract/limits.ts'
import { caught, chain, type MaybePromise } from '../gate/maybe-promise.ts'
import type { Answer, PlatformRequest } from '../gate/request.ts'
import { readBodyBytes, readIncoming } from './body.ts'
import { faultyResponse } from './connection-faults.ts'
import { closing, sendPlain } from './plain.ts'

export interface AppEnv {
  /** Node's request and response, and the adapter's class of Response (listen.ts); without a socket none of them. */
  Bindings: Partial<HttpBindings> & { Response?: typeof Response }
}

export interface V1Options {
  /** Whether X-Forwarded-For names the client (D47). */
  trustProxy: boolean
  answer(request: PlatformRequest): MaybePromise<Answer>
}

/** By Hono: through its adapter, or without a socket. */
export function answerFetch(c: Context<AppEnv>, { trustProxy, answer }: V1Options): MaybePromise<Response> {
  const { method, raw, url, path } = c.req
  const { incoming } = c.env
  const origin = url.slice(0, url.indexOf('/', 'https://'.length))
  const body = hasBody(method) ? readBodyBytes(incoming, raw, BODY_MAX_BYTES) : EMPTY
  return chain(body, (body) => {
    const request = incoming
      ? socketRequest(incoming, origin, path, body, trustProxy)
      : fetchRequest(raw, origin, path, body, trustProxy)
    return chain(answer(request), (answered) => responseOf(c, answered))
  })
}

function responseOf({ env, req }: Context<AppEnv>, answer: Answer): MaybePromise<Response> {
  const { status, headers, body, fault } = answer
  if (fault) return faultyResponse(req.method, answer, fault, env.outgoing, req.raw.signal)
  // Hono drops the body of an answer to HEAD, and its length with it.
  if (req.method === 'HEAD') headers['content-length'] = String(Buffer.byteLength(body))
  const { Response = globalThis.Response } = env
  return new Response(body || null, { status, headers })
}

/** Without Hono, where the request is plain (plain.ts). A faulty answer is given back: the adapter sends it. */
export function answerPlain(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { trustProxy, answer }: V1Options,
  failed: (cause: unknown, client: AbortSignal) => Answer,
): MaybePromise<Response | undefined> {
  const method = incoming.method!
  const origin = `http://${incoming.headers.host}`
  const [path = ''] = incoming.url!.split('?', 1)
  const read = () => (hasBody(method) ? readIncoming(incoming, BODY_MAX_BYTES) : EMPTY)
  const answered = caught(
    () => chain(read(), (body) => answer(socketRequest(incoming, origin, path, body, trustProxy))),
    (cause) => failed(cause, closing(incoming)),
  )
  return chain(answered, (answer) => {
    const { fault } = answer
    if (fault) return faultyResponse(method, answer, fault, outgoing, closing(incoming))
    sendPlain(outgoing, answer)
    return undefined
  })
}

const hasBody = (method: string) => method !== 'GET' && method !== 'HEAD'
const EMPTY = Buffer.alloc(0)

function socketRequest(
  incoming: IncomingMessage,
  origin: string,
  path: string,
  body: PlatformRequest['body'],
  trustProxy: boolean,
): PlatformRequest {
  const { headers, socket } = incoming
  const target = incoming.url!
  const header = (name: string) => headers[name] as string | undefined
  return {
    method: incoming.method!,
    target,
    path,
    query: queryOf(target),
    apiKey: header('x-api-key'),
    ip: clientIp(socket.remoteAddress, trustProxy ? header('x-forwarded-for') : undefined),
    // Only Node's request shows whether a header was sent twice (D31).
    idempotencyKeys: valuesOf(incoming, 'idempotency-key'),
    body,
    header,
    origin,
    // In HTTP/2 a client leaves by ending the request's stream.
    connection: (incoming as { stream?: { destroyed: boolean } }).stream ?? socket,
  }
}

function fetchRequest(
  { method, url, headers, signal }: Request,
  origin: string,
  path: string,
  body: PlatformRequest['body'],
  trustProxy: boolean,
): PlatformRequest {
  const target = url.slice(origin.length)
  const header = (name: string) => headers.get(name) ?? undefined
  return {
    method,
    target,
    path,
    query: queryOf(target),
    apiKey: header('x-api-key'),
    ip: clientIp(undefined, trustProxy ? header('x-forwarded-for') : undefined),
    idempotencyKeys: present(header('idempotency-key')),
    body,
    header,
    origin,
    // A caller that aborts its request has left.
    connection: {
      get destroyed() {
        return signal.aborted
      },
    },
  }
}

function queryOf(target: string): string {
  const question = target.indexOf('?')
  return question === -1 ? '' : target.slice(question)
}

const present = (value: string | undefined): string[] => (value === undefined ? [] : [value])

/** Node joins the values of a header that was sent twice with a comma; only then the slower list is read. */
function valuesOf(incoming: IncomingMessage, name: string): readonly string[] {
  const joined = incoming.headers[name] as string | undefined
  if (!joined?.includes(', ')) return present(joined)
  const { rawHeaders } = incoming
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name)
}

const EMBEDDED_IP = '127.0.0.1'

/** The IP that §8 counts: the socket's, or with a trusted proxy the first of X-Forwarded-For (D47). */
function clientIp(socketAddress: string | undefined, forwardedFor: string | undefined): string {
  const first = forwardedFor?.split(',', 1)[0]?.trim()
  const address = first || socketAddress || EMBEDDED_IP
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
