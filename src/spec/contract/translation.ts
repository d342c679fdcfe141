/**
 * Translates between a profile's words and those of the defaults: scenarios, recordings and audit rules
 * are written in the words of the defaults, under every profile. An unknown value stays as it is, because an
 * answer may come from a real service or from a scenario's `respond`.
 */
import { headersUnder } from './answer-headers.ts'
import { type Contract, DEFAULT_CONTRACT } from './contract.ts'
import {
  ENDPOINTS,
  isCreation,
  type OperationId,
  pathOfTarget,
  splitTarget,
  valuesInPath,
} from './endpoints.ts'
import { Event } from './event.ts'
import { ID_PREFIXES } from './ids.ts'
import { inverted } from './inverted.ts'
import { changedJson } from './json-text.ts'
import { isObject } from './parsed-json.ts'
import { queryOf, type Turn } from './places.ts'
import { filledText } from './texts.ts'
import { withNames } from './worded.ts'

/** Method and path with its query, such as `GET /v1/refunds?status=pending`. */
export interface SentCall {
  method: string
  target: string
}

/** An answer as it was received, its headers by their lower-case names. */
export interface SentAnswer {
  status: number
  headers: Readonly<Record<string, string>>
}

type Words = Readonly<Record<string, string>>

export class Translation {
  readonly contract: Contract
  readonly #headers: Words
  readonly #event: Turn

  constructor(contract: Contract) {
    const { profile, wording } = contract
    this.contract = contract
    this.#headers = Object.fromEntries(
      headersUnder(profile).map(({ named, name }) => [named.toLowerCase(), name.toLowerCase()]),
    )
    this.#event = wording.of(Event).read ?? ((event) => event)
  }

  // Calls

  /** Translates a call from the words of the defaults to those of the profile. */
  call({ method, target }: SentCall): SentCall {
    const [path, query] = splitTarget(target)
    const operation = operationOf({ method, target })
    if (!operation) return { method, target }
    const moved = movedPath(path, DEFAULT_CONTRACT.pathOf(operation), this.contract.pathOf(operation))
    return { method, target: query === undefined ? moved : `${moved}?${this.#query(operation, query)}` }
  }

  /** Translates a call back to the words of the defaults. */
  ownCall({ method, target }: SentCall): SentCall {
    const [path, query] = splitTarget(target)
    const own = this.#ownPath(method, path)
    return {
      method,
      target: query === undefined ? own : `${own}?${this.#ownQuery({ method, target: own }, query)}`,
    }
  }

  /** Translates a request's body to the profile's names; a body that is not JSON is sent as it is. */
  body(operation: OperationId | undefined, text: string): string {
    const names = operation ? this.contract.wording.names(ENDPOINTS[operation].what) : {}
    // Nothing to rename: the body is not parsed, so that it keeps its bytes.
    if (!Object.keys(names).some((name) => text.includes(`"${name}"`))) return text
    return changedJson(text, (body) => withNames(body, names))
  }

  /** Translates a request's body back to the default names. */
  ownBody(operation: OperationId | null | undefined, text: string): string {
    const read = operation ? this.contract.wording.bodyReader(operation) : undefined
    return read ? changedJson(text, read) : text
  }

  // Answers and events

  /** Translates an answer's status and headers to the words of the defaults. */
  answer(operation: OperationId | undefined, { status, headers }: SentAnswer): SentAnswer {
    const isCreated = operation && isCreation(operation) && status === this.contract.createdStatus
    return { status: isCreated ? 201 : status, headers: this.#ownHeaders(headers) }
  }

  /** Translates an answer's JSON to the words of the defaults. */
  json(operation: OperationId | null | undefined, status: number, json: unknown): unknown {
    const { wording, refusals } = this.contract
    if (status >= 400) {
      const names = operation ? inverted(wording.names(ENDPOINTS[operation].what)) : {}
      return isObject(json) ? refusals.read(json, status, names) : json
    }
    const read = operation ? wording.answer(operation).read : undefined
    return read ? read(json) : json
  }

  /** Like `json`, for JSON as text; numbers stay as they are written, such as 1000.00. */
  text(operation: OperationId | null | undefined, status: number, text: string): string {
    return changedJson(text, (json) => this.json(operation, status, json))
  }

  /**
   * Translates an event to the words of the defaults. An event without a time gets the latest time of its
   * resource.
   */
  event(event: object): object {
    const own = this.#event(event) as { timestamp?: unknown; data?: unknown }
    return own.timestamp === undefined ? { ...own, timestamp: latestTime(own.data) } : own
  }

  eventText(text: string): string {
    return changedJson(text, this.#event)
  }

  /**
   * Replaces the profile's prefix in every id by the default one, for code that knows a kind of id by its
   * prefix.
   */
  ids<Value>(value: Value): Value {
    const { ids } = this.contract
    const own = (id: string) => ID_PREFIXES[ids.kindOf(id)!] + id.slice(ids.prefixOf(id)!.length)
    return JSON.parse(ids.replaced(JSON.stringify(value), own))
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

  #query(operation: OperationId, query: string): string {
    const { fields } = this.contract.wording.of(queryOf(ENDPOINTS[operation].what))
    return eachParameter(query, (name, value) => {
      const field = fields?.get(name)
      return [field?.name ?? name, field?.write?.(value) ?? value]
    })
  }

  #ownQuery(call: SentCall, query: string): string {
    const operation = operationOf(call)
    const read = operation && this.contract.wording.of(queryOf(ENDPOINTS[operation].what)).read
    if (!read) return query
    return eachParameter(query, (name, value) => Object.entries(read({ [name]: value }) as object)[0]!)
  }
}

/**
 * The operation of a call in the words of the defaults. For a method that the path does not have, that of
 * GET: the call is refused there with 405.
 */
export function operationOf({ method, target }: SentCall): OperationId | undefined {
  const path = pathOfTarget(target)
  return DEFAULT_CONTRACT.operationAt(method, path) ?? DEFAULT_CONTRACT.operationAt('GET', path)
}

const latestTime = (resource: unknown): string =>
  Object.entries(Object(resource))
    .flatMap(([name, value]) => (name.endsWith('At') && typeof value === 'string' ? [value] : []))
    .reduce((latest, time) => (time > latest ? time : latest), '')

const eachParameter = (query: string, turn: (name: string, value: string) => [string, string]): string =>
  new URLSearchParams([...new URLSearchParams(query)].map(([name, value]) => turn(name, value))).toString()

/** The path `to` with the ids that stand in `path`, whose form is `from`. */
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
