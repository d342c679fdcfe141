/**
 * A path under /v1 that the specification does not have, and for which a behavior has a stub. It passes the gate as any
 * operation does: the key, the limit, the body and the Idempotency-Key are judged, and the request is journaled.
 */
import type { PlatformRequest, Route } from '../../service/gate/request.ts'
import { paramsOf } from '../../service/gate/routes.ts'
import type { Answering } from '../../service/operations/operation.ts'
import { matchesCall, writes } from '../../spec/contract/endpoints.ts'
import { methodNotAllowed, routeNotFound } from '../../spec/contract/errors.ts'

/** The request with the first of the stubs that has its path; as it is where an operation has it, or none. */
export function stubbed(request: PlatformRequest, stubs: readonly string[]): PlatformRequest {
  const { method, path, route } = request
  if (route?.operation || stubs.length === 0) return request
  const asked = method === 'HEAD' ? 'GET' : method
  const pattern = stubs.find((stub) => matchesCall(stub)(`${asked} ${path}`))
  if (pattern === undefined) return request
  const stub = pattern.split(' ')[1]!
  return {
    ...request,
    route: { operation: stubOperation(asked, stub, route), params: paramsOf(stub, path), allowed: [] },
  }
}

/** Without a behavior that answers, the path is one that the service does not have. */
const stubOperation = (method: string, path: string, route: Route | undefined): Answering => ({
  id: null,
  method,
  path,
  subject: undefined,
  writes: writes(method),
  idempotent: method === 'POST',
  body: undefined,
  query: undefined,
  perform() {
    throw route ? methodNotAllowed(route.allowed) : routeNotFound()
  },
})
