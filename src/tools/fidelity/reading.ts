/** Reads the evidence: the objects of both sides, the pages of lists, and the kind of each id. */

import { DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { ENDPOINTS, type OperationId, pathOfTarget, splitTarget } from '../../spec/contract/endpoints.ts'
import { RESOURCES, type ResourceName } from '../../spec/contract/event.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import { isSuccess } from '../../spec/exchange.ts'
import { type JsonFields, jsonOf, type ServiceExchange } from './evidence.ts'
import { Names, type Pair } from './names.ts'

/** The kinds of objects that have an id and can be paired. */
export type SeenKind = ResourceName | 'event'
export const SEEN_KINDS: readonly SeenKind[] = [...(Object.keys(RESOURCES) as ResourceName[]), 'event']

export interface SeenList {
  exchange: SeenExchange
  fields: JsonFields
  /** The page's only list field, and its items. */
  name: string
  items: readonly unknown[]
  /** Of the items. */
  kind: SeenKind
}

export interface SeenExchange extends ServiceExchange {
  path: string
  query: URLSearchParams
  /** The operation of the request in default names; undefined for other paths. */
  operation: OperationId | undefined
  /** Parsed, of the request and of the service's response. */
  sent: unknown
  json: unknown
  isSuccess: boolean
}

/** The fields by which one resource refers to another, such as `paymentMethodId`. */
const REFERENCES = Object.keys(RESOURCES).map((kind): [name: string, kind: ResourceName] => [
  `${kind.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())}Id`,
  kind as ResourceName,
])

export type Reading = ReturnType<typeof readEvidence>

export function readEvidence(given: readonly ServiceExchange[]) {
  const exchanges = given.map(read)
  /** The scenarios that determine how long a timed move takes. */
  const ownDelays = new Set(exchanges.flatMap(({ setsDelay, seenIn }) => (setsDelay ? seenIn : [])))
  const names = new Names(given)
  const idNames = SEEN_KINDS.map((kind) => ({ kind, name: names.of(kind).id ?? 'id' }))
  /** The resources and events that both sides have; the service's with the default names. */
  const pairs: ReadonlyMap<SeenKind, readonly Pair[]> = new Map(
    SEEN_KINDS.map((kind) => [kind, names.pairs(kind)]),
  )
  const ids = new Map<string, SeenKind>()
  for (const [kind, ofKind] of pairs)
    for (const { theirs } of ofKind)
      for (const [name, other] of [['id', kind] as const, ...REFERENCES])
        if (typeof theirs[name] === 'string') ids.set(theirs[name], other)

  /** The kind and the id of an object whose id is known. */
  function knownIn(json: unknown): { kind: SeenKind; id: string } | undefined {
    if (!isObject(json)) return undefined
    const known = idNames.find(({ kind, name }) => ids.get(String(json[name])) === kind)
    return known && { kind: known.kind, id: String(json[known.name]) }
  }

  function listIn(exchange: SeenExchange): SeenList[] {
    const { json, operation, isSuccess, asked } = exchange
    if (!isSuccess || !isObject(json) || asked.method !== 'GET') return []
    const [[name, items] = [], ...others] = Object.entries(json).filter(([, value]) => Array.isArray(value))
    if (name === undefined || !Array.isArray(items) || others.length > 0) return []
    const kinds = operation
      ? ENDPOINTS[operation].does === 'list'
        ? [ENDPOINTS[operation].what]
        : []
      : new Set(items.map((item) => knownIn(item)?.kind))
    const [kind, ...more] = kinds
    return kind === undefined || more.length > 0 ? [] : [{ exchange, fields: json, name, items, kind }]
  }

  return { exchanges, lists: exchanges.flatMap(listIn), names, pairs, ownDelays, ids, knownIn }
}

function read(exchange: ServiceExchange): SeenExchange {
  const { asked, sentTo = asked.target, theirs } = exchange
  const [path, query = ''] = splitTarget(sentTo)
  return {
    ...exchange,
    path,
    query: new URLSearchParams(query),
    operation: DEFAULT_CONTRACT.operationAt(asked.method, pathOfTarget(asked.target)),
    sent: jsonIn(asked.body ?? ''),
    json: jsonOf(theirs),
    isSuccess: isSuccess(theirs),
  }
}
