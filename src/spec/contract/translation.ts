/**
 * Translates between a profile's words and the defaults. Scenarios, recordings and audit rules use the default words under every
 * profile. Unknown values stay unchanged, because a response may come from a real service or from a scenario's `respond`.
 */
import type { Answered } from '../exchange.ts'
import { headersUnder } from './answer-headers.ts'
import type { Codec } from './codec.ts'
import { type Contract, DEFAULT_CONTRACT } from './contract.ts'
import {
  ENDPOINTS,
  isCreation,
  type OperationId,
  pathOfTarget,
  splitTarget,
  valuesInPath,
} from './endpoints.ts'
import { ID_PREFIXES } from './ids.ts'
import { changedJson } from './json-text.ts'
import { isObject } from './parsed-json.ts'
import { filledText } from './texts.ts'

/** Method and path with its query, such as `GET /v1/refunds?status=pending`. */
export interface SentCall {
  method: string
  target: string
}

type Words = Readonly<Record<string, string>>

export class Translation {
  readonly contract: Contract
  readonly #codec: Codec | undefined
  readonly #headers: Words

  constructor(contract: Contract) {
    this.contract = contract
    this.#codec = contract.codec
    this.#headers = Object.fromEntries(
      headersUnder(contract.profile).map(({ named, name }) => [named.toLowerCase(), name.toLowerCase()]),
    )
  }

  // Calls

  /** Translates a call from the default words to the profile's. */
  call({ method, target }: SentCall): SentCall {
    const [path, query] = splitTarget(target)
    const operation = operationOf({ method, target })
    if (!operation) return { method, target }
    const moved = movedPath(path, DEFAULT_CONTRACT.pathOf(operation), this.contract.pathOf(operation))
    const kind = ENDPOINTS[operation].what
    const written = eachParameter(query, (pair) => this.#codec?.writeParameter(kind, pair))
    return { method, target: query === undefined ? moved : `${moved}?${written}` }
  }

  /** Translates a call back to the default words. */
  ownCall({ method, target }: SentCall): SentCall {
    const [path, query] = splitTarget(target)
    const usualPath = this.#ownPath(method, path)
    const operation = operationOf({ method, target: usualPath })
    if (query === undefined || operation === undefined || this.#codec === undefined)
      return { method, target: query === undefined ? usualPath : `${usualPath}?${query}` }
    const kind = ENDPOINTS[operation].what
    const read = eachParameter(query, (pair) => this.#codec?.readParameter(kind, pair))
    return { method, target: `${usualPath}?${read}` }
  }

  /** Translates a request's body to the profile's names; a body that is not JSON is sent unchanged. */
  body(operation: OperationId | undefined, text: string): string {
    const codec = this.#codec
    if (!operation || !codec) return text
    const kind = ENDPOINTS[operation].what
    const renamed = Object.keys(codec.names(kind).theirs)
    // If there is nothing to rename, the body is not parsed, so that it keeps its bytes.
    if (!renamed.some((name) => text.includes(`"${name}"`))) return text
    return changedJson(text, (body) => (isObject(body) ? codec.writeBody(kind, body) : body))
  }

  /** Translates a request's body back to the default names. */
  ownBody(operation: OperationId | null | undefined, text: string): string {
    const codec = this.#codec
    if (!operation || !codec) return text
    const kind = ENDPOINTS[operation].what
    return changedJson(text, (body) => (isObject(body) ? codec.readBody(kind, body) : body))
  }

  // Answers and events

  /** Translates a response to the default words. */
  answer(operation: OperationId | undefined, { status, headers, body }: Answered): Answered {
    const isCreated = operation && isCreation(operation) && status === this.contract.createdStatus
    return {
      status: isCreated ? 201 : status,
      headers: this.#ownHeaders(headers),
      body: this.text(operation, status, body),
    }
  }

  /** Translates a response's JSON to the default words. */
  json(operation: OperationId | null | undefined, status: number, json: unknown): unknown {
    const kind = operation ? ENDPOINTS[operation].what : undefined
    if (this.#codec === undefined || !isObject(json)) return json
    if (status >= 400) return this.#codec.readRefusal(json, status, kind)
    if (!operation || !kind) return json
    return this.#codec[ENDPOINTS[operation].does === 'list' ? 'readPage' : 'read'](kind, json)
  }

  /** Like `json`, for JSON as text; numbers keep their notation, such as 1000.00. */
  text(operation: OperationId | null | undefined, status: number, text: string): string {
    if (this.#codec === undefined) return text
    return changedJson(text, (json) => this.json(operation, status, json))
  }

  /** Translates an event to the default words. An event without a time gets the latest time of its resource. */
  event(event: object): object {
    const usual = this.#readEvent(event) as { timestamp?: unknown; data?: unknown }
    return usual.timestamp === undefined ? { ...usual, timestamp: latestTime(usual.data) } : usual
  }

  eventText(text: string): string {
    return changedJson(text, (event) => this.#readEvent(event))
  }

  #readEvent(event: unknown): unknown {
    return this.#codec ? this.#codec.read('event', event) : event
  }

  /** Replaces the profile's prefix in every id by the default one, for code that identifies kinds by prefix. */
  ids<Value>(value: Value): Value {
    const { ids } = this.contract
    const usualId = (id: string) => ID_PREFIXES[ids.kindOf(id)!] + id.slice(ids.prefixOf(id)!.length)
    return JSON.parse(ids.replaced(JSON.stringify(value), usualId))
  }

  #ownHeaders(headers: Words): Words {
    const named = Object.entries(headers).map(([name, value]) => [this.#headers[name] ?? name, value])
    const { location, ...others } = Object.fromEntries(named) as Record<string, string>
    return location === undefined ? others : { ...others, location: this.#ownPath('GET', location) }
  }

  #ownPath(method: string, path: string): string {
    const operation = this.contract.operationAt(method, path)
    if (!operation) return path
    return movedPath(path, this.contract.pathOf(operation), DEFAULT_CONTRACT.pathOf(operation))
  }
}

/**
 * The operation of a call in the default names. If the path does not have the method, the operation of GET, because the call is
 * refused with 405.
 */
export function operationOf({ method, target }: SentCall): OperationId | undefined {
  const path = pathOfTarget(target)
  return DEFAULT_CONTRACT.operationAt(method, path) ?? DEFAULT_CONTRACT.operationAt('GET', path)
}

const latestTime = (resource: unknown): string =>
  Object.entries(Object(resource))
    .flatMap(([name, value]) => (name.endsWith('At') && typeof value === 'string' ? [value] : []))
    .reduce((latest, time) => (time > latest ? time : latest), '')

const eachParameter = (
  query = '',
  turned: (pair: [name: string, value: string]) => [string, string] | undefined,
): string =>
  new URLSearchParams([...new URLSearchParams(query)].map((pair) => turned(pair) ?? pair)).toString()

/** The path `to` with the ids from `path`, which has the form `from`. */
function movedPath(path: string, from: string, to: string): string {
  if (from === to) return path
  return filledText(to, valuesInPath(from, path))
}

const translations = new WeakMap<Contract, Translation>()

/** Undefined for the default contract, which needs no translation. */
export function translationOf(contract: Contract): Translation | undefined {
  if (contract === DEFAULT_CONTRACT) return undefined
  const translation = translations.get(contract) ?? new Translation(contract)
  translations.set(contract, translation)
  return translation
}
