/**
 * §4: a request that is sent again with the same Idempotency-Key gets the first answer again, and nothing runs twice.
 *
 * A key is claimed in memory while its request is under way, so a second request meets 409 and a crash leaves no key
 * stuck (D45). Its answer is recorded in the operation's own transaction, so there is no effect without a record.
 */
import { keyInFlight, keyReused, malformedKey } from '../contract/errors.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_RETENTION_MS } from '../contract/limits.ts'
import type { Input, Operation, Performed } from '../operations/operation.ts'
import type { RecordedAnswer } from '../store/answers.ts'
import type { Store } from '../store/store.ts'

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/

/** D31: any printable ASCII, taken literally; sent once. */
export function parseKey(sent: readonly string[]): string | undefined {
  const [key] = sent
  if (key === undefined) return undefined
  if (sent.length > 1 || key.length > IDEMPOTENCY_KEY_MAX_CHARS || !PRINTABLE_ASCII.test(key))
    throw malformedKey()
  return key
}

/** D33: bodies are kept as sent and compared as parsed: key order, white space and `1000` against `1000.00` make no difference. */
const sameBody = (a: string, b: string) => a === b || canonical(JSON.parse(a)) === canonical(JSON.parse(b))

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}

/** D32: the same key on another endpoint, or for another id, is another key. */
const scopeOf = (operation: Operation, params: Input['params']) =>
  [operation.id, ...Object.values(params)].join(' ')

export class Idempotency {
  #underWay = new Set<string>()

  /** Takes a key for one request: it replays, it is refused, or it holds the key until it is released. */
  claim(
    store: Store,
    operation: Operation,
    params: Input['params'],
    key: string,
    body: string,
    now: number,
  ): KeyClaim {
    const scope = scopeOf(operation, params)
    const name = `${scope}\n${key}`
    if (this.#underWay.has(name)) throw keyInFlight()

    const recorded = store.answers.find(key, scope)
    if (recorded && now < recorded.createdAt + IDEMPOTENCY_RETENTION_MS) {
      return new KeyClaim(key, scope, body, recorded, () => {})
    }
    this.#underWay.add(name)
    return new KeyClaim(key, scope, body, undefined, () => this.#underWay.delete(name))
  }

  /** How many keys are held by requests under way. */
  get held(): number {
    return this.#underWay.size
  }
}

export class KeyClaim {
  readonly #key: string
  readonly #scope: string
  /** The body that came with the key this time. */
  readonly given: string
  readonly recorded: RecordedAnswer | undefined
  readonly release: () => void
  /** Whether this is the request that was answered before. */
  readonly isRepeated: boolean

  constructor(
    key: string,
    scope: string,
    given: string,
    recorded: RecordedAnswer | undefined,
    release: () => void,
  ) {
    this.#key = key
    this.#scope = scope
    this.given = given
    this.recorded = recorded
    this.release = release
    this.isRepeated = recorded !== undefined && sameBody(recorded.request, given)
  }

  /** The answer to give again, if there is one; another body under the same key is refused. */
  replay(): RecordedAnswer | undefined {
    if (this.recorded && !this.isRepeated) throw keyReused()
    return this.recorded
  }

  /** Keeps the answer, in the transaction that it answers for. */
  record({ answers }: Store, { status, body, location }: Performed, now: number): void {
    answers.expire(now - IDEMPOTENCY_RETENTION_MS)
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
