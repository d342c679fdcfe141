/**
 * Which generated value of one side stands for which of the other. An id is paired with the one at the same place when
 * both appear for the first time; from then on each must appear wherever the other does.
 */

/** `chk_…` and the like, and UUIDs. What has no digit and no change of case is a word, such as `partially_refunded`. */
export const GENERATED =
  /\b[A-Za-z]+_(?=[A-Za-z]*(?:\d|[a-z][A-Z]))[0-9A-Za-z]{8,}\b|\b[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}\b/g

interface Pair {
  theirs: string
  /** Such as `captured as refund`, or where both were first seen: `$.id of step 1`. */
  role: string
}

export class Pairing {
  readonly #byOurs = new Map<string, Pair>()
  readonly #roleOfTheirs = new Map<string, string>()

  /** Values that the player has under the same name on both sides are paired from the beginning. */
  constructor(ours: ReadonlyMap<string, string>, theirs: ReadonlyMap<string, string>) {
    for (const [name, value] of ours) {
      const other = theirs.get(name)
      if (other !== undefined && isGenerated(value) && isGenerated(other))
        this.#pair(value, other, name.startsWith('uuid:') ? `sent as ${name}` : `captured as ${name}`)
    }
  }

  #pair(ours: string, theirs: string, role: string): void {
    this.#byOurs.set(ours, { theirs, role })
    this.#roleOfTheirs.set(theirs, role)
  }

  /** Whether two texts are the same but for generated values, which are paired at their first place. */
  agree(ours: string, theirs: string, place: string): boolean {
    const [one, another] = [partsOf(ours), partsOf(theirs)]
    if (one.between !== another.between || one.ids.length !== another.ids.length) return false
    return one.ids.every((id, index) => this.#isPair(id, another.ids[index]!, place))
  }

  /** Whether both are known to be the same, without a guess by their place. */
  arePaired(ours: unknown, theirs: unknown): boolean {
    if (typeof ours !== 'string' || typeof theirs !== 'string') return false
    return ours === theirs || this.#byOurs.get(ours)?.theirs === theirs
  }

  #isPair(ours: string, theirs: string, place: string): boolean {
    const known = this.#byOurs.get(ours)
    if (known !== undefined) return known.theirs === theirs
    if (this.#roleOfTheirs.has(theirs) || prefixOf(ours) !== prefixOf(theirs)) return false
    this.#pair(ours, theirs, place)
    return true
  }

  /** What an id of ours, or one of theirs, is known as. */
  roleOfOurs = (text: string): string => describe(text, (id) => this.#byOurs.get(id)?.role)
  roleOfTheirs = (text: string): string => describe(text, (id) => this.#roleOfTheirs.get(id))
}

const isGenerated = (text: string) => partsOf(text).between === HOLE

const HOLE = '\0'

const partsOf = (text: string) => ({
  ids: text.match(GENERATED) ?? [],
  between: text.replace(GENERATED, HOLE),
})

const prefixOf = (id: string) => /^[a-z]+_/i.exec(id)?.[0] ?? ''

function describe(text: string, roleOf: (id: string) => string | undefined): string {
  if (!isGenerated(text)) return JSON.stringify(text)
  const role = roleOf(text)
  return role === undefined ? 'an id that no earlier answer had' : `the id ${role}`
}
