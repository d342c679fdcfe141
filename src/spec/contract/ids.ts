/** D13: every id starts with a prefix for its kind. This is the only table of prefixes. */
import { z } from 'zod'
import { EXAMPLE_ID, exampleIdOf, ID_CHARS } from './example-id.ts'
import { byResource } from './resources/index.ts'

export { EXAMPLE_ID, ID_CHARS }

export const ID_PREFIXES = {
  ...byResource(({ prefix }) => prefix),
  event: 'evt_',
  delivery: 'dlv_',
  message: 'msg_',
  application: 'app_',
  session: 'ses_',
  request: 'req_',
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** Requests are numbered. */
const REQUEST_DIGITS = '[0-9]{1,15}'

/** Recognizes ids by the prefixes of their kinds and by how many characters follow. No prefix starts with another. */
export class KnownIds {
  readonly #prefixes: readonly [IdKind, string][]
  /** The source of a regular expression that matches an id anywhere in a text. */
  readonly pattern: string
  readonly #whole: RegExp
  readonly #anywhere: RegExp

  /** `chars`: the number of characters after a prefix; default: any number that a profile allows. */
  constructor(prefixes: Readonly<Partial<Record<IdKind, string>>>, chars?: number) {
    this.#prefixes = Object.entries(prefixes) as [IdKind, string][]
    const rest = `[0-9A-Za-z]{${chars ?? `${ID_CHARS.min},${ID_CHARS.max}`}}`
    const forms = this.#prefixes.map(
      ([kind, prefix]) => prefix + (kind === 'request' ? REQUEST_DIGITS : rest),
    )
    this.pattern = `(?<![0-9A-Za-z])(?:${forms.join('|')})(?![0-9A-Za-z])`
    this.#whole = new RegExp(`^(?:${forms.join('|')})$`)
    this.#anywhere = new RegExp(this.pattern, 'g')
  }

  /** By the prefix alone, because a client may also ask for `chk_nobody`; undefined for a text without a known prefix. */
  kindOf = (text: string): IdKind | undefined => this.#prefixAt(text)?.[0]

  prefixOf = (text: string): string | undefined => this.#prefixAt(text)?.[1]

  #prefixAt(text: string) {
    return this.#prefixes.find(([, prefix]) => text.startsWith(prefix))
  }

  /** Whether the whole text is an id. */
  isId = (text: string): boolean => this.#whole.test(text)

  /** The ids in a text, in order. */
  allIn(text: string): string[] {
    return text.match(this.#anywhere) ?? []
  }

  /** The text with each id replaced. */
  replaced(text: string, by: (id: string) => string): string {
    return text.replace(this.#anywhere, by)
  }
}

const DEFAULT_IDS = new KnownIds(ID_PREFIXES)

/** The kind of an id with a default prefix. */
export const idKindOf = DEFAULT_IDS.kindOf

/** The schema of an id in a response. */
export const id = (kind: IdKind) => z.string().meta({ example: exampleIdOf(ID_PREFIXES[kind]) })

/** Requests are numbered in order of arrival. */
export const requestId = (number: number) => `${ID_PREFIXES.request}${number}`

/** NaN for a text that is not a request's id. */
export function requestNumber(id: string): number {
  const isRequest = idKindOf(id) === 'request' && DEFAULT_IDS.isId(id)
  return isRequest ? Number(id.slice(ID_PREFIXES.request.length)) : Number.NaN
}
