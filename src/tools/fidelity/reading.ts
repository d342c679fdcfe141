/** Reads the evidence: the objects of both sides, the pages of lists, and the kind of each id. */
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { RESOURCES, type ResourceName } from '../../spec/contract/event.ts'
import { keptOrMade } from '../../spec/contract/kept-or-made.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { readExchange, type SeenExchange, type ServiceExchange } from './evidence.ts'
import { Names, type Pair } from './names.ts'

/** The kinds of objects that have an id and can be paired. */
export type SeenKind = ResourceName | 'event'
export const SEEN_KINDS: readonly SeenKind[] = [...(Object.keys(RESOURCES) as ResourceName[]), 'event']

export type SeenList = Reading['lists'][number]

/** The fields by which one resource refers to another, such as `paymentMethodId`. */
const REFERENCES = Object.keys(RESOURCES).map((kind): [name: string, kind: ResourceName] => [
  `${kind.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())}Id`,
  kind as ResourceName,
])

export type Reading = ReturnType<typeof readEvidence>

export function readEvidence(given: readonly ServiceExchange[]) {
  const exchanges = given.map(readExchange)
  const names = new Names(exchanges)
  const idNames = SEEN_KINDS.map((kind) => ({ kind, name: names.of(kind).id ?? 'id' }))
  /** The resources and events that both sides have; the service's with the default names. */
  const pairs: ReadonlyMap<SeenKind, readonly Pair[]> = new Map(
    SEEN_KINDS.map((kind) => [kind, names.pairs(kind)]),
  )
  const ids = new Map<string, { kind: SeenKind; exchange: SeenExchange }>()
  for (const [own, ofKind] of pairs)
    for (const { theirs, exchange } of ofKind)
      for (const [name, kind] of [['id', own] as const, ...REFERENCES])
        if (typeof theirs[name] === 'string') keptOrMade(ids, theirs[name], () => ({ kind, exchange }))

  /** The kind and the id of an object whose id is known. */
  function knownIn(json: unknown): { kind: SeenKind; id: string } | undefined {
    if (!isObject(json)) return undefined
    const known = idNames.find(({ kind, name }) => ids.get(String(json[name]))?.kind === kind)
    return known && { kind: known.kind, id: String(json[known.name]) }
  }

  /** The page's only list field, and its items, which are of this kind. */
  function listIn(exchange: SeenExchange) {
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
    return kind === undefined || more.length > 0 ? [] : { exchange, fields: json, name, items, kind }
  }

  return { exchanges, lists: exchanges.flatMap(listIn), names, pairs, ids, knownIn }
}
