/** The one Hono app: everything that is served, over a socket or to a caller that has a Fetch request. */
import { type Context, Hono } from 'hono'
import { internalError } from '../contract/errors.ts'
import { ConnectionError } from './connection-faults.ts'
import { type AppEnv, addV1Routes, type V1Options } from './v1.ts'

export interface AppParts extends V1Options {
  lazyRoutes: readonly LazyRoute[]
  logBug(cause: unknown, client: AbortSignal): void
}

/** Routes whose code is loaded with the first request for them, so that the simulator starts without it. */
export interface LazyRoute {
  paths: readonly string[]
  load(): Promise<{ fetch(request: Request, bindings?: object): Response | Promise<Response> }>
}

export function createApp({ lazyRoutes, logBug, ...v1 }: AppParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.onError((cause, c) => {
    // The caller's fetch rejects.
    if (cause instanceof ConnectionError) throw cause
    logBug(cause, c.req.raw.signal)
    const { status, json } = internalError()
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

function loadOnce({ load }: LazyRoute): (c: Context<AppEnv>) => Promise<Response> {
  let loading: ReturnType<LazyRoute['load']> | undefined
  return async (c) => {
    // No Fetch request may have this method, so the copy below could not be made.
    if (c.req.method === 'TRACE') return c.text('405 Method Not Allowed', 405)
    loading ??= load()
    const { fetch } = await loading
    return fetch(copyable(c.req.raw), c.env)
  }
}

/** A request over a socket is of the adapter's class. Hono's bodyLimit copies requests, and Node's Request copies only its own. */
const copyable = ({ url, method, headers, body, signal }: Request): Request =>
  new Request(url, { method, headers, body, signal, duplex: 'half' })
