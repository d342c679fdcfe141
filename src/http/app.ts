/** What is served at one address, in one screen. */
import { Hono } from 'hono'
import { internalError } from '../contract/errors.ts'
import type { Answer, PlatformRequest } from '../gate/request.ts'
import { ConnectionError } from './connection.ts'
import { type Bindings, v1 } from './v1.ts'

export interface AppParts {
  trustProxy: boolean
  answer(request: PlatformRequest): Promise<Answer>
  openApi(origin: string): unknown
  /** The pages that a buyer sees. */
  pages: { paths: readonly string[]; fetch: Fetch }
  bug(cause: unknown): void
}

type Fetch = (request: Request, bindings?: Bindings) => Response | Promise<Response>

export function createApp({
  trustProxy,
  answer,
  openApi,
  pages,
  bug,
}: AppParts): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>()
  app.onError((cause, c) => {
    // A connection that fails on purpose is not answered: where there is no socket, the caller's fetch rejects.
    if (cause instanceof ConnectionError) throw cause
    bug(cause)
    const { status, body } = internalError()
    return c.json(body, status as 500)
  })
  const platform = v1({ trustProxy, answer })
  app.all('/v1/*', platform)
  app.all('/v1', platform)
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/openapi.json', (c) => c.json(openApi(new URL(c.req.url).origin) as object))
  for (const path of pages.paths) app.all(path, (c) => pages.fetch(c.req.raw, c.env))
  return app
}
