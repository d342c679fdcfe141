/** A client for the tester's API of a running paysim: creates a sandbox, controls it and reads what `/v1` does not show. */
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import { ifHttps } from '../../spec/tls-problem.ts'
import { SANDBOX_ADDRESSES } from '../../tester/control/addresses.ts'
import { joinedPages } from '../../tester/control/remote-call.ts'
import { firstWord, isVerb, type Verb, verbRequest } from '../../tester/control/verb.ts'
import { exchange, type PlayedExchange } from './wire.ts'

/** Longer than any response takes, except to a request with a longer `within`. */
const TIMEOUT_MS = 60_000

/** A page of a journal may contain a hundred bodies of 1 MB. */
const PAGE_MAX_BYTES = 256 * 1024 ** 2

/** The first path segments below `/_sim/` that address a sandbox. */
const SANDBOX_WORDS = new Set(verbsIn(SANDBOX_ADDRESSES).map(firstWord))

function verbsIn(verbs: object): Verb[] {
  return Object.values(verbs).flatMap((entry) => (isVerb(entry) ? [entry] : verbsIn(entry)))
}

interface ControlResponse {
  /** Such as `GET /clock`. */
  asked: string
  status: number
  json: Record<string, unknown>
  body: string
  /** Without its headers, which say nothing about the sandbox. */
  exchange: PlayedExchange
}

/** A successful response; throws the message of a refusal. */
export function accepted(response: ControlResponse): ControlResponse {
  const { asked, status, json } = response
  if (status < 300) return response
  throw new Error(`The tester's API responded ${status} to ${asked}: ${json.message ?? 'no reason given'}`)
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

  async send(verb: Verb, ...args: unknown[]): Promise<ControlResponse> {
    const { method, path, body: json } = verbRequest(verb, ...args)
    const headers = {
      'content-type': 'application/json',
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    }
    const body = json === undefined ? undefined : JSON.stringify(json)
    const outgoing = { method, target: this.#prefix + path, headers, body }
    const options = { timeoutMs: TIMEOUT_MS, maxBytes: PAGE_MAX_BYTES }
    const received = await exchange(this.#base, outgoing, options)
    const { answered, ending } = received
    if (answered === null)
      throw new Error(`The tester's API did not respond: ${ending}${ifHttps(this.#base)}.`)
    const { status, body: text } = answered
    const parsed = jsonIn(text)
    return {
      asked: `${method} ${path}`,
      status,
      json: isObject(parsed) ? parsed : {},
      body: text,
      exchange: { ...received, answered: { status, headers: {}, body: text } },
    }
  }

  /** The response; throws the message of an error. */
  async must(verb: Verb, ...args: unknown[]): Promise<ControlResponse> {
    return accepted(await this.send(verb, ...args))
  }

  /** The items of a list, or of all pages, oldest first. */
  async list(verb: Verb, filter: object = {}): Promise<Record<string, unknown>[]> {
    const { rows } = await joinedPages(
      async (window) =>
        (await this.must(verb, verb.answers === 'page' ? { ...filter, ...window } : filter)).json,
    )
    return rows.filter(isObject)
  }

  /**
   * Turns `/_sim/clock` into `/_sim/sandboxes/shop/clock` for the sandbox `shop`; undefined for a path that is not a verb of a
   * sandbox.
   */
  ownPath(path: string): string | undefined {
    const word = /^\/_sim\/([\w-]+)/.exec(path)?.[1]
    return word !== undefined && SANDBOX_WORDS.has(word) ? path.replace('/_sim', this.#prefix) : undefined
  }

  /** The same client for another address of this paysim, or for the verbs under another path. */
  at({ base = this.#base, prefix = this.#prefix }: { base?: URL; prefix?: string }): Control {
    return new Control(base, prefix, this.#token)
  }
}
