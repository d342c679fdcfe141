/**
 * Between a profile's words and those of the defaults: scenarios, recordings and rules of conduct are written in the words
 * of the defaults, under every profile. What is not known stays as it is, because an answer may come from a real service or
 * from a scenario's `respond`.
 */

import { type Contract, DEFAULT_CONTRACT } from './contract.ts'
import { ENDPOINTS, isCreation, type OperationId } from './endpoints.ts'
import { Event } from './event.ts'
import { ID_PREFIXES, type IdKind } from './ids.ts'
import { inverted } from './inverted.ts'
import { changedJson } from './json-text.ts'
import { isObject } from './parsed-json.ts'
import { valuesInPath } from './paths.ts'
import type { Turn } from './places.ts'
import type { Profile } from './profile.ts'
import { filledText } from './texts.ts'
import { withNames } from './worded.ts'

/** Method and path with its query, such as `GET /v1/refunds?status=pending`. */
export interface SentCall {
  method: string
  target: string
}

/** What came as the answer, its headers by their lower-case names. */
export interface SentAnswer {
  status: number
  headers: Readonly<Record<string, string>>
}

type Words = Readonly<Record<string, string>>

export class Translation {
  readonly #contract: Contract
  readonly #profile: Profile
  readonly #headers: Words
  readonly #event: Turn

  constructor(contract: Contract) {
    const { profile, wording } = contract
    this.#contract = contract
    this.#profile = profile
    this.#headers = headerNames(profile)
    this.#event = wording.of(Event).read ?? ((event) => event)
  }

  // Calls

  /** A call in the words of the defaults, as the profile's service takes it. */
  call({ method, target }: SentCall): SentCall {
    const [path = '', query] = target.split(/\?(.*)/s)
    const operation = operationOf({ method, target })
    if (!operation) return { method, target }
    const moved = movedPath(path, DEFAULT_CONTRACT.pathOf(operation), this.#contract.pathOf(operation))
    return { method, target: query === undefined ? moved : `${moved}?${this.#query(operation, query)}` }
  }

  /** A call as the profile's service took it, in the words of the defaults. Its query stays. */
  ownCall({ method, target }: SentCall): SentCall {
    const [path = '', query] = target.split(/\?(.*)/s)
    const own = this.#ownPath(method, path)
    return { method, target: query === undefined ? own : `${own}?${query}` }
  }

  /** The body of a request, as the profile's service takes it; one that is no JSON is sent as it is. */
  body(operation: OperationId | undefined, text: string): string {
    const names = operation ? this.#contract.wording.names(ENDPOINTS[operation].what) : {}
    // A body without these names keeps its bytes.
    if (!Object.keys(names).some((name) => text.includes(`"${name}"`))) return text
    return changedJson(text, (body) => withNames(body, names))
  }

  /** The same in the words of the defaults. */
  ownBody(operation: OperationId | null | undefined, text: string): string {
    const read = operation ? this.#contract.wording.bodyReader(operation) : undefined
    return read ? changedJson(text, read) : text
  }

  // Answers and events

  /** The status and the headers of an answer, in the words of the defaults. */
  answer(operation: OperationId | undefined, { status, headers }: SentAnswer): SentAnswer {
    const isCreated = operation && isCreation(operation) && status === this.#contract.createdStatus
    return { status: isCreated ? 201 : status, headers: this.#ownHeaders(headers) }
  }

  /** The JSON of an operation's answer, in the words of the defaults. */
  json(operation: OperationId | null | undefined, status: number, json: unknown): unknown {
    const { wording, refusals } = this.#contract
    if (status >= 400) {
      const names = operation ? inverted(wording.names(ENDPOINTS[operation].what)) : {}
      return isObject(json) ? refusals.read(json, status, names) : json
    }
    const read = operation ? wording.answer(operation).read : undefined
    return read ? read(json) : json
  }

  /** The same of JSON text, with numbers as they are written: 1000.00 stays. */
  text(operation: OperationId | null | undefined, status: number, text: string): string {
    return changedJson(text, (json) => this.json(operation, status, json))
  }

  /** An event in the words of the defaults. One without a time has the latest of its resource. */
  event(event: object): object {
    const own = this.#event(event) as { timestamp?: unknown; data?: unknown }
    return own.timestamp === undefined ? { ...own, timestamp: latestTime(own.data) } : own
  }

  eventText(text: string): string {
    return changedJson(text, this.#event)
  }

  /** The same with the prefixes of the defaults in all ids, for what knows an id by its prefix alone. */
  ids<Value>(value: Value): Value {
    const { ids } = this.#profile
    const kinds = Object.entries(ids.prefixes) as [IdKind, string][]
    const pattern = new RegExp(
      `(?<![0-9A-Za-z])(${kinds.map(([, prefix]) => prefix).join('|')})(?=[0-9A-Za-z]{${ids.length}}(?![0-9A-Za-z]))`,
      'g',
    )
    const own = (prefix: string) => ID_PREFIXES[kinds.find(([, other]) => other === prefix)![0]]
    return JSON.parse(JSON.stringify(value).replaceAll(pattern, (_, prefix: string) => own(prefix)))
  }

  #ownHeaders(headers: Words): Words {
    const named = Object.entries(headers).map(([name, value]) => [this.#headers[name] ?? name, value])
    const { location, ...others } = Object.fromEntries(named) as Record<string, string>
    return location === undefined ? others : { ...others, location: this.#ownPath('GET', location) }
  }

  #ownPath(method: string, path: string): string {
    const operation = this.#contract.operationAt(method, path)
    if (!operation) return path
    return movedPath(path, this.#contract.pathOf(operation), DEFAULT_CONTRACT.pathOf(operation))
  }

  #query(operation: OperationId, query: string): string {
    const { lists, events, states } = this.#profile
    const { what } = ENDPOINTS[operation]
    const names: Words = {
      ...this.#contract.wording.names(what),
      limit: lists.limit,
      cursor: lists.cursor,
    }
    const words: Words = what === 'event' ? events : ((states as Record<string, Words>)[what] ?? {})
    const parameters = [...new URLSearchParams(query)].map(([name, value]) => {
      const isWord = name === 'status' || name === 'type'
      return [names[name] ?? name, isWord ? (words[value] ?? value) : value]
    })
    return new URLSearchParams(parameters as [string, string][]).toString()
  }
}

/** Of a call in the words of the defaults. A method that the path does not have is refused there too. */
export function operationOf({ method, target }: SentCall): OperationId | undefined {
  const path = target.replace(/\?.*/s, '')
  return DEFAULT_CONTRACT.operationAt(method, path) ?? DEFAULT_CONTRACT.operationAt('GET', path)
}

const latestTime = (resource: unknown): string =>
  Object.entries(Object(resource))
    .flatMap(([name, value]) => (name.endsWith('At') && typeof value === 'string' ? [value] : []))
    .reduce((latest, time) => (time > latest ? time : latest), '')

function headerNames({ idempotency, rateLimit: { headers } }: Profile): Words {
  const names = [
    [idempotency.replayHeader, 'idempotent-replayed'],
    [headers.limit, 'x-ratelimit-limit'],
    [headers.remaining, 'x-ratelimit-remaining'],
    [headers.reset, 'x-ratelimit-reset'],
  ] as const
  return Object.fromEntries(
    names.flatMap(([name, own]) => (name === null ? [] : [[name.toLowerCase(), own]])),
  )
}

/** The same ids under another path. */
function movedPath(path: string, from: string, to: string): string {
  if (from === to) return path
  return filledText(to, valuesInPath(from, path))
}

const translations = new WeakMap<Contract, Translation>()

/** Undefined under the defaults, whose words need none. */
export function translationOf(contract: Contract): Translation | undefined {
  if (contract === DEFAULT_CONTRACT) return undefined
  const translation = translations.get(contract) ?? new Translation(contract)
  translations.set(contract, translation)
  return translation
}
