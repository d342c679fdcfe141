/**
 * §4: the endpoints of /v1 by operation. Requests are routed by this list, and a tester's operations and calls are checked
 * against it.
 */

import { escapeRegExp, wildcardRegExp } from './reg-exp.ts'
import { DEFINITIONS } from './resources/index.ts'
import {
  type AnsweredKind,
  ENDPOINTS,
  type EndpointCall,
  type MethodOf,
  type OperationId,
  type ReadingId,
  type WritingId,
} from './resources/operations.ts'
import { suggest } from './suggest.ts'

export * from './resources/operations.ts'

export const OPERATION_IDS = Object.keys(ENDPOINTS) as OperationId[]

/** GET and HEAD read. Every other method may change something, and has a body. */
export const writes = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

/** An operation's own method; reads also answer HEAD. */
export const methodOf = (id: OperationId) => ENDPOINTS[id].call.split(' ')[0] as MethodOf<OperationId>

export const isWriting = (id: OperationId): id is WritingId => writes(methodOf(id))
export const READING_IDS = OPERATION_IDS.filter((id): id is ReadingId => !isWriting(id))
export const WRITING_IDS = OPERATION_IDS.filter(isWriting)

/** D40: whether an operation creates a resource. */
export const isCreation = (id: OperationId): boolean => ENDPOINTS[id].does === 'create'

/** Its body names the order to be paid. */
export function beginsPayment(id: OperationId): boolean {
  const { what } = ENDPOINTS[id]
  return isCreation(id) && what !== 'event' && DEFINITIONS[what].order === 'itself'
}

/** The operation that lists all of a kind. A kind with lists only below parents gets the first of these. */
export function listOfKind(kind: AnsweredKind): ReadingId {
  const lists = READING_IDS.filter((id) => ENDPOINTS[id].does === 'list' && ENDPOINTS[id].what === kind)
  return lists.find((id) => !('of' in ENDPOINTS[id])) ?? lists[0]!
}

/**
 * D40: the operation that reads the created resource; its path is the Location. Undefined if no operation reads it by its id
 * alone.
 */
export const locationOf = (id: OperationId): ReadingId | undefined =>
  READING_IDS.find((reading) => {
    const row = ENDPOINTS[reading]
    return isCreation(id) && row.does === 'read' && row.what === ENDPOINTS[id].what && !('of' in row)
  })

/** The first part of an operation's name, such as `refunds`. */
export type Collection = OperationId extends infer Id
  ? Id extends `${infer Name}.${string}`
    ? Name
    : never
  : never
type ActionOf<Id> = Id extends `${string}.${infer Action}` ? Action : never

export const collectionOf = (id: OperationId) => id.split('.')[0] as Collection

/** Such as `/v1/refunds/{id}`; D55: a profile can change the path of a read. */
export const usualPathOf = (id: OperationId): string => ENDPOINTS[id].call.split(' ')[1]!

/** One operation, all of one resource (`refunds.*`), one of every resource (`*.create`), or `*`. */
export type OperationPattern = OperationId | `${Collection}.*` | `*.${ActionOf<OperationId>}` | '*'

/** A method and a path that may match an endpoint; {@link callMistake} checks it further. */
export type CallPattern = `${MethodOf<OperationId> | '*'} /${string}`

/** Whether a pattern matches an operation. */
export function matchesOperation(pattern: string): (operation: string) => boolean {
  const expected = new RegExp(`^${wildcardRegExp(pattern)}$`)
  return (operation) => expected.test(operation)
}

/** Whether a pattern matches a call: `{id}` and `*` stand for one segment, `**` for the rest, `*` as the method for any. */
export function matchesCall(pattern: string): (call: string) => boolean {
  const [method = '', path = ''] = pattern.split(' ')
  const expected = new RegExp(`^${method === '*' ? '[A-Z]+' : escapeRegExp(method)} ${wildcardRegExp(path)}$`)
  return (call) => expected.test(call)
}

export const OPERATION_PATTERNS: readonly OperationPattern[] = [
  ...new Set([
    ...OPERATION_IDS,
    ...OPERATION_IDS.map((id) => `${collectionOf(id)}.*` as const),
    ...OPERATION_IDS.map((id) => `*.${id.split('.')[1]}` as OperationPattern),
    '*' as const,
  ]),
]

export const ENDPOINT_CALLS: readonly EndpointCall[] = Object.values(ENDPOINTS).map(({ call }) => call)

const CALL_FORM = /^(\*|[A-Z]+) \/\S*$/
/** A call becomes a regular expression; with more stars, matching a long path could take minutes. */
const STARS_MAX = 6
/**
 * The longest head of a request that Node's parser accepts (16 KiB). From 30,000 characters V8 refuses the
 * regular expression or ends the process.
 */
const CALL_CHARS_MAX = 16_384

/**
 * The rule that a call breaks, such as `POST /v1/checkout/{id}/refunds`; undefined if it matches an endpoint. `*` and braces
 * stand for one segment, `**` for the rest, `*` for any method.
 */
export function callMistake(call: string): string | undefined {
  if ((call.match(/\*+/g) ?? []).length > STARS_MAX) return `must have * at most ${STARS_MAX} times`
  if (isEndpoint(call)) return undefined
  const isForm = CALL_FORM.test(call)
  const rule = `must be ${isForm ? 'an endpoint' : 'a method and a path'}`
  const near = nearestEndpoint(call)
  const meant =
    near === undefined ? `, such as ${ENDPOINTS['checkouts.refund'].call}` : `; did you mean ${near}?`
  const stubRule =
    stubMistake(call) === undefined ? `${near === undefined ? ';' : ''} stub takes any other path` : ''
  return rule + meant + stubRule
}

/** The rule that a stub breaks: its path must be under /v1 and not an endpoint's, such as `GET /v1/balance`. */
export function stubMistake(call: string): string | undefined {
  if ((call.match(/\*+/g) ?? []).length > STARS_MAX) return `must have * at most ${STARS_MAX} times`
  if (!/^(\*|[A-Z]+) \/v1\/[^\s?]+$/.test(call) || call.length > CALL_CHARS_MAX)
    return 'must be a method and a path under /v1, such as GET /v1/balance'
  // A call with a star is a stub even if it matches an endpoint, because it may match other paths too.
  if (call.includes('*') || !isEndpoint(call)) return undefined
  return 'must not be an endpoint: use call instead of stub'
}

export function isEndpoint(call: string): boolean {
  if (call.length > CALL_CHARS_MAX || !CALL_FORM.test(call)) return false
  const pattern = patternOf(call)
  return ENDPOINT_CALLS.some((endpoint) => pattern.test(endpoint))
}

/** The operations that a behavior's `op` and `call` select together; without either, all. */
export function operationsMeant({ op, call }: { op?: string | undefined; call?: string | undefined }) {
  if (call !== undefined && callMistake(call) !== undefined) return []
  const isMeant = matchesOperation(op ?? '*')
  const pattern = call === undefined ? /^/ : patternOf(call)
  return OPERATION_IDS.filter((id) => isMeant(id) && pattern.test(ENDPOINTS[id].call))
}

/** Why a fault `after-commit` cannot act on any of these operations; undefined if one of them writes. */
export function whyNothingCommits(ids: readonly OperationId[]): string | undefined {
  const [first] = ids
  if (first === undefined || ids.some(isWriting)) return undefined
  const sameTarget = WRITING_IDS.find((id) => usualPathOf(id) === usualPathOf(first))
  const meant =
    sameTarget === undefined ? '' : `; did you mean ${sameTarget} (${ENDPOINTS[sameTarget].call})?`
  return `cannot be after-commit: ${first} (${ENDPOINTS[first].call}) only reads and commits nothing${meant}`
}

/** A segment without braces also matches a name in braces of the endpoint: `/v1/refunds/ref_1` matches `/v1/refunds/{id}`. */
function patternOf(call: string): RegExp {
  const [method = '', path = ''] = call.replace(/\?.*/, '').split(' ')
  const segments = path.split('/').map((segment) => segment && `(?:${wildcardRegExp(segment)}|\\{\\w+\\})`)
  return new RegExp(`^${method === '*' ? '[A-Z]+' : method} ${segments.join('/')}$`)
}

/** The endpoint with the most similar method and path. Ids are ignored, because they would count as differing letters. */
export function nearestEndpoint(call: string): EndpointCall | undefined {
  const calls = new Map(ENDPOINT_CALLS.map((endpoint) => [shapeOf(endpoint), endpoint]))
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

/** The path of a request's target such as `/v1/refunds?status=pending`. */
export const pathOfTarget = (target: string): string => target.split('?', 1)[0]!

/** Its path, and its query if it has one. */
export function splitTarget(target: string): [path: string, query: string | undefined] {
  const path = pathOfTarget(target)
  return [path, path === target ? undefined : target.slice(path.length + 1)]
}

interface Endpoint {
  readonly method: string
  readonly path: string
}

export interface Route<Row> {
  /** Undefined if the path does not allow the method (405). */
  row: Row | undefined
  /** The segments for the names in braces: `{ id: 'ref_1' }`. */
  params: Readonly<Record<string, string>>
  /** The methods of the path, for the Allow header of a 405 (D41); empty otherwise. */
  allowed: readonly string[]
}

const isName = (segment: string) => segment.startsWith('{')

/**
 * Finds a request's row, segment by segment from the left: a text is preferred to a name in braces, which matches any non-empty
 * segment. Undefined if no row has the path.
 */
export function router<Row extends Endpoint>(
  rows: readonly Row[],
): (method: string, path: string) => Route<Row> | undefined {
  const ordered = rows.map((row) => ({ row, segments: row.path.split('/') }))
  ordered.sort((a, b) => textsFirst(a.segments, b.segments))
  return (method, path) => {
    const wanted = methodOfRow(method)
    const given = path.split('/')
    const match = ordered.find(({ row, segments }) => row.method === wanted && isMatch(segments, given))
    if (match) return { row: match.row, params: valuesIn(match.segments, given, decoded), allowed: [] }
    const found = ordered.filter(({ segments }) => isMatch(segments, given))
    if (found.length === 0) return undefined
    return { row: undefined, params: {}, allowed: allowOf(found.map(({ row }) => row.method)) }
  }
}

/** HEAD is a GET whose answer has no body (RFC 9110, 9.3.2). */
export const methodOfRow = (method: string): string => (method === 'HEAD' ? 'GET' : method)

/** The methods of a path's rows, in the form of `Allow`. */
export const allowOf = (methods: readonly string[]): string[] =>
  [...new Set(methods)].sort().flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))

function textsFirst(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((segment, index) => isName(segment) !== isName(b[index] ?? ''))
  return at === -1 ? 0 : Number(isName(a[at]!)) - Number(isName(b[at] ?? ''))
}

const isMatch = (segments: readonly string[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) => (isName(segment) ? given[index] !== '' : segment === given[index]))

/** The decoded segments for the names in braces: `{ id: 'ref_1' }`. */
export const paramsOf = (pattern: string, path: string) =>
  valuesIn(pattern.split('/'), path.split('/'), decoded)

/** The same without decoding `%`. */
export const valuesInPath = (pattern: string, path: string) =>
  valuesIn(pattern.split('/'), path.split('/'), (segment) => segment)

function valuesIn(segments: readonly string[], given: readonly string[], read: (segment: string) => string) {
  const values: Record<string, string> = {}
  segments.forEach((segment, index) => {
    if (isName(segment)) values[segment.slice(1, -1)] = read(given[index]!)
  })
  return values
}

/** With percent-encoding decoded; a malformed text is returned unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
