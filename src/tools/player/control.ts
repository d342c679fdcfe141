/** A client of the tester's API of a paysim: creates a sandbox, controls it and reads what `/v1` does not show. */

import type { Agent } from 'node:http'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import { clientFor } from '../../spec/node-http.ts'
import { ifHttps } from '../../spec/tls-problem.ts'
import { SANDBOX_ADDRESSES } from '../../tester/control/addresses.ts'
import { joinedPages } from '../../tester/control/remote-call.ts'
import { firstWord, isVerb, type Verb, type VerbRequest, verbRequest } from '../../tester/control/verb.ts'
import { exchange, type PlayedExchange } from './wire.ts'

/** Longer than any answer takes, except to a request with a longer `within`. */
const TIMEOUT_MS = 60_000

/** A page of a journal may have a hundred bodies of 1 MB. */
const PAGE_MAX_BYTES = 256 * 1024 ** 2

/** The first words of paths below `/_sim/` that are about one sandbox. */
const SANDBOX_WORDS = new Set(verbsIn(SANDBOX_ADDRESSES).map(firstWord))

function verbsIn(verbs: object): Verb[] {
  return Object.values(verbs).flatMap((one) => (isVerb(one) ? [one] : verbsIn(one)))
}

export interface ControlAnswer {
  status: number
  json: unknown
  body: string
  exchange: PlayedExchange
}

/**
 * Keeps connections for all requests to a paysim, from file to file: opening one takes about as long as a
 * request. An idle one is closed well before the server does it (5 s in Node), as a request into a closing
 * connection fails.
 */
const KEEP_ALIVE = { keepAlive: true, timeout: 1_000 }
const agents: Record<string, Agent> = {}

function answerOf(exchange: PlayedExchange, url: URL): ControlAnswer {
  const { answered, ending } = exchange
  if (answered === null) throw new Error(`The tester's API gave no answer: ${ending}${ifHttps(url)}.`)
  const { status, body } = answered
  return { status, json: jsonIn(body), body, exchange }
}

function requireSuccess({ status, json }: ControlAnswer, { method, path }: VerbRequest): void {
  if (status < 300) return
  const { message = 'it gave no reason' } = isObject(json) ? json : {}
  throw new Error(`The tester's API answers ${status} to ${method} ${path}: ${message}`)
}

/** The body of a successful answer; throws the message of a refusal. */
export function acceptedBody(answer: ControlAnswer, request: VerbRequest): Record<string, unknown> {
  requireSuccess(answer, request)
  return isObject(answer.json) ? answer.json : {}
}

export class Control {
  readonly #base: URL
  readonly #prefix: string
  readonly #token: string | undefined

  constructor(base: URL, prefix: string, token: string | undefined) {
    this.#base = base
    this.#prefix = prefix
    this.#token = token
  }

  get connections(): Agent {
    const { protocol } = this.#base
    agents[protocol] ??= new (clientFor(protocol).Agent)(KEEP_ALIVE)
    return agents[protocol]
  }

  async send({ method, path, body: json }: VerbRequest): Promise<ControlAnswer> {
    const headers = {
      'content-type': 'application/json',
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    }
    const body = json === undefined ? undefined : JSON.stringify(json)
    const outgoing = { method, target: this.#prefix + path, headers, body }
    const options = { timeoutMs: TIMEOUT_MS, maxBytes: PAGE_MAX_BYTES }
    const first = await exchange(this.#base, outgoing, { ...options, connections: this.connections })
    // RFC 9112, 9.3.1: a server may close a kept connection just before a request arrives. Then the request
    // is sent again, except for a POST, which might act twice.
    const isLost = first.ending === 'reset' || first.ending === 'closed'
    if (!isLost || method === 'POST') return answerOf(first, this.#base)
    const again = answerOf(await exchange(this.#base, outgoing, options), this.#base)
    // If the first DELETE arrived after all, the second one finds nothing: that counts as a success.
    return method === 'DELETE' && again.status === 404 ? { ...again, status: 204 } : again
  }

  /** The answer; throws the message of an error. */
  async succeed(request: VerbRequest): Promise<ControlAnswer> {
    const answer = await this.send(request)
    requireSuccess(answer, request)
    return answer
  }

  /** The body of the answer; throws the message of an error. */
  async must(request: VerbRequest): Promise<Record<string, unknown>> {
    return acceptedBody(await this.send(request), request)
  }

  /** The items of a list. */
  async list(request: VerbRequest): Promise<Record<string, unknown>[]> {
    const { data } = await this.must(request)
    return Array.isArray(data) ? data.filter(isObject) : []
  }

  /** The items of all pages, in the order in which they happened. */
  async listAll(verb: Verb): Promise<Record<string, unknown>[]> {
    const { rows } = await joinedPages((window) => this.must(verbRequest(verb, window)))
    return rows.filter(isObject)
  }

  /** `/_sim/clock` becomes `/_sim/sandboxes/shop/clock`, where `shop` is played; undefined for a path that is no verb of a sandbox. */
  ownPath(path: string): string | undefined {
    const word = /^\/_sim\/([\w-]+)/.exec(path)?.[1]
    return word !== undefined && SANDBOX_WORDS.has(word) ? path.replace('/_sim', this.#prefix) : undefined
  }

  /** The same client for another address of this paysim. */
  served(base: URL): Control {
    return new Control(base, this.#prefix, this.#token)
  }

  at(prefix: string): Control {
    return new Control(this.#base, prefix, this.#token)
  }
}
