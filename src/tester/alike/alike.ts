/**
 * Pairs the ids and times of two sides that each made their own. A caller that knows which field an id comes
 * from pairs it (`pair`); other ids are paired with the one at the same place at their first appearance. From
 * then on each must appear wherever the other does.
 */
import { WIRE_TIMES } from './time-order.ts'

/**
 * Matches generated values: UUIDs, and `chk_…`, `pay-…` and the like. A text without a digit or a change of case is a
 * word, such as `partially_refunded`.
 */
const GENERATED =
  /\b[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}\b|\b[A-Za-z]+[_-](?=[A-Za-z]*(?:\d|[a-z][A-Z]))[0-9A-Za-z]{8,}\b/g

interface Pair {
  ours: string
  theirs: string
  /** Such as `captured as refund`, or where both were first seen: `$.id of step 1`. */
  role: string
}

export class Alike {
  readonly #byOurs = new Map<string, Pair>()
  readonly #byTheirs = new Map<string, Pair>()
  readonly #toldPrefix = new Set<string>()

  /** For callers that know that both ids mean the same thing. The first pair of a value of theirs stays. */
  pair(ours: string, theirs: string, role = ''): void {
    if (this.#byTheirs.has(theirs)) return
    const pair = { ours, theirs, role }
    this.#byOurs.set(ours, pair)
    this.#byTheirs.set(theirs, pair)
  }

  /** Values that the player has under the same name on both sides. */
  pairNamed(ours: ReadonlyMap<string, string>, theirs: ReadonlyMap<string, string>): void {
    for (const [name, value] of ours) {
      const other = theirs.get(name)
      if (other !== undefined && isGenerated(value) && isGenerated(other))
        this.pair(value, other, name.startsWith('uuid:') ? `sent as ${name}` : `captured as ${name}`)
    }
  }

  /** Whether two texts are the same but for generated values, which are paired at their first place. */
  agree(ours: string, theirs: string, place: string): boolean {
    const [one, another] = [partsOf(ours), partsOf(theirs)]
    if (one.between !== another.between || one.ids.length !== another.ids.length) return false
    return one.ids.every((id, index) => this.#isPair(id, another.ids[index]!, place))
  }

  #isPair(ours: string, theirs: string, place: string): boolean {
    const known = this.#byOurs.get(ours)
    if (known !== undefined) return known.theirs === theirs
    if (this.#byTheirs.has(theirs) || prefixOf(ours) !== prefixOf(theirs)) return false
    this.pair(ours, theirs, place)
    return true
  }

  /**
   * The two prefixes, where two generated ids at the same place differ in them. Reported once for each id;
   * the ids are a pair from then on.
   */
  otherPrefix(ours: string, theirs: string, place: string): Record<'ours' | 'theirs', string> | undefined {
    const prefixes = { ours: prefixOf(ours), theirs: prefixOf(theirs) }
    if (prefixes.ours === prefixes.theirs || !isGenerated(ours) || !isGenerated(theirs)) return undefined
    const known = this.#byOurs.get(ours)
    if (this.#toldPrefix.has(ours) || known?.theirs !== this.#byTheirs.get(theirs)?.theirs) return undefined
    this.#toldPrefix.add(ours)
    this.pair(ours, theirs, place)
    return prefixes
  }

  /** Whether both are known to be the same; their place is not considered. */
  arePaired(ours: unknown, theirs: unknown): boolean {
    return typeof ours === 'string' && (ours === theirs || this.#byOurs.get(ours)?.theirs === theirs)
  }

  isPaired(ours: string): boolean {
    return this.#byOurs.has(ours)
  }

  /** Our value for one of theirs; an unknown one is returned as it is. */
  oursFor<Value>(theirs: Value): Value | string {
    return (typeof theirs === 'string' ? this.#byTheirs.get(theirs)?.ours : undefined) ?? theirs
  }

  /**
   * Replaces their ids in a text by ours, and adds these to `found`. Looks up whole words: a proxy that ran
   * for a day knows thousands of ids.
   */
  inOurs(text: string, found: Map<string, string>): string {
    return text.replaceAll(/[\w-]+/g, (id, at: number) => {
      const known = this.#byTheirs.get(id)
      if (known === undefined || (/^\d+$/.test(id) && !isAlone(text, at, id.length))) return id
      found.set(id, known.ours)
      return known.ours
    })
  }

  /** How an id of ours, or of theirs, is called in a report. */
  roleOfOurs = (text: string): string => describe(text, this.#byOurs)
  roleOfTheirs = (text: string): string => describe(text, this.#byTheirs)
}

/** The line with each id and time replaced by its kind, so that lines of two runs can be compared. */
export const lasting = (line: string): string => line.replace(GENERATED, prefixOf).replace(WIRE_TIMES, 'time')

const WHOLE = new RegExp(`^(?:${GENERATED.source})$`)
export const isGenerated = (text: string) => WHOLE.test(text)

const HOLE = '\0'

const partsOf = (text: string) => ({
  ids: text.match(GENERATED) ?? [],
  between: text.replace(GENERATED, HOLE),
})

/** None for a UUID. */
const prefixOf = (id: string) => /^[a-z]+[_-](?=[0-9a-z]*$)/i.exec(id)?.[0] ?? ''

/**
 * Whether a number is a text of its own or a segment of a path. Elsewhere it may be an amount, so it is not
 * taken for an id.
 */
const isAlone = (text: string, at: number, length: number) =>
  /^["/=]?$/.test(text.slice(Math.max(0, at - 1), at)) &&
  /^["/?&]?$/.test(text.slice(at + length, at + length + 1))

function describe(text: string, known: ReadonlyMap<string, Pair>): string {
  if (!isGenerated(text)) return JSON.stringify(text)
  const role = known.get(text)?.role
  return role === undefined ? 'an id that no earlier answer had' : `the id ${role}`
}
