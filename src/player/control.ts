/** The tester's side of a paysim, over HTTP: makes a sandbox, steers it, and asks what no platform can see. */
import { isObject } from '../scenario-file/matcher.ts'
import { exchange, jsonOf } from './wire.ts'

/** Longer than a tester's side takes for anything but a wait that it was asked for. */
const TIMEOUT_MS = 60_000

export interface ControlAnswer {
  status: number
  json: unknown
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

  async ask(method: string, path: string, json?: unknown): Promise<ControlAnswer> {
    const headers: [string, string][] = [['content-type', 'application/json']]
    if (this.#token !== undefined) headers.push(['authorization', `Bearer ${this.#token}`])
    const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json))
    const outgoing = { method, target: this.#prefix + path, headers, body }
    const incoming = await exchange(this.#base, outgoing, { timeoutMs: TIMEOUT_MS })
    if (incoming.status === undefined)
      throw new Error(`The tester's side gave no answer: ${incoming.connection}.`)
    return { status: incoming.status, json: jsonOf(incoming) }
  }

  /** The answer's body; any refusal is thrown with its message. */
  async must(method: string, path: string, json?: unknown): Promise<Record<string, unknown>> {
    const answer = await this.ask(method, path, json)
    const body = isObject(answer.json) ? answer.json : {}
    if (answer.status < 300) return body
    const why = typeof body.message === 'string' ? body.message : 'it gave no reason'
    throw new Error(`The tester's side answers ${answer.status} to ${method} ${path}: ${why}`)
  }

  /** The items of a list. */
  async list(path: string): Promise<Record<string, unknown>[]> {
    const { data } = await this.must('GET', path)
    return Array.isArray(data) ? data.filter(isObject) : []
  }

  at(prefix: string): Control {
    return new Control(this.#base, prefix, this.#token)
  }
}
