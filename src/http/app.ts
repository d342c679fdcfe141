/** The Hono app with all routes. It serves a socket (listen.ts) and `simulator.fetch`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Context, Hono } from 'hono'
import { internalError, NotStored } from '../contract/errors.ts'
import type { MaybePromise } from '../gate/maybe-promise.ts'
import type { Answer } from '../gate/request.ts'
import { ConnectionError } from './connection-faults.ts'
import { hasWrongHost } from './host.ts'
import { type AppEnv, answerFetch, answerPlain, type V1Options } from './v1.ts'

export interface AppParts extends V1Options {
  lazyRoutes: readonly LazyRoute[]
  logBug(cause: unknown, client: AbortSignal): void
}

/** Routes whose code is loaded with the first request for them, so that the simulator starts without it. */
export interface LazyRoute {
  paths: readonly string[]
  /** It takes bodies from the socket, so its requests are not copied: a copy is more than half of what one costs. */
  readsSocket?: boolean
  load(): Promise<{ fetch(request: Request, bindings?: object): Response | Promise<Response> }>
}

/** What a server asks (listen.ts). */
export interface App {
  fetch: Hono<AppEnv>['fetch']
  /** A request that is plain; the Response that it may give is for the adapter. */
  plain(incoming: IncomingMessage, outgoing: ServerResponse): MaybePromise<Response | undefined>
}

export function createApp({ lazyRoutes, logBug, ...v1 }: AppParts): App {
  const failed = (cause: unknown, client: AbortSignal): Answer => {
    // A sandbox that cannot be opened now has no gate that could answer.
    const known = cause instanceof NotStored
    if (!known) logBug(cause, client)
    const { status, json } = known ? cause : internalError()
    return { status, body: json, headers: { 'content-type': 'application/json' } }
  }
  const app = new Hono<AppEnv>()
  app.onError((cause, c) => {
    // Without a socket, the caller's fetch has to reject.
    if (cause instanceof ConnectionError) throw cause
    const { status, body, headers } = failed(cause, c.req.raw.signal)
    return c.body(body, status as 500, headers)
  })
  app.all('/v1/*', (c) => answerFetch(c, v1))
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  for (const route of lazyRoutes) {
    const handler = loadOnce(route)
    for (const path of route.paths) app.all(path, handler)
  }
  return {
    fetch: app.fetch,
    plain: (incoming, outgoing) => answerPlain(incoming, outgoing, v1, failed),
  }
}

function loadOnce({ load, readsSocket }: LazyRoute): (c: Context<AppEnv>) => Promise<Response> {
  let loading: ReturnType<LazyRoute['load']> | undefined
  return async (c) => {
    // No Fetch request may have this method, so the copy below could not be made.
    if (c.req.method === 'TRACE') return c.text('405 Method Not Allowed', 405)
    if (hasWrongHost(c.env.incoming)) return c.text('400 Bad Request: Host is not a host', 400)
    loading ??= load()
    const { fetch } = await loading
    return fetch(readsSocket ? c.req.raw : copyable(c.req.raw), c.env)
  }
}

/** The adapter's request as one of Node's: Hono's bodyLimit copies it with `new Request`, which takes only Node's class. */
const copyable = ({ url, method, headers, body, signal }: Request): Request =>
  new Request(url, { method, headers, body, signal, duplex: 'half' })
