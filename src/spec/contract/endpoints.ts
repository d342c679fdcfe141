/** §4: the endpoints of /v1 by their operations. What a tester writes of either is judged against this list. */
import { wildcardRegExp } from './reg-exp.ts'
import { suggest } from './suggest.ts'

export const ENDPOINTS = {
  'authorizations.create': 'POST /v1/authorizations',
  'authorizations.capture': 'POST /v1/authorizations/{id}/capture',
  'authorizations.void': 'POST /v1/authorizations/{id}/void',
  'authorizations.list': 'GET /v1/authorizations',
  'authorizations.get': 'GET /v1/authorizations/{id}',
  'checkouts.create': 'POST /v1/checkouts',
  'checkouts.list': 'GET /v1/checkouts',
  'checkouts.get': 'GET /v1/checkouts/{id}',
  'checkouts.cancel': 'POST /v1/checkouts/{id}/cancel',
  'checkouts.confirm': 'POST /v1/checkouts/{id}/confirm',
  'checkouts.refund': 'POST /v1/checkouts/{id}/refunds',
  'checkouts.refunds': 'GET /v1/checkouts/{id}/refunds',
  'customers.create': 'POST /v1/customers',
  'customers.list': 'GET /v1/customers',
  'customers.get': 'GET /v1/customers/{id}',
  'paymentMethods.list': 'GET /v1/customers/{id}/payment-methods',
  'paymentMethods.get': 'GET /v1/customers/{id}/payment-methods/{paymentMethodId}',
  'paymentMethods.detach': 'POST /v1/customers/{id}/payment-methods/{paymentMethodId}/detach',
  'refunds.create': 'POST /v1/refunds',
  'refunds.list': 'GET /v1/refunds',
  'refunds.get': 'GET /v1/refunds/{id}',
  'events.list': 'GET /v1/events',
  'events.get': 'GET /v1/events/{id}',
} as const

export type OperationId = keyof typeof ENDPOINTS
/** Method and path, such as `POST /v1/checkouts/{id}/refunds`. */
export type EndpointCall = (typeof ENDPOINTS)[OperationId]

export type MethodOf<Id extends OperationId> = (typeof ENDPOINTS)[Id] extends `${infer Method} /${string}`
  ? Method
  : never
export type PathOf<Id extends OperationId> = (typeof ENDPOINTS)[Id] extends `${string} ${infer Path}`
  ? Path
  : never

type ResourceOf<Id> = Id extends `${infer Resource}.${string}` ? Resource : never
type ActionOf<Id> = Id extends `${string}.${infer Action}` ? Action : never

/** Such as `/v1/refunds/{id}`; D55: a profile can give a read another one. */
export const usualPathOf = (id: OperationId): string => ENDPOINTS[id].slice(ENDPOINTS[id].indexOf('/'))

/** One operation, all of one resource as in `refunds.*`, one of every resource as in `*.create`, or `*`. */
export type OperationPattern =
  | OperationId
  | `${ResourceOf<OperationId>}.*`
  | `*.${ActionOf<OperationId>}`
  | '*'

/** A method and a path under which an endpoint is found; {@link callMistake} judges the rest of it. */
export type CallPattern = `${MethodOf<OperationId> | '*'} /${string}`

/** Whether an operation is meant by a pattern. */
export function matchesOperation(pattern: string): (operation: string) => boolean {
  const expected = new RegExp(`^${wildcardRegExp(pattern)}$`)
  return (operation) => expected.test(operation)
}

/** D40: whether an operation answers with a new resource. */
export const isCreation = (operation: OperationId): boolean => /\.create$|^checkouts\.refund$/.test(operation)

export const OPERATION_IDS = Object.keys(ENDPOINTS) as OperationId[]

export const OPERATION_PATTERNS: readonly OperationPattern[] = [
  ...new Set([
    ...OPERATION_IDS,
    ...OPERATION_IDS.map((id) => `${id.split('.')[0]}.*` as OperationPattern),
    ...OPERATION_IDS.map((id) => `*.${id.split('.')[1]}` as OperationPattern),
    '*' as const,
  ]),
]

const endpoints: readonly string[] = Object.values(ENDPOINTS)

const CALL_FORM = /^(\*|[A-Z]+) \/\S*$/
/** More would let a regular expression that is made of them try for minutes. */
const STARS_MAX = 6
/** Node's parser takes no longer head of a request, and of 30,000 V8 makes no regular expression or ends the process. */
const CALL_CHARS_MAX = 16_384

/**
 * The rule that a call breaks, such as `POST /v1/checkout/{id}/refunds`; undefined if it means an endpoint. `*` and braces
 * stand for one segment, `**` for the rest, `*` for any method.
 */
export function callMistake(call: string): string | undefined {
  if ((call.match(/\*+/g) ?? []).length > STARS_MAX) return `must have * at most ${STARS_MAX} times`
  if (isEndpoint(call)) return undefined
  const isForm = CALL_FORM.test(call)
  const rule = `must be ${isForm ? 'an endpoint' : 'a method and a path'}`
  const near = nearestEndpoint(call)
  return near === undefined
    ? `${rule}, such as ${ENDPOINTS['checkouts.refund']}`
    : `${rule}; did you mean ${near}?`
}

export function isEndpoint(call: string): boolean {
  if (call.length > CALL_CHARS_MAX || !CALL_FORM.test(call)) return false
  const pattern = patternOf(call)
  return endpoints.some((endpoint) => pattern.test(endpoint))
}

/** A word of the path may stand where the endpoint has a name in braces: it is an id there. */
function patternOf(call: string): RegExp {
  const [method = '', path = ''] = call.replace(/\?.*/, '').split(' ')
  const segments = path.split('/').map((segment) => segment && `(?:${wildcardRegExp(segment)}|\\{\\w+\\})`)
  return new RegExp(`^${method === '*' ? '[A-Z]+' : method} ${segments.join('/')}$`)
}

/** Ids are left out of the comparison, as they say nothing of the endpoint that was meant. */
export function nearestEndpoint(call: string): EndpointCall | undefined {
  const calls = new Map(Object.values(ENDPOINTS).map((endpoint) => [shapeOf(endpoint), endpoint]))
  const paths = new Map([...calls].map(([shape, endpoint]) => [pathOf(shape), endpoint]))
  const shape = shapeOf(call)
  return nearest(shape, calls) ?? nearest(pathOf(shape), paths)
}

const nearest = (shape: string, among: Map<string, EndpointCall>): EndpointCall | undefined =>
  among.get(shape) ?? among.get(suggest(shape, among.keys()) ?? '')

/** `POST /v1/checkouts/chk_1/refunds?x=1` is `POST checkouts/{}/refunds`. */
function shapeOf(call: string): string {
  const [method = '', path = ''] = call.replace(/\?.*/, '').split(' ')
  const withoutIds = path.replaceAll(/\/(\$?\{[^{}]*\}|[a-z]+_[^/]*|\*+)(?=\/|$)/g, '/{}')
  return `${method.toUpperCase()} ${withoutIds.replace(/^\/*(v1\/)?/, '')}`
}

const pathOf = (shape: string): string => shape.split(' ')[1]!
