/** The Hono app with all routes. It serves a socket (listen.ts) and `simulator.fetch`. */
import { type Context, Hono } from 'hono'
import { internalError, NotStored } from '../contract/errors.ts'
import { ConnectionError } from './connection-faults.ts'
import { hasWrongHost } from './host.ts'
import { type AppEnv, addV1Routes, type V1Options } from './v1.ts'

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

export function createApp({ lazyRoutes, logBug, ...v1 }: AppParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.onError((cause, c) => {
    // Without a socket, the caller's fetch has to reject.
    if (cause instanceof ConnectionError) throw cause
    // A sandbox that cannot be opened now has no gate that could answer.
    const known = cause instanceof NotStored
    if (!known) logBug(cause, c.req.raw.signal)
    const { status, json } = known ? cause : internalError()
    return c.body(json, status as 500, { 'content-type': 'application/json' })
  })
  addV1Routes(app, v1)
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  for (const route of lazyRoutes) {
    const handler = loadOnce(route)
    for (const path of route.paths) app.all(path, handler)
  }
  return app
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
