/**
 * Between a profile's words and those of the defaults: scenarios, recordings and rules of conduct are written in the words
 * of the defaults, under every profile. What is not known stays as it is, because an answer may come from a real service or
 * from a scenario's `respond`.
 */

import { statusName } from './api-error.ts'
import { AuthorizationStatus } from './authorization.ts'
import { CheckoutStatus } from './checkout.ts'
import { type Contract, DEFAULT_CONTRACT } from './contract.ts'
import { ENDPOINTS, isCreation, type OperationId } from './endpoints.ts'
import { EVENT_TYPES } from './event.ts'
import { ID_PREFIXES, type IdKind } from './ids.ts'
import { inverted } from './inverted.ts'
import { valuesInPath } from './paths.ts'
import type { Profile } from './profile.ts'
import { RefundStatus } from './refund.ts'
import { escapeRegExp } from './reg-exp.ts'
import { filledText, TEXTS, type TextName, wordsOf } from './texts.ts'
import type { JsonObject } from './wire.ts'

/** Method and path with its query, such as `GET /v1/refunds?status=pending`. */
export interface SentCall {
  method: string
  target: string
}

export interface TranslatedAnswer {
  status: number
  /** By their lower-case names. */
  headers: Record<string, string>
  json: unknown
}

type Words = Readonly<Record<string, string>>

export class Translation {
  readonly #contract: Contract
  readonly #profile: Profile
  /** The defaults' words by the profile's. */
  readonly #states: Readonly<Record<string, Words>>
  readonly #eventTypes: Words
  readonly #headers: Words
  readonly #texts: readonly ReadableText[]

  constructor(contract: Contract) {
    const { profile } = contract
    this.#contract = contract
    this.#profile = profile
    this.#states = Object.fromEntries(
      Object.entries(profile.states).map(([resource, words]) => [resource, inverted(words)]),
    )
    this.#eventTypes = inverted(profile.events)
    this.#headers = headerNames(profile)
    this.#texts = readableTexts(profile)
  }

  /** A call in the words of the defaults, as the profile's service takes it. */
  call({ method, target }: SentCall): SentCall {
    const [path = '', query] = target.split(/\?(.*)/s)
    // A method that the path does not have is refused there too.
    const operation = DEFAULT_CONTRACT.operationAt(method, path) ?? DEFAULT_CONTRACT.operationAt('GET', path)
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

  /** An answer to such a call, in the words of the defaults. */
  answer({ method, target }: SentCall, { status, headers, json }: TranslatedAnswer): TranslatedAnswer {
    const operation = DEFAULT_CONTRACT.operationAt(method, target.replace(/\?.*/s, ''))
    return {
      status: operation && isCreation(operation) && status === this.#contract.createdStatus ? 201 : status,
      headers: this.headers(headers),
      json: this.json(json, status),
    }
  }

  headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const named = Object.entries(headers).map(([name, value]) => [this.#headers[name] ?? name, value])
    const { location, ...others } = Object.fromEntries(named) as Record<string, string>
    return location === undefined ? others : { ...others, location: this.#ownPath('GET', location) }
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

  /** JSON text in the words of the defaults, with numbers as they are written: 1000.00 stays. */
  text(text: string, status = 200): string {
    const marked = text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : `"${MARK}${token}"`))
    let value: unknown
    try {
      value = JSON.parse(marked)
    } catch {
      // A fault has broken it.
      return text
    }
    return JSON.stringify(this.json(value, status)).replaceAll(MARKED, '$1')
  }

  /** The JSON of an answer with this status, or of a webhook, in the words of the defaults. */
  json(value: unknown, status = 200): unknown {
    if (Array.isArray(value)) return value.map((item) => this.json(item, status))
    if (!isObject(value)) return value
    if (status >= 400) return this.#refusal(value, status)
    const { items, hasMore, nextCursor } = this.#profile.lists
    if (items in value && hasMore in value) {
      return {
        data: this.json(value[items]),
        hasMore: value[hasMore],
        nextCursor: value[nextCursor],
      }
    }
    return this.#resource(value)
  }

  /** The kind of a resource is in its id. */
  #resource(value: JsonObject): JsonObject {
    const kind = typeof value.id === 'string' ? this.#contract.kindOf(value.id) : undefined
    if (kind === undefined) return value
    const extra: JsonObject = (this.#profile.answers.fields as Record<string, JsonObject>)[kind] ?? {}
    const own = Object.entries(value).filter(([name]) => !(name in extra))
    return Object.fromEntries(own.map(([name, field]) => [name, this.#field(kind, name, field)]))
  }

  #field(kind: string, name: string, value: unknown): unknown {
    if (kind === 'event' && name === 'data') return this.json(value)
    if (typeof value !== 'string') return value
    if (kind === 'event' && name === 'type') return this.#eventTypes[value] ?? value
    if (name === 'status') return this.#states[kind]?.[value] ?? value
    return name.endsWith('At') || name === 'timestamp' ? withMilliseconds(value) : value
  }

  #refusal(value: JsonObject, status: number): JsonObject {
    const { error, message } = value
    return {
      ...value,
      ...(error === this.#contract.nameOf(status) && { error: statusName(status) }),
      ...(typeof message === 'string' && { message: this.#message(message) }),
    }
  }

  #message(message: string): string {
    for (const { pattern, name } of this.#texts) {
      const found = pattern.exec(message)
      if (found) return filledText(TEXTS[name], this.#ownValues(found.groups ?? {}))
    }
    return message
  }

  #ownValues(values: Words): Words {
    const states = this.#states[(values.resource ?? '').toLowerCase()] ?? {}
    const { limit, cursor } = this.#profile.lists
    const parameters: Words = { [limit]: 'limit', [cursor]: 'cursor' }
    const { state = '', needed = '', name = '', rule = '' } = values
    return {
      ...values,
      state: states[state] ?? state,
      needed: states[needed] ?? needed,
      name: parameters[name] ?? name,
      rule: this.#ownRule(rule),
    }
  }

  /** `must be one of …` lists the words of a filter. */
  #ownRule(rule: string): string {
    const { states, events } = this.#profile
    const lists: [readonly string[], Words][] = [
      [CheckoutStatus.options, states.checkout],
      [AuthorizationStatus.options, states.authorization],
      [RefundStatus.options, states.refund],
      [EVENT_TYPES, events],
    ]
    const list = lists.find(([own, words]) => rule.endsWith(` ${own.map((word) => words[word]).join(', ')}`))
    return list ? `must be one of ${list[0].join(', ')}` : rule
  }

  #ownPath(method: string, path: string): string {
    const operation = this.#contract.operationAt(method, path)
    if (!operation) return path
    return movedPath(path, this.#contract.pathOf(operation), DEFAULT_CONTRACT.pathOf(operation))
  }

  #query(operation: OperationId, query: string): string {
    const { lists, events, states } = this.#profile
    const names: Words = { limit: lists.limit, cursor: lists.cursor }
    const { what } = ENDPOINTS[operation]
    const words: Words = what === 'event' ? events : ((states as Record<string, Words>)[what] ?? {})
    const parameters = [...new URLSearchParams(query)].map(([name, value]) => {
      const isWord = name === 'status' || name === 'type'
      return [names[name] ?? name, isWord ? (words[value] ?? value) : value]
    })
    return new URLSearchParams(parameters as [string, string][]).toString()
  }
}

/** A string or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
/** No JSON of ours has this character. */
const MARK = '\uE000'
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

/** D12: a time without milliseconds is a time with none. */
const withMilliseconds = (text: string) => text.replace(/(T\d\d:\d\d:\d\d)Z$/, '$1.000Z')

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

/** Which of the defaults' messages this is, with the values in it. */
export function readMessage(message: string): { name: TextName; values: Words } | undefined {
  for (const { pattern, name } of readableTexts(DEFAULT_CONTRACT.profile)) {
    const found = pattern.exec(message)
    if (found) return { name, values: { ...found.groups } }
  }
  return undefined
}

interface ReadableText {
  readonly name: TextName
  readonly pattern: RegExp
}

/** A text with more words of its own is tried first: `{resource} is {state}` would match nearly everything. */
function readableTexts({ errors }: Profile): ReadableText[] {
  const texts = Object.entries(errors.texts) as [TextName, string][]
  const ownLength = (text: string) => text.replaceAll(/\{\w+\}/g, '').length
  return texts
    .sort(([, one], [, other]) => ownLength(other) - ownLength(one))
    .map(([name, text]) => ({ name, pattern: patternOf(text) }))
}

function patternOf(text: string): RegExp {
  const words = new Set(wordsOf(text))
  const seen = new Set<string>()
  const source = text.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0 || !words.has(part)) return escapeRegExp(part)
    if (seen.has(part)) return `\\k<${part}>`
    seen.add(part)
    return `(?<${part}>.+?)`
  })
  return new RegExp(`^${source.join('')}$`, 's')
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
