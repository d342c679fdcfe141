/** The one place that hides secrets in what is written or shown: by their parts, and however they are written there. */
import { xmlText } from './xml-text.ts'

/** A shorter value is unlikely to be a secret, and hiding it would hide parts of ordinary words. */
const MIN_CHARS = 6

/** As long as `whsec_`: the secrets of a thousand sandboxes begin with the same few words. */
const BEGINNING_CHARS = MIN_CHARS

export interface SecretsOptions {
  /** So many are known at a time; the oldest are forgotten. A service that changes a cookie with every answer adds one with each. */
  latest?: number
  /** What stands in their place. What is played again needs a word that an address and a header can have. */
  inPlace?: string
}

export class Secrets {
  /** Each with how it may be written, the oldest first. */
  readonly #values = new Map<string, readonly string[]>()
  /**
   * What is hidden, by how it begins. A line without any of the beginnings, as nearly all are, is done after looking for
   * these, however many sandboxes there were.
   */
  readonly #written = new Map<string, Set<string>>()
  readonly #latest: number
  readonly #inPlace: string

  constructor({ latest = Number.POSITIVE_INFINITY, inPlace = '••••' }: SecretsOptions = {}) {
    this.#latest = latest
    this.#inPlace = inPlace
  }

  add(value: string | undefined): void {
    if (value !== undefined) this.addAll([value])
  }

  /** What comes together is known together, also where it is more than so many. */
  addAll(values: readonly string[]): void {
    for (const value of values) this.#know(value)
    const room = Math.max(this.#latest, values.length)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= room) return
      this.#forget(oldest)
    }
  }

  /** The text without them. */
  hide(text: string): string {
    const hidden = this.#hideWritten(text)
    return hidden.includes('%') ? this.#hidePercentEncoded(hidden) : hidden
  }

  #know(value: string): void {
    if (value.length < MIN_CHARS) return
    const known = this.#values.get(value)
    this.#values.delete(value)
    this.#values.set(value, known ?? waysToWrite(value))
    for (const written of known ? [] : this.#values.get(value)!) {
      const beginning = written.slice(0, BEGINNING_CHARS)
      this.#written.set(beginning, (this.#written.get(beginning) ?? new Set()).add(written))
    }
  }

  #forget(value: string): void {
    for (const written of this.#values.get(value)!) {
      const beginning = written.slice(0, BEGINNING_CHARS)
      const others = this.#written.get(beginning)!
      others.delete(written)
      if (others.size === 0) this.#written.delete(beginning)
    }
    this.#values.delete(value)
  }

  #hideWritten(text: string): string {
    let hidden = text
    for (const [beginning, values] of this.#written) {
      if (!hidden.includes(beginning)) continue
      // A shorter one may be the beginning of a longer one.
      for (const value of [...values].sort((one, other) => other.length - one.length))
        hidden = hidden.replaceAll(value, this.#inPlace)
    }
    return hidden
  }

  /** Any character may be encoded, also one that needs not be. */
  #hidePercentEncoded(text: string): string {
    return text.replaceAll(/[^\s"'<>&?#]+/g, (run) => {
      if (!run.includes('%')) return run
      const plain = run.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      const hidden = this.#hideWritten(plain)
      return hidden === plain ? run : hidden
    })
  }
}

/** As it is, and as it is written in JSON, in XML and HTML, in both, and in an address. */
function waysToWrite(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1)
  return [
    ...new Set([value, inJson, xmlText(value), xmlText(inJson), encodeURIComponent(value.toWellFormed())]),
  ]
}

/** Words in the names of headers, cookies and parameters whose values let somebody in. */
const SECRET_WORDS = new Set([
  ...[
    'authorization',
    'auth',
    'cookie',
    'csrf',
    'xsrf',
    'jwt',
    'bearer',
    'apikey',
    'accesskey',
    'credentials',
  ],
  ...['token', 'secret', 'password', 'passwd', 'pwd', 'session', 'sessionid', 'sid', 'signature', 'sig'],
])

/** A list's next page has a token too, which is no secret. */
const ORDINARY_WORDS = new Set(['page', 'next', 'cursor', 'continuation'])

export function hasSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  if (words.some((word) => ORDINARY_WORDS.has(word))) return false
  const joined = words.join('')
  return words.some((word) => SECRET_WORDS.has(word)) || joined === 'key' || /(api|access)key/.test(joined)
}

/** The secrets of a request or an answer: of each header and parameter with such a name the value, and its parts. */
export function secretsIn({
  target = '',
  headers,
}: {
  target?: string | undefined
  headers: Iterable<readonly [name: string, value: string]>
}): string[] {
  const inHeaders = [...headers].flatMap(([name, value]) =>
    hasSecretName(name) ? [value, ...partsOf(name.toLowerCase(), value)] : [],
  )
  return [...inHeaders, ...parametersOf(target)].flatMap((value) => [value, decoded(value)])
}

/** The target of a request as a log may have it. */
export function shownTarget(target: string, apiKey: string): string {
  if (!/[?%]/.test(target) && !target.includes(apiKey)) return target
  const secrets = new Secrets()
  secrets.addAll([apiKey, ...secretsIn({ target, headers: [] })])
  return secrets.hide(target)
}

function partsOf(header: string, value: string): string[] {
  if (header === 'cookie') return value.split(/;\s*/).map(afterEquals)
  if (header === 'set-cookie') return [afterEquals(value.split(';', 1)[0]!)]
  const [, scheme = '', credentials] = /^(\S+)\s+(.+)$/s.exec(value) ?? []
  if (credentials === undefined) return []
  if (scheme.toLowerCase() !== 'basic') return [credentials]
  const pair = Buffer.from(credentials, 'base64').toString('utf8')
  return [credentials, pair, ...pair.split(/:(.*)/s)]
}

const afterEquals = (pair: string) => pair.replace(/^[^=]*=/, '').replace(/^"(.*)"$/s, '$1')

const parametersOf = (target: string): string[] =>
  (target.split('?', 2)[1] ?? '')
    .split('&')
    .flatMap((pair) => (hasSecretName(decoded(pair.split('=', 1)[0]!)) ? [afterEquals(pair)] : []))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
