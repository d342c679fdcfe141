/** What is served at one address, in one screen. */
import { Hono } from 'hono'
import { internalError } from '../contract/errors.ts'
import type { Answer, PlatformRequest } from '../gate/request.ts'
import type { Soon } from '../gate/soon.ts'
import { ConnectionError } from './connection-error.ts'
import { type Bindings, type HttpContext, v1 } from './v1.ts'

export interface AppParts {
  trustProxy: boolean
  answer(request: PlatformRequest): Soon<Answer>
  /** What is served beside /v1. */
  faces: readonly Face[]
  bug(cause: unknown): void
}

/** Part of what is served, loaded when it is first asked for: a platform's first answer waits for none of it. */
export interface Face {
  paths: readonly string[]
  load(): Promise<{ fetch: Fetch }>
}

export type Fetch = (request: Request, bindings?: Bindings) => Response | Promise<Response>

export function createApp({ trustProxy, answer, faces, bug }: AppParts): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>()
  app.onError((cause, c) => {
    // A connection that fails on purpose is not answered: where there is no socket, the caller's fetch rejects.
    if (cause instanceof ConnectionError) throw cause
    // Nor is a client that left in the middle of its own request.
    if (!c.env?.incoming?.destroyed) bug(cause)
    const { status, body } = internalError()
    return c.json(body, status as 500)
  })
  const platform = v1({ trustProxy, answer })
  app.all('/v1/*', platform)
  app.all('/v1', platform)
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  for (const face of faces) {
    const handle = once(face)
    for (const path of face.paths) app.all(path, handle)
  }
  return app
}

function once({ load }: Face): (c: HttpContext) => Promise<Response> {
  let loading: Promise<{ fetch: Fetch }> | undefined
  return async (c) => {
    loading ??= load()
    const { fetch } = await loading
    return fetch(c.req.raw, c.env)
  }
}
