/**
 * Recognizes values that a service generates in each run, ids and times, so that two runs of the same requests can be compared.
 */
import type { KnownIds } from '../../spec/contract/ids.ts'
import { TIMES } from '../../spec/contract/time.ts'

const UUID = String.raw`\b[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}\b`

/**
 * An id of a service whose prefixes are not known, such as `chk_…` or `pay-…`. A text without a digit or a change of case is a
 * word, such as `partially_refunded`.
 */
const FOREIGN = String.raw`\b[A-Za-z]+[_-](?=[A-Za-z]*(?:\d|[a-z][A-Z]))[0-9A-Za-z]{8,}\b`

const WHOLE_UUID = new RegExp(`^${UUID}$`)
export const isUuid = (text: string): boolean => WHOLE_UUID.test(text)

const HOLE = '\0'

export class MadeAnew {
  readonly #known: readonly KnownIds[]
  readonly #anywhere: RegExp
  readonly #whole: RegExp

  /** `known`: the ids of known contracts. */
  constructor(...known: readonly KnownIds[]) {
    this.#known = known
    const forms = [UUID, ...known.map(({ pattern }) => pattern), FOREIGN].join('|')
    this.#anywhere = new RegExp(forms, 'g')
    this.#whole = new RegExp(`^(?:${forms})$`)
  }

  /** Whether the whole text is an id. */
  is(text: string): boolean {
    return this.#whole.test(text)
  }

  /** The ids in a text, and the text around them. */
  partsOf(text: string): { ids: readonly string[]; between: string } {
    return { ids: text.match(this.#anywhere) ?? [], between: text.replace(this.#anywhere, HOLE) }
  }

  /** None for a UUID. */
  prefixOf(id: string): string {
    const known = this.#known.find((known) => known.isId(id))?.prefixOf(id)
    return known ?? /^[a-z]+[_-](?=[0-9a-z]*$)/i.exec(id)?.[0] ?? ''
  }

  /** The line with each id and time replaced by its kind. */
  lasting(line: string): string {
    return line.replace(this.#anywhere, (id) => this.prefixOf(id)).replace(TIMES, 'time')
  }
}

/** For a service without a known contract. */
export const OF_ANY_SERVICE = new MadeAnew()
