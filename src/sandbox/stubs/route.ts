/**
 * A path under /v1 that the specification does not have, and for which a behavior has a stub. It passes the gate as any
 * operation does: the key, the limit, the body and the Idempotency-Key are judged, and the request is journaled.
 */
import type { Answering } from '../../service/operations/operation.ts'
import { matchesCall, writes } from '../../spec/contract/endpoints.ts'
import { methodNotAllowed, routeNotFound } from '../../spec/contract/errors.ts'
import { methodOfRow, paramsOf, type Route } from '../../spec/contract/paths.ts'

type RouteOf<Row> = (method: string, path: string) => Route<Row> | undefined

/** Where no operation has a path, the first of the stubs that has it does. */
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

/** Without a behavior that answers, the path is one that the service does not have. */
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
