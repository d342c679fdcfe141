/** What is served at one address, in one screen. */
import { type Context, Hono } from 'hono'
import { internalError } from '../contract/errors.ts'
import { ConnectionError } from './connection-error.ts'
import { fetchDoor } from './fetch.ts'
import type { Ask } from './v1.ts'

export interface AppParts {
  ask: Ask
  /** What is served beside /v1. */
  faces: readonly LazyRoute[]
  bug(cause: unknown): void
}

/** Part of what is served, loaded when it is first asked for: a platform's first answer waits for none of it. */
export interface LazyRoute {
  paths: readonly string[]
  load(): Promise<{ fetch(request: Request, bindings?: object): Response | Promise<Response> }>
}

export function createApp({ ask, faces, bug }: AppParts): Hono {
  const app = new Hono()
  app.onError((cause, c) => {
    // A connection that fails on purpose is not answered: the caller's fetch rejects.
    if (cause instanceof ConnectionError) throw cause
    bug(cause)
    const { status, body } = internalError()
    return c.json(body, status as 500)
  })
  const platform = fetchDoor(ask)
  app.all('/v1/*', (c) => platform(c.req.raw))
  app.all('/v1', (c) => platform(c.req.raw))
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  for (const face of faces) {
    const handle = once(face)
    for (const path of face.paths) app.all(path, handle)
  }
  return app
}

function once({ load }: LazyRoute): (c: Context) => Promise<Response> {
  let loading: ReturnType<LazyRoute['load']> | undefined
  return async (c) => {
    loading ??= load()
    const { fetch } = await loading
    return fetch(c.req.raw, c.env)
  }
}
