/**
 * Reads the evidence without knowing the service's words: fields have the default names, where an answer of ours beside theirs
 * shows which is which; resources are recognized by their fields, states by their times.
 */

import { statesOf } from '../../service/domain/states.ts'
import { DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { type OperationId, pathOfTarget, splitTarget, writes } from '../../spec/contract/endpoints.ts'
import { RESOURCES, type ResourceName } from '../../spec/contract/event.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import type { JsonFields, SentWebhook, ServiceEvidence, ServiceExchange } from './evidence.ts'
import { Names } from './names.ts'

export interface SeenResource {
  kind: ResourceName
  fields: JsonFields
  seenIn: string
  /** Our answer to the same request. */
  ours?: JsonFields
}

export interface SeenEvent {
  fields: JsonFields
  about: SeenResource
  seenIn: string
}

/** A page of a list: what stands beside its items is still without a name. */
export interface SeenList {
  exchange: SeenExchange
  fields: JsonFields
  /** The one field that is a list, and its items. */
  name: string
  items: readonly unknown[]
  /** Of the items, where they are all of one kind. */
  kind: ResourceName | 'event' | undefined
}

export interface SeenExchange extends ServiceExchange {
  path: string
  query: URLSearchParams
  /** As it was asked, in the words of the defaults; undefined for other paths. */
  operation: OperationId | undefined
  json: unknown
  isSuccess: boolean
}

/** The fields by which one resource refers to another, such as `paymentMethodId`. */
const REFERENCES: Readonly<Record<string, ResourceName>> = Object.fromEntries(
  (Object.keys(RESOURCES) as ResourceName[]).map((kind) => [
    `${kind.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())}Id`,
    kind,
  ]),
)

/** A service may lack some fields of a resource. With a smaller share of them, one kind could be taken for another. */
const OWN_FIELDS_SHARE = 0.75

/** Responses are read down to this depth, because a recursion without one could end the process. */
const DEEPEST = 64

export class Reading {
  readonly exchanges: readonly SeenExchange[]
  readonly webhooks: readonly SentWebhook[]
  readonly resources: SeenResource[] = []
  readonly events: SeenEvent[] = []
  readonly lists: SeenList[] = []
  readonly names: Names
  /** Where the scenario says how long a refund takes. */
  readonly ownDelays: ReadonlySet<string>
  /** The kind of every id that was seen. */
  readonly ids = new Map<string, ResourceName | 'event'>()

  constructor({ exchanges, webhooks }: ServiceEvidence) {
    this.webhooks = webhooks
    this.ownDelays = new Set(
      [...exchanges, ...webhooks].filter(({ setsDelay }) => setsDelay).map(({ seenIn }) => seenIn),
    )
    this.names = new Names(exchanges)
    this.exchanges = exchanges.map((one) => read(one, this.names))
    for (const exchange of this.exchanges.filter(({ isSuccess }) => isSuccess)) {
      const isWrite = writes(exchange.asked.method)
      this.#collect(exchange.json, exchange.seenIn, isWrite ? jsonIn(exchange.ours?.body ?? '') : undefined)
      const list = isWrite ? undefined : this.#listIn(exchange)
      if (list) this.lists.push(list)
    }
    for (const { body, seenIn } of webhooks)
      this.#collect(this.names.inOwnWords(jsonIn(body.toString('utf8'))), seenIn)
  }

  idsOf(kind: ResourceName | 'event'): string[] {
    return [...this.ids].filter(([, other]) => other === kind).map(([id]) => id)
  }

  /** As it was read with the service's names, or else by its fields. */
  kindOf(json: JsonFields): ResourceName | 'event' | undefined {
    return (this.names.kinds.get(json) as ResourceName | 'event' | undefined) ?? kindByFields(json)
  }

  #listIn(exchange: SeenExchange): SeenList | undefined {
    const { json } = exchange
    const list = isObject(json) ? listField(json) : undefined
    if (list === undefined) return undefined
    const kinds = new Set(list.items.map((item) => (isObject(item) ? this.kindOf(item) : undefined)))
    return {
      exchange,
      fields: json as JsonFields,
      ...list,
      kind: kinds.size === 1 ? [...kinds][0] : undefined,
    }
  }

  #collect(json: unknown, seenIn: string, ours?: unknown, depth = 0): void {
    if (depth > DEEPEST) return
    if (Array.isArray(json)) for (const item of json) this.#collect(item, seenIn, undefined, depth + 1)
    if (!isObject(json)) return
    const kind = this.kindOf(json)
    if (kind === undefined) {
      for (const field of Object.values(json))
        if (Array.isArray(field)) this.#collect(field, seenIn, undefined, depth + 1)
      return
    }
    this.ids.set(String(json.id), kind)
    if (kind === 'event') {
      const data = json.data as JsonFields
      this.#collect(data, seenIn)
      const about = isObject(data) ? this.kindOf(data) : undefined
      if (about === undefined || about === 'event') return
      this.events.push({ fields: json, about: { kind: about, fields: data, seenIn }, seenIn })
      return
    }
    this.resources.push({ kind, fields: json, seenIn, ...(isObject(ours) && { ours }) })
    for (const [name, other] of Object.entries(REFERENCES))
      if (typeof json[name] === 'string') this.ids.set(json[name], other)
  }
}

function read(exchange: ServiceExchange, names: Names): SeenExchange {
  const { asked, sentTo = asked.target, theirs } = exchange
  const [path, query = ''] = splitTarget(sentTo)
  const isSuccess = theirs.status >= 200 && theirs.status < 300
  const json = jsonIn(theirs.body)
  return {
    ...exchange,
    path,
    query: new URLSearchParams(query),
    operation: DEFAULT_CONTRACT.operationAt(asked.method, pathOfTarget(asked.target)),
    json: isSuccess ? names.inOwnWords(json) : json,
    isSuccess,
  }
}

/** The items of a page, and the name of their field: the only one that is a list. */
export function listField(json: JsonFields): { name: string; items: readonly unknown[] } | undefined {
  const lists = Object.entries(json).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  const [name, items] = lists[0] ?? []
  if (lists.length !== 1 || name === undefined || items === undefined) return undefined
  return kindByFields(json) === undefined ? { name, items } : undefined
}

/** Which resource an event is about, and the state that it tells of; undefined for other fields. */
export function toldBy(fields: JsonFields): { id: string; state: string } | undefined {
  if (kindByFields(fields) !== 'event') return undefined
  const data = fields.data as JsonFields
  const state = stateOf({ kind: kindByFields(data) as ResourceName, fields: data, seenIn: '' })
  return state === undefined ? undefined : { id: String(data.id), state }
}

/**
 * The kind of an object, by the names of its fields: its id and states may be in the words of an unknown
 * profile.
 */
function kindByFields(fields: JsonFields): ResourceName | 'event' | undefined {
  if (typeof fields.id !== 'string') return undefined
  if (typeof fields.type === 'string' && isObject(fields.data))
    return [undefined, 'event'].includes(kindByFields(fields.data)) ? undefined : 'event'
  const shares = Object.entries(OWN_FIELDS).map(([kind, own]) => {
    const share = own.filter((name) => Object.hasOwn(fields, name)).length / own.length
    return { kind: kind as ResourceName, share }
  })
  const [best, next] = shares.sort((one, other) => other.share - one.share)
  return best!.share >= OWN_FIELDS_SHARE && best!.share > next!.share ? best!.kind : undefined
}

export const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(RESOURCES).map(([kind, schema]) => [kind, Object.keys(schema.shape)]),
)

/** The state by the times that go with it, in the words of the defaults; undefined where the time that decides is missing. */
export function stateOf({ kind, fields }: SeenResource): string | undefined {
  const [[first], ...later] = statesOf(kind)
  const reached = later.findLast(([, time]) => fields[time] !== null)
  // A time that is not there may be that of a later state.
  return reached && !Object.hasOwn(fields, reached[1]) ? undefined : (reached?.[0] ?? first)
}
