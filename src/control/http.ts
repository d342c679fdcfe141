/**
 * `/_sim`: the tester's rows as HTTP. It is no platform's traffic, so nothing here is counted or journaled. What is
 * wrong with a request is said in the body that `/v1` uses; only a bug is a 500.
 */
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { DEFAULT_SANDBOX, WrongOption } from '../config.ts'
import {
  ApiError,
  bodyTooLarge,
  internalError,
  invalidOption,
  methodNotAllowed,
  routeNotFound,
} from '../contract/errors.ts'
import type { Sandboxes } from './control.ts'
import { type Guard, requireTester } from './guard.ts'
import { readBody, readQuery } from './input.ts'
import { testersDocument } from './openapi.ts'
import { type ControlRoute, RawAnswer } from './route.ts'
import { SANDBOX_ROUTES, SIMULATOR_ROUTES } from './routes.ts'
import { writeControlAnswer } from './write.ts'

/** Room for a snapshot of a sandbox that has been busy for long. */
const BODY_MAX_BYTES = 256 * 1024 * 1024

/** A row at a place, with whom it is asked of. */
interface Place {
  path: string
  row: ControlRoute<never>
  target(sandbox: string): unknown
}

export interface TesterParts extends Guard {
  sandboxes: Sandboxes
  bug(cause: unknown): void
}

export function testersSide({ sandboxes, bug, ...guard }: TesterParts) {
  const app = new Hono({ strict: false })
  const refuse = (cause: unknown) => refusal(cause, bug)

  app.use(async (c, next) => {
    requireTester((name) => c.req.header(name), c.req.url, guard)
    return next()
  })
  app.use(bodyLimit({ maxSize: BODY_MAX_BYTES, onError: () => refuse(bodyTooLarge()) }))
  for (const [path, places] of byPath(placesOf(sandboxes))) {
    app.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
      const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
      const place = places.find(({ row }) => row.method === method)
      if (!place) throw methodNotAllowed(places.map(({ row }) => row.method))
      return answer(place, c.req.param() as Record<string, string>, c.req.raw)
    })
  }
  app.get('/_sim/openapi.json', (c) =>
    json(200, JSON.stringify(testersDocument(guard.publicUrl ?? new URL(c.req.url).origin))),
  )
  app.notFound(() => refuse(routeNotFound()))
  app.onError(refuse)
  return { fetch: (request: Request, bindings?: object) => app.fetch(request, bindings) }
}

/** The sandbox `default` answers at `/_sim` itself, every sandbox under its name. */
const placesOf = (sandboxes: Sandboxes): Place[] => [
  ...SIMULATOR_ROUTES.map((row) => ({
    path: `/_sim${row.path}`,
    row: row as ControlRoute<never>,
    target: () => sandboxes,
  })),
  ...SANDBOX_ROUTES.flatMap((row) =>
    ['/_sim', '/_sim/sandboxes/{sandbox}'].map((base) => ({
      path: `${base}${row.path}`,
      row: row as ControlRoute<never>,
      target: (name: string) => sandboxes.find(name),
    })),
  ),
]

function byPath(places: Place[]): Map<string, Place[]> {
  const found = new Map<string, Place[]>()
  for (const place of places) found.set(place.path, [...(found.get(place.path) ?? []), place])
  return found
}

async function answer(
  { row, target }: Place,
  params: Record<string, string>,
  request: Request,
): Promise<Response> {
  const asked = target(params.sandbox ?? DEFAULT_SANDBOX) as never
  const query = row.query && readQuery(row.query, new URL(request.url).searchParams)
  const bytes = new Uint8Array(await request.arrayBuffer())
  const body = row.body ? readBody(row.body, bytes) : bytes
  const given = await row.run(asked, { params, query, body })

  if (given instanceof RawAnswer) {
    const raw = given.body as ConstructorParameters<typeof Response>[0]
    return new Response(raw, { status: row.status, headers: { 'content-type': given.type } })
  }
  if (!row.answer) return new Response(null, { status: row.status })
  return json(row.status, writeControlAnswer(row.answer, given))
}

const json = (status: number, text: string, headers: Record<string, string> = {}) =>
  new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })

function refusal(cause: unknown, bug: (cause: unknown) => void): Response {
  const { status, body, headers } = apiError(cause, bug)
  return json(status, JSON.stringify(body), { ...headers })
}

function apiError(cause: unknown, bug: (cause: unknown) => void): ApiError {
  if (cause instanceof ApiError) return cause
  if (cause instanceof WrongOption) return invalidOption(cause.message)
  bug(cause)
  return internalError()
}
