/**
 * The service's names of fields. A field of ours has the same name in its responses, or the name of the one unknown field that has
 * its value in every pair of responses to the same request. Ids differ on both sides, so they are compared as pairs.
 */

import { isDeepStrictEqual } from 'node:util'
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { FIELDS, nameKeys, OBJECT_KINDS, type ObjectKind, PARTS } from '../../spec/contract/profile-kinds.ts'
import { inverted, withNames } from '../../spec/contract/renaming.ts'
import { oneOfKind } from '../../spec/contract/resources/index.ts'
import { isSuccess } from '../../spec/exchange.ts'
import { groupBy } from '../../spec/grouping.ts'
import { Alike } from '../../tester/alike/alike.ts'
import { type JsonFields, jsonOf, type SeenExchange, type Sighting } from './evidence.ts'

/** The same object on both sides. */
export interface Pair {
  ours: JsonFields
  theirs: JsonFields
  exchange: SeenExchange
}

export class Names {
  readonly seen: Sighting[] = []
  /** The fields whose names are unknown. */
  readonly remarks: string[] = []
  readonly #pairs = byKind((): Pair[] => [])
  readonly #names = byKind(() => new Map<string, string>())
  readonly #alike = new Alike()

  constructor(exchanges: readonly SeenExchange[]) {
    const pages: [ObjectKind, Pair][] = []
    for (const exchange of exchanges) {
      const { operation, ours, json } = exchange
      if (!operation || !ours || !isSuccess(ours) || !exchange.isSuccess) continue
      const own = jsonOf(ours)
      if (!isObject(own) || !isObject(json)) continue
      const { what, does } = ENDPOINTS[operation]
      const pair = { ours: own, theirs: json, exchange }
      if (does === 'list') pages.push([what, pair])
      else this.#pairs.get(what)!.push(pair)
    }
    for (const kind of OBJECT_KINDS) this.#learn(kind)
    // Items are found on both sides by the ids of resources, so these come first.
    for (const [kind, page] of pages) this.#pairs.get(kind)!.push(...this.#itemPairs(page))
    for (const kind of OBJECT_KINDS) {
      this.#learn(kind)
      const { own, names } = this.unknown(kind)
      if (own.length > 0 && names.length > 0)
        this.remarks.push(
          `Unknown fields of ${oneOfKind(kind)}: ${names.join(', ')}. Missing: ${own.join(', ')}. If these are the same under other names, write fields.${kind} by hand.`,
        )
    }
  }

  /** The service's names for the fields of a kind, keyed by the default names. */
  of = (kind: ObjectKind): Readonly<Record<string, string>> => Object.fromEntries(this.#names.get(kind)!)

  /** The objects of a kind on both sides; the service's are translated to the default names where they are known. */
  pairs(kind: ObjectKind): Pair[] {
    const own = inverted(this.of(kind))
    return this.#pairs
      .get(kind)!
      .map((pair) => ({ ...pair, theirs: withNames(pair.theirs, own) as JsonFields }))
  }

  /** Our fields without a name, and the names in the service's responses that are not assigned to a field. */
  unknown(kind: ObjectKind): { own: readonly string[]; names: readonly string[] } {
    const known = this.#names.get(kind)!
    const pairs = this.#pairs.get(kind)!
    const names = new Set<string>()
    for (const { theirs } of pairs) for (const name of Object.keys(theirs)) names.add(name)
    for (const name of known.values()) names.delete(name)
    const own = pairs.length === 0 ? [] : FIELDS[kind].filter((own) => !known.has(own))
    return { own, names: [...names] }
  }

  /** Items with the same known ids on both sides. If several items have the same ids, they are paired in order. */
  #itemPairs({ ours, theirs, exchange }: Pair): Pair[] {
    const itemsIn = (page: JsonFields, read: (id: string) => string) =>
      groupBy(Object.values(page).find(Array.isArray)?.filter(isObject) ?? [], (item) => {
        const ids = textsIn(item).map(read)
        return [...new Set(ids.filter((id) => this.#alike.isPaired(id)))].sort().join()
      })
    const here = itemsIn(ours, (id) => id)
    const there = itemsIn(theirs, (id) => this.#alike.oursFor(id))
    return [...there].flatMap(([ids, items]) => {
      const same = ids === '' ? undefined : here.get(ids)
      if (same?.length !== items.length) return []
      return items.map((item, index) => ({ ours: same[index]!, theirs: item, exchange }))
    })
  }

  #learn(kind: ObjectKind): void {
    const field = FIELD_OF_PART[kind]
    if (field) this.#pairs.set(kind, this.#parts(field))
    const pairs = this.#pairs.get(kind)!
    const keys = nameKeys(kind)
    for (const own of this.unknown(kind).own)
      if (!(own in keys) || pairs.every(({ theirs }) => Object.hasOwn(theirs, own)))
        this.#found(kind, own, own)
    const { own: open, names: free } = this.unknown(kind)
    // A value that is always null has any of several names, but the last unknown name belongs to the last field without one.
    const isLast = open.length === 1 && free.length === 1
    const fits = open
      .filter((own) => isLast || pairs.some(({ ours }) => ours[own] !== null))
      .flatMap((own) =>
        free.filter((name) => this.#hasValueOf(own, name, pairs)).map((name) => ({ own, name })),
      )
    for (const { own, name } of fits)
      if (fits.filter((fit) => fit.own === own || fit.name === name).length === 1)
        this.#found(kind, own, name)
  }

  /** The objects in a field of the payment methods. */
  #parts(field: string): Pair[] {
    const name = this.#names.get('payment_method')!.get(field) ?? ''
    return this.#pairs.get('payment_method')!.flatMap(({ ours, theirs, exchange }) => {
      const [here, there] = [ours[field], theirs[name]]
      return isObject(here) && isObject(there) ? [{ ours: here, theirs: there, exchange }] : []
    })
  }

  #found(kind: ObjectKind, own: string, name: string): void {
    const pairs = this.#pairs.get(kind)!
    this.#names.get(kind)!.set(own, name)
    const { exchange } = pairs[0]!
    if (own in nameKeys(kind)) this.seen.push({ key: `fields.${kind}.${own}`, value: name, exchange })
    for (const { ours, theirs } of pairs) {
      const [here, there] = [ours[own], theirs[name]]
      if (isId(here) && isId(there)) this.#alike.pair(here, there)
    }
  }

  #hasValueOf(own: string, name: string, pairs: readonly Pair[]): boolean {
    const fresh = new Alike()
    return pairs.every(({ ours, theirs }) => {
      const [here, there] = [ours[own], theirs[name]]
      if (!isId(here) || !isId(there)) return isDeepStrictEqual(here, there)
      if (this.#alike.isPaired(here)) return this.#alike.arePaired(here, there)
      if (this.#alike.oursFor(there) !== there) return false
      return fresh.stands(here, there) && fresh.oursFor(there) === here
    })
  }
}

const byKind = <Value>(of: () => Value) => new Map(OBJECT_KINDS.map((kind) => [kind, of()]))

/** The fields that contain the objects inside a payment method, by kind. */
const FIELD_OF_PART: Readonly<Partial<Record<ObjectKind, string>>> = inverted(PARTS)

/** Not a word, which may be any constant. */
const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^\d+$|^(?=.*\d)[\w-]{8,}$/.test(value)

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
