/**
 * §4: a request repeated with the same Idempotency-Key gets the first response, and the operation runs once. A key is claimed in
 * memory while its request is in flight, so a second request gets 409 and a crash leaves no key locked (D45). The response is
 * recorded in the operation's own transaction, so every effect has its record.
 */
import { isDeepStrictEqual } from 'node:util'
import { keyInFlight, keyReused, malformedKey } from '../../spec/contract/errors.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../spec/contract/limits.ts'
import type { Answering, Input, Performed } from '../operations/operation.ts'
import type { RecordedAnswer } from '../store/answers.ts'
import type { Store } from '../store/store.ts'

/** The verdict on a request's key, for the journal. */
export type IdempotencyVerdict =
  | { verdict: 'no key' | 'not honored' | 'first use' | 'in flight' }
  | { verdict: 'replayed'; firstUsedAt: number }
  | { verdict: 'reused with another body'; firstUsedAt: number; recorded: string; given: string }

export const NO_KEY: IdempotencyVerdict = { verdict: 'no key' }
export const KEY_NOT_HONORED: IdempotencyVerdict = { verdict: 'not honored' }
export const KEY_IN_FLIGHT: IdempotencyVerdict = { verdict: 'in flight' }
const FIRST_USE: IdempotencyVerdict = { verdict: 'first use' }

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/

/** D31: printable ASCII, sent once and compared exactly. Null for a missing or malformed key. */
export function keyIn(sent: readonly string[]): string | null {
  const [key] = sent
  const isKey =
    key !== undefined &&
    sent.length === 1 &&
    key.length <= IDEMPOTENCY_KEY_MAX_CHARS &&
    PRINTABLE_ASCII.test(key)
  return isKey ? key : null
}

/** `sent`: the request's headers with a key. */
export function requireKey(key: string | null, sent: readonly string[]): string | undefined {
  if (key === null && sent.length > 0) throw malformedKey()
  return key ?? undefined
}

/** D33: bodies are compared as parsed, so field order, white space and `1000` against `1000.00` make no difference. */
const sameBody = (a: string, b: string) => a === b || isDeepStrictEqual(parsed(a), parsed(b))

/** Turns -0 into 0: isDeepStrictEqual distinguishes them, but JSON.stringify does not. */
const parsed = (body: string): unknown => JSON.parse(body, (_name, value) => (value === 0 ? 0 : value))

/** D32: the same key on another endpoint, for another id, or on another path that a stub answers, is another key. */
export const scopeOf = ({ id, method }: Answering, params: Input['params'], path: string) =>
  id === null ? `${method} ${path}` : [id, ...Object.values(params)].join(' ')

export class Idempotency {
  #inFlight = new Set<string>()
  /** D46 */
  readonly #keepMs: number

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  /** Claims a key for one request, until it is released; refused while another request holds it. */
  claim(scope: string, key: string, body: string): KeyClaim {
    const name = `${scope}\n${key}`
    if (this.#inFlight.has(name)) throw keyInFlight()
    this.#inFlight.add(name)
    return new KeyClaim(key, scope, body, this.#keepMs, () => this.#inFlight.delete(name))
  }

  /** How many keys requests in flight have claimed. */
  get claimed(): number {
    return this.#inFlight.size
  }
}

export class KeyClaim {
  readonly #key: string
  readonly #scope: string
  readonly #keepMs: number
  /** The body of this request. */
  readonly given: string
  #recorded: RecordedAnswer | undefined
  /** Whether the key's first request was the same one. */
  #isRepeated = false
  readonly release: () => void

  constructor(key: string, scope: string, given: string, keepMs: number, release: () => void) {
    this.#key = key
    this.#scope = scope
    this.given = given
    this.#keepMs = keepMs
    this.release = release
  }

  /** Looks up the key's earlier response in the current database. */
  look({ answers }: Store, now: number): void {
    const recorded = answers.find(this.#key, this.#scope)
    const isKept = recorded !== undefined && now < recorded.createdAt + this.#keepMs
    this.#recorded = isKept ? recorded : undefined
    this.#isRepeated = isKept && sameBody(recorded.request, this.given)
  }

  get verdict(): IdempotencyVerdict {
    const recorded = this.#recorded
    if (!recorded) return FIRST_USE
    const firstUsedAt = recorded.createdAt
    if (this.#isRepeated) return { verdict: 'replayed', firstUsedAt }
    return { verdict: 'reused with another body', firstUsedAt, recorded: recorded.request, given: this.given }
  }

  /** The response to replay, if there is one; the same key with another body is refused. */
  replay(): RecordedAnswer | undefined {
    if (this.#recorded && !this.#isRepeated) throw keyReused()
    return this.#recorded
  }

  /** Stores the answer; called in the operation's transaction. */
  record({ answers }: Store, { status, body, location }: Performed, now: number): void {
    answers.expire(now - this.#keepMs)
    const request = this.given
    answers.insert({
      key: this.#key,
      operation: this.#scope,
      request,
      status,
      body,
      location,
      createdAt: now,
    })
  }
}
