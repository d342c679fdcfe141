/** The Hono app with all routes. It serves a socket (listen.ts) and `simulator.fetch`. */
import { type Context, Hono } from 'hono'
import { ConnectionError } from '../../spec/contract/connection-error.ts'
import { allowOf } from '../../spec/contract/endpoints.ts'
import { isHttpUrl } from '../../spec/contract/wire.ts'
import { badRequest, refusalOf, refusalResponse } from './refusals.ts'
import { connectionOf, type ServerEnv } from './server-env.ts'
import { addV1Routes, type V1Options } from './v1.ts'

interface AppParts extends V1Options {
  lazyRoutes: readonly LazyRoute[]
  /** Throws a refusal if the simulator cannot work now, such as on a full disk. */
  requireReady(): void
  logBug(cause: unknown, client: AbortSignal): void
}

/** Routes whose code is loaded with the first request for them: with all of it, a start takes 2.5 times as long. */
export interface LazyRoute {
  paths: readonly string[]
  /** The methods of its paths. Unset if they differ, so that the route itself refuses the others. */
  methods?: readonly string[]
  /**
   * True for a route that reads bodies from the socket. Its requests are not copied, because copying is more than half of a
   * request's cost.
   */
  readsSocket?: boolean
  load(): Promise<{ fetch(request: Request, bindings?: object): Response | Promise<Response> }>
}

export function createApp({ lazyRoutes, requireReady, logBug, ...v1 }: AppParts): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  app.onError((cause, c) => {
    // Without a socket, the caller's fetch has to reject.
    if (cause instanceof ConnectionError) throw cause
    return refusalResponse(refusalOf(cause, (bug) => logBug(bug, c.req.raw.signal)))
  })
  addV1Routes(app, v1)
  // Liveness: an orchestrator restarts a process that answers with an error.
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  // Readiness: an orchestrator sends requests only after a success.
  app.get('/readyz', (c) => {
    requireReady()
    return c.json({ status: 'ready' })
  })
  const turnOfItsOwn = turns()
  for (const route of lazyRoutes) {
    const handler = loadOnce(route, turnOfItsOwn)
    for (const path of route.paths) app.all(path, handler)
  }
  return app
}

/** Shared by the paths that have their own methods. */
const SOMEWHERE = ['GET', 'POST', 'PUT', 'DELETE']

function loadOnce(
  { load, methods, readsSocket }: LazyRoute,
  turnOfItsOwn: () => Promise<void>,
): (c: Context<ServerEnv>) => Promise<Response> {
  let part: ReturnType<LazyRoute['load']> | undefined
  const allowed = allowOf(methods ?? SOMEWHERE)
  return async (c) => {
    const { method } = c.req
    // No Fetch request may have the method TRACE, so the copy below could not be made.
    if (method === 'TRACE' || (methods && !allowed.includes(method)))
      return c.text('405 Method Not Allowed', 405, { allow: allowed.join(', ') })
    const { incoming } = c.env
    // The adapter does not parse most URLs, but the code behind these routes does.
    if (!isHttpUrl(c.req.url)) return badRequest('the Host header is not a host')
    part ??= load()
    const { fetch } = await part
    await turnOfItsOwn()
    if (incoming && connectionOf(incoming).destroyed) return new Response(null, { status: 499 })
    return fetch(readsSocket ? c.req.raw : copyable(c.req.raw), c.env)
  }
}

/**
 * Starts one such request per turn of the event loop, so that platforms' requests and signals are handled in between, however
 * many pages are requested together.
 */
function turns(): () => Promise<void> {
  let latest = Promise.resolve()
  return () => {
    latest = latest.then(() => new Promise((resolve) => void nextTurn(resolve)))
    return latest
  }
}

/** Stored here because a test may replace the global one with fake timers. */
const nextTurn = setImmediate

/** The adapter's request as one of Node's: Hono's bodyLimit copies it with `new Request`, which takes only Node's class. */
const copyable = ({ url, method, headers, body, signal }: Request): Request =>
  new Request(url, { method, headers, body, signal, duplex: 'half' })
