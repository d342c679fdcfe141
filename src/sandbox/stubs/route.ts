/**
 * Stubs: paths under /v1 that the specification does not have and a behavior answers. Such a request passes
 * the door like any other: key, limit, body and Idempotency-Key are checked, and it is journaled.
 */
import type { Answering } from '../../service/operations/operation.ts'
import { matchesCall, writes } from '../../spec/contract/endpoints.ts'
import { methodNotAllowed, routeNotFound } from '../../spec/contract/errors.ts'
import { methodOfRow, paramsOf, type Route } from '../../spec/contract/paths.ts'

type RouteOf<Row> = (method: string, path: string) => Route<Row> | undefined

/** Adds the armed stubs to the routes: for a path without an operation, the first stub that matches. */
export const withStubs =
  (
    routeOf: RouteOf<Answering>,
    armed: { readonly size: number; stubs(): readonly string[] },
  ): RouteOf<Answering> =>
  (method, path) => {
    const route = routeOf(method, path)
    if (route?.row || armed.size === 0) return route
    const asked = methodOfRow(method)
    const pattern = armed.stubs().find((stub) => matchesCall(stub)(`${asked} ${path}`))
    if (pattern === undefined) return route
    const stub = pattern.split(' ')[1]!
    return { row: stubOperation(asked, stub, route), params: paramsOf(stub, path), allowed: [] }
  }

/** If no behavior answers the request, the refusal is the same as without the stub. */
const stubOperation = (method: string, path: string, route: Route<Answering> | undefined): Answering => ({
  id: null,
  method,
  path,
  subject: undefined,
  writes: writes(method),
  idempotent: method === 'POST',
  body: undefined,
  readBody: undefined,
  query: undefined,
  perform() {
    throw route ? methodNotAllowed(route.allowed) : routeNotFound()
  },
})
