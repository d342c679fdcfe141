/** A client of the tester's API of a paysim: creates a sandbox, controls it and reads what `/v1` does not show. */

import type { Agent } from 'node:http'
import { jsonIn } from '../../spec/contract/json-text.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { clientFor } from '../../spec/node-http.ts'
import { joinedPages } from '../../tester/control/remote-call.ts'
import { type Verb, type VerbRequest, verbRequest } from '../../tester/control/verb.ts'
import { SANDBOX_VERBS } from '../../tester/control/verbs.ts'
import { exchange, type PlayedExchange } from './wire.ts'

/** Longer than any answer takes, except that of a request with a longer `within`. */
const TIMEOUT_MS = 60_000

/** What `/_sim/` is followed by where it is about one sandbox. */
const SANDBOX_WORDS = new Set(pathsOf(SANDBOX_VERBS).map((path) => path.split(/[/?]/)[1]!))

function pathsOf(verbs: object): string[] {
  return Object.values(verbs).flatMap((one) => (typeof one.path === 'string' ? [one.path] : pathsOf(one)))
}

export interface ControlAnswer {
  status: number
  json: unknown
  body: string
  exchange: PlayedExchange
}

/**
 * For every request to a paysim, of the platform too, and from file to file: each new connection takes about as long as a
 * request. What is not used is closed well before a server does it, which for Node is after 5 s: a request into a closing
 * connection fails.
 */
const KEEP_ALIVE = { keepAlive: true, timeout: 1_000 }
const agents: Record<string, Agent> = {}

function answerOf(exchange: PlayedExchange, { protocol, host }: URL): ControlAnswer {
  const { answered, ending } = exchange
  if (answered === null) {
    // A port that speaks HTTPS closes what speaks HTTP, without a word.
    const hint = protocol === 'http:' ? ` Where this port speaks HTTPS, its address is https://${host}.` : ''
    throw new Error(`The tester's API gave no answer: ${ending}.${hint}`)
  }
  const { status, body } = answered
  return { status, json: jsonIn(body), body, exchange }
}

function requireSuccess({ status, json }: ControlAnswer, { method, path }: VerbRequest): void {
  if (status < 300) return
  const { message = 'it gave no reason' } = isObject(json) ? json : {}
  throw new Error(`The tester's API answers ${status} to ${method} ${path}: ${message}`)
}

/** Throws the message of an error. */
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
    const options = { timeoutMs: TIMEOUT_MS }
    const first = await exchange(this.#base, outgoing, { ...options, connections: this.connections })
    // RFC 9112, 9.3.1: a server may close a kept connection just before a request comes. Only a POST must not be sent twice.
    const isLost = first.ending === 'reset' || first.ending === 'closed'
    if (!isLost || method === 'POST') return answerOf(first, this.#base)
    const again = answerOf(await exchange(this.#base, outgoing, options), this.#base)
    // It may have come just after all: then the second one does not find what the first has removed.
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

  /** Where a path of the default sandbox's tester's API is in this one's; undefined for any other path. */
  ownPath(path: string): string | undefined {
    const word = /^\/_sim\/([\w-]+)/.exec(path)?.[1]
    return word !== undefined && SANDBOX_WORDS.has(word) ? path.replace('/_sim', this.#prefix) : undefined
  }

  /** The same at another address of this paysim. */
  served(base: URL): Control {
    return new Control(base, this.#prefix, this.#token)
  }

  at(prefix: string): Control {
    return new Control(this.#base, prefix, this.#token)
  }
}
