/**
 * Serves the routes of `/_sim`. They are not part of the simulated service, so they are not journaled and no rate limit counts
 * them. Errors have the same body as under `/v1`; only a bug returns 500.
 */
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { asStorageFailure } from '../../service/store/storage-failure.ts'
import { readBodyBytes, requirePlainBody } from '../../spec/body.ts'
import { allowOf, writes } from '../../spec/contract/endpoints.ts'
import {
  ApiError,
  bodyTooLarge,
  internalError,
  invalidOption,
  methodNotAllowed,
  routeNotFound,
} from '../../spec/contract/errors.ts'
import { wireWriter } from '../../spec/contract/json-writer.ts'
import type { AppEnv } from '../../spec/node-http.ts'
import { WrongOption } from '../../spec/options/read.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { type Sandboxes, steeredBy } from './control.ts'
import { type Guard, requireTester, requireToken } from './guard.ts'
import { testersDocument } from './openapi.ts'
import { readBody, readQuery } from './read-input.ts'
import { type ControlRoute, RawAnswer } from './route.ts'
import { SANDBOX_ROUTES } from './sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from './simulator-verbs.ts'
import { yamlAnswer } from './yaml-answer.ts'

/** Room for a large fixture. */
const BODY_MAX_BYTES = 256 * 1024 ** 2

type TesterContext = Context<AppEnv>

interface TesterParts extends Guard {
  sandboxes: Sandboxes
  bug(cause: unknown, client: AbortSignal): void
}

export function testersSide({ sandboxes, bug, ...guard }: TesterParts) {
  const app = new Hono<AppEnv>({ strict: false })
  const refuse = (cause: unknown, c: TesterContext) =>
    refusal(cause, (bugged) => bug(bugged, c.req.raw.signal))

  app.use(async (c, next) => {
    requireTester(c.req.raw, c.env, guard)
    requireToken(c.req.raw, c.env, guard)
    requirePlainBody(c.req.header('content-encoding'))
    return next()
  })
  const methods = new Map<string, string[]>()
  const serve = <Target>(base: string, route: ControlRoute<Target>, target: (c: TesterContext) => Target) => {
    const path = `${base}${route.path}`.replaceAll(/\{(\w+)\}/g, ':$1')
    const write = route.answer && wireWriter(route.answer)
    app.on(route.method, path, (c) => answer(c, route, write, target(c)))
    methods.set(path, [...(methods.get(path) ?? []), route.method])
  }
  for (const route of SIMULATOR_ROUTES) serve('/_sim', route, () => sandboxes)
  for (const route of SANDBOX_ROUTES) {
    serve('/_sim', route, () => steeredBy(sandboxes.find(DEFAULT_SANDBOX)))
    serve('/_sim/sandboxes/{sandbox}', route, (c) => steeredBy(sandboxes.find(c.req.param('sandbox')!)))
  }
  for (const [path, served] of methods) {
    app.all(path, () => {
      throw methodNotAllowed(allowOf(served))
    })
  }
  const originOf = (c: TesterContext) => guard.publicUrl ?? new URL(c.req.url).origin
  /** Created once for an origin: it describes 150 routes. */
  let document: { origin: string; text: string } | undefined
  app.get('/_sim/openapi.json', (c) => {
    const origin = originOf(c)
    if (document?.origin !== origin) document = { origin, text: JSON.stringify(testersDocument(origin)) }
    return json(200, document.text)
  })
  app.get('/_sim/openapi.yaml', (c) => yamlAnswer(testersDocument(originOf(c))))
  app.notFound((c) => refuse(routeNotFound(), c))
  app.onError(refuse)
  return { fetch: (request: Request, bindings: object = {}) => app.fetch(request, bindings) }
}

/** The refusal of the tester's guard, for other routes below `/_sim`; undefined if it lets the request pass. */
export function refusedBy(guard: Guard, request: Request, bindings?: object): Response | undefined {
  try {
    requireTester(request, bindings, guard)
    requireToken(request, bindings, guard)
  } catch (cause) {
    return refusal(cause, () => {})
  }
  return undefined
}

/** Refuses any query: on such a route the parameter was meant for the body or for another address. */
const NO_QUERY = z.strictObject({})
const NOTHING = new Uint8Array()

/** The whole body; a GET has none. */
async function bytesOf({ req, env }: TesterContext): Promise<Uint8Array> {
  if (!writes(req.method)) return NOTHING
  if (Number(req.header('content-length')) > BODY_MAX_BYTES) throw bodyTooLarge()
  const bytes = await readBodyBytes(env.incoming, req.raw, BODY_MAX_BYTES)
  if (bytes === 'too large') throw bodyTooLarge()
  return bytes
}

/** `write` is created once per route, because creating it takes as long as a sandbox. */
async function answer<Target>(
  c: TesterContext,
  route: ControlRoute<Target>,
  write: ((value: unknown) => string) | undefined,
  target: Target,
): Promise<Response> {
  const query = readQuery(route.query ?? NO_QUERY, new URL(c.req.url).searchParams)
  const bytes = await bytesOf(c)
  const body = route.body ? readBody(route.body, bytes) : bytes
  const params = c.req.param() as Record<string, string>
  const result = await route.run(target, { params, query, body, header: (name) => c.req.header(name) })

  if (result instanceof RawAnswer) {
    return new Response(result.body, { status: route.status, headers: { 'content-type': result.type } })
  }
  if (!write) return new Response(null, { status: route.status })
  return json(route.status, write(result))
}

/**
 * With a line break, so that a terminal's prompt is on the next line. Not in /v1, whose stored responses are repeated byte for
 * byte.
 */
const json = (status: number, text: string, headers = {}) =>
  new Response(`${text}\n`, { status, headers: { 'content-type': 'application/json', ...headers } })

function refusal(cause: unknown, bug: (cause: unknown) => void): Response {
  const error = apiError(cause, bug)
  return json(error.status, error.json, { ...error.headers })
}

function apiError(cause: unknown, bug: (cause: unknown) => void): ApiError {
  const failure = asStorageFailure(cause)
  if (failure instanceof ApiError) return failure
  if (cause instanceof WrongOption) return invalidOption(cause.message)
  bug(cause)
  return internalError()
}
