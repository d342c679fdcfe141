/**
 * Pairs the ids and times that two sides generated separately. A caller that knows an id's field pairs it (`pair`); other ids are
 * paired with the one at the same place when they first appear. From then on each must appear wherever the other does.
 */
import type { KnownIds } from '../../spec/contract/ids.ts'
import { MadeAnew, OF_ANY_SERVICE } from './made-anew.ts'

interface Pair {
  ours: string
  theirs: string
  /** Such as `captured as refund`, or the place of their first appearance: `$.id of step 1`. */
  role: string
}

export class Alike {
  readonly #byOurs = new Map<string, Pair>()
  readonly #byTheirs = new Map<string, Pair>()
  readonly #toldPrefix = new Set<string>()
  readonly #madeAnew: MadeAnew

  /** `known`: the ids of the contracts of both sides. */
  constructor(...known: readonly KnownIds[]) {
    this.#madeAnew = known.length === 0 ? OF_ANY_SERVICE : new MadeAnew(...known)
  }

  /** For callers that know that both ids mean the same thing. The first pair of each foreign value wins. */
  pair(ours: string, theirs: string, role = ''): void {
    if (this.#byTheirs.has(theirs)) return
    const pair = { ours, theirs, role }
    this.#byOurs.set(ours, pair)
    this.#byTheirs.set(theirs, pair)
  }

  /** Values that the player has under the same name on both sides. */
  pairNamed(ours: ReadonlyMap<string, string>, theirs: ReadonlyMap<string, string>): void {
    for (const [name, value] of ours) {
      const pair = theirs.get(name)
      if (pair !== undefined && this.#madeAnew.is(value) && this.#madeAnew.is(pair))
        this.pair(value, pair, name.startsWith('uuid:') ? `sent as ${name}` : `captured as ${name}`)
    }
  }

  /** Whether two texts are equal except for generated values, which are paired at their first place. */
  agree(ours: string, theirs: string, place: string): boolean {
    const [ourParts, another] = [this.#madeAnew.partsOf(ours), this.#madeAnew.partsOf(theirs)]
    if (ourParts.between !== another.between || ourParts.ids.length !== another.ids.length) return false
    return ourParts.ids.every((id, index) => this.#isPair(id, another.ids[index]!, place))
  }

  #isPair(ours: string, theirs: string, place: string): boolean {
    const isSameKind = this.#madeAnew.prefixOf(ours) === this.#madeAnew.prefixOf(theirs)
    return (isSameKind || this.#byOurs.has(ours)) && this.stands(ours, theirs, place)
  }

  /** Whether the values correspond: they are a pair, or become one because neither has a partner. */
  stands(ours: string, theirs: string, place = ''): boolean {
    if (!this.#byOurs.has(ours)) this.pair(ours, theirs, place)
    return this.#byOurs.get(ours)?.theirs === theirs
  }

  /**
   * The two prefixes, if two generated ids at the same place differ in them. Reported once for each id; the ids are a pair from
   * then on.
   */
  otherPrefix(ours: string, theirs: string, place: string): Record<'ours' | 'theirs', string> | undefined {
    const made = this.#madeAnew
    if (!made.is(ours) || !made.is(theirs)) return undefined
    const prefixes = { ours: made.prefixOf(ours), theirs: made.prefixOf(theirs) }
    if (prefixes.ours === prefixes.theirs) return undefined
    const known = this.#byOurs.get(ours)
    if (this.#toldPrefix.has(ours) || known?.theirs !== this.#byTheirs.get(theirs)?.theirs) return undefined
    this.#toldPrefix.add(ours)
    this.pair(ours, theirs, place)
    return prefixes
  }

  /** Whether both are known to be the same; their place is not considered. */
  arePaired(ours: unknown, theirs: unknown): boolean {
    return typeof ours === 'string' && this.isPaired(ours) && this.#byOurs.get(ours)?.theirs === theirs
  }

  isPaired(ours: string): boolean {
    return this.#byOurs.has(ours)
  }

  /** Our value for a foreign one; an unknown one is returned unchanged. */
  oursFor<Value>(theirs: Value): Value | string {
    return (typeof theirs === 'string' ? this.#byTheirs.get(theirs)?.ours : undefined) ?? theirs
  }

  /** Replaces foreign ids in a text by ours. Looks up whole words, because a long recording has thousands of ids. */
  inOurs(text: string): string {
    return text.replaceAll(/[\w-]+/g, (id, at: number) => {
      const known = this.#byTheirs.get(id)
      return known === undefined || (/^\d+$/.test(id) && !isAlone(text, at, id.length)) ? id : known.ours
    })
  }

  /** The label of an id in a report. */
  roleOfOurs = (text: string): string => this.#describe(text, this.#byOurs)
  roleOfTheirs = (text: string): string => this.#describe(text, this.#byTheirs)

  #describe(text: string, known: ReadonlyMap<string, Pair>): string {
    if (!this.#madeAnew.is(text)) return JSON.stringify(text)
    const role = known.get(text)?.role
    return role === undefined ? 'an id that no earlier answer had' : `the id ${role}`
  }
}

/** Whether a number is the whole text or a segment of a path. Elsewhere it may be an amount, so it is not taken for an id. */
const isAlone = (text: string, at: number, length: number) =>
  /^["/=]?$/.test(text.slice(Math.max(0, at - 1), at)) &&
  /^["/?&]?$/.test(text.slice(at + length, at + length + 1))
