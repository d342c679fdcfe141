/** Replaces secrets in everything that is written or shown, also in parts of a header and in any encoding. */
import { decoded } from './contract/endpoints.ts'
import { parsedJson } from './contract/parsed-json.ts'
import { xmlText } from './xml-text.ts'

/** A shorter value is unlikely to be a secret, and hiding it would hide parts of ordinary words. */
const MIN_CHARS = 6

/** The length of `whsec_`. Longer would not help with paysim's own secrets, which all start alike. */
const BEGINNING_CHARS = MIN_CHARS

interface SecretsOptions {
  /**
   * How many secrets are remembered; the oldest are dropped. Without a limit, a service that sends a new cookie with every
   * response would fill the memory.
   */
  latest?: number
  /**
   * What replaces a secret; default: dots. For requests that are played again it is a word that is valid in an address and a
   * header.
   */
  inPlace?: string
}

export class Secrets {
  /** All spellings of each secret, oldest secret first. */
  readonly #values = new Map<string, readonly string[]>()
  /**
   * The same spellings, by their first characters. Most lines contain none of these and need no further search, however many
   * secrets there are.
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

  /** Adds related values, such as the secrets of one request. They stay together even if there are more than `latest`. */
  addAll(values: readonly string[]): void {
    for (const value of values) this.#know(value)
    const room = Math.max(this.#latest, values.length)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= room) return
      this.#forget(oldest)
    }
  }

  /** The text with every known secret replaced. */
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
      // Longest first, because a shorter secret may be the start of a longer one.
      for (const value of [...values].sort((a, b) => b.length - a.length))
        hidden = hidden.replaceAll(value, this.#inPlace)
    }
    return hidden
  }

  /** In an address any character may be percent-encoded, so the decoded text is searched. */
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

/** The value unchanged, in JSON, in XML or HTML, in JSON inside XML, and in an address. */
function waysToWrite(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1)
  return [
    ...new Set([value, inJson, xmlText(value), xmlText(inJson), encodeURIComponent(value.toWellFormed())]),
  ]
}

/** Words in the names of headers, cookies and parameters whose values grant access. */
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

/** Most names have none of these words, and need not be split. */
const MAYBE_SECRET = new RegExp(['key', ...SECRET_WORDS].join('|'), 'i')

/** Words of harmless names, such as `nextPageToken`. */
const ORDINARY_WORDS = new Set(['page', 'next', 'cursor', 'continuation'])

export function hasSecretName(name: string): boolean {
  if (!MAYBE_SECRET.test(name)) return false
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  if (words.some((word) => ORDINARY_WORDS.has(word))) return false
  const joined = words.join('')
  return words.some((word) => SECRET_WORDS.has(word)) || joined === 'key' || /(api|access)key/.test(joined)
}

/** The secrets of a request or response: the values of headers and parameters with such names, and the parts of these values. */
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

/**
 * The texts in a JSON body whose field has such a name, such as `accessToken`. `authorization` is excluded, because it is a
 * resource there.
 */
export function secretsInBody(body: string): string[] {
  const found: string[] = []
  const read = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && hasSecretName(name.replace(/authorization/gi, ''))) found.push(inner)
      else read(inner)
    }
  }
  read(parsedJson(body))
  return found
}

/** A request's target without secrets, for the log. */
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
