/**
 * Something that happens in a sandbox, as a behavior may look at it. What an occasion does not have, no behavior that
 * asks for it can match.
 */
import type { Passage } from '../gate/interruptions.ts'
import type { Behavior } from './behavior.ts'

/** Where trouble can be put. */
export type Place = 'request' | 'transition' | 'delivery' | 'buyer'

export type Scope = Behavior['scope']

export interface Occasion {
  readonly place: Place
  /** Method and path. */
  readonly call?: string
  readonly op?: string
  readonly header?: (name: string) => string | undefined
  readonly query?: URLSearchParams
  readonly key?: string | undefined
  readonly event?: string
  readonly resource?: string
  readonly enters?: string
  /** What stands in the body, on the wire. */
  readonly json: () => unknown
  /** What counters are kept for. Where a scope says nothing, everything is counted as one. */
  readonly counted: Partial<Record<Scope, string | undefined>>
}

export function requestOccasion({ request, operation, params, body, key }: Passage): Occasion {
  const path = request.target.split('?', 1)[0]!
  return {
    place: 'request',
    call: `${operation.method} ${path}`,
    op: operation.id,
    header: request.header,
    query: new URLSearchParams(request.query),
    key,
    json: () => body,
    counted: { op: operation.id, key, resource: resourceOf(params, body), ip: request.ip },
  }
}

/** The resource that a request is about: the one in its path, or the one that its body names as the target. */
function resourceOf({ id }: Passage['params'], { checkoutId, authorizationId, customerId }: Passage['body']) {
  const named = id ?? checkoutId ?? authorizationId ?? customerId
  return typeof named === 'string' ? named : undefined
}
