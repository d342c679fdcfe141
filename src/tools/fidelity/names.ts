/**
 * Finds what a service calls the fields whose names the specification leaves open. A field has the same name in the service's
 * responses, or the name in a refusal of the missing field, or the name of the only unknown field with its value in every pair of
 * responses to the same request.
 */
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import {
  FIELDS,
  nameKeys,
  OBJECT_KINDS,
  type ObjectKind,
  oneOfKind,
  PARTS,
} from '../../spec/contract/profile-kinds.ts'
import { readMessage } from '../../spec/contract/refusal-text.ts'
import { inverted, withNames } from '../../spec/contract/renaming.ts'
import { isTime } from '../../spec/contract/time.ts'
import { operationOf } from '../../spec/contract/translation.ts'
import { Alike } from '../../tester/alike/alike.ts'
import { OF_ANY_SERVICE } from '../../tester/alike/made-anew.ts'
import { groupBy } from '../../tester/audit/picture.ts'
import {
  isSuccess,
  type JsonFields,
  refusalMessage,
  type ServiceEvidence,
  type ServiceExchange,
} from './evidence.ts'

/** The same object on both sides. */
export interface Pair {
  ours: JsonFields
  theirs: JsonFields
  seenIn: string
}

interface Page extends Pair {
  kind: ObjectKind
}

export interface SeenName {
  kind: ObjectKind
  /** The default name, and the service's. */
  own: string
  name: string
  seenIn: string
}

const KINDS = OBJECT_KINDS
/** The fields that contain the objects inside a payment method, by kind. */
const FIELD_OF_PART: Readonly<Partial<Record<ObjectKind, string>>> = inverted(PARTS)

export class Names {
  readonly seen: SeenName[] = []
  /** Why fields have no name yet. */
  readonly remarks: string[] = []
  readonly #pairs = new Map<ObjectKind, Pair[]>(KINDS.map((kind) => [kind, []]))
  readonly #names = new Map<ObjectKind, Map<string, string>>(KINDS.map((kind) => [kind, new Map()]))
  readonly #alike = new Alike()

  constructor({ exchanges, webhooks, ownEvents = [] }: ServiceEvidence) {
    const pages = exchanges.flatMap((exchange) => this.#collect(exchange))
    for (const { kind, own, name } of namesInRefusals(exchanges))
      if (!this.#isNamed(kind, own)) this.#found(kind, own, name)
    // Ids first, because they identify the fields of other kinds that refer to this kind.
    for (const kind of KINDS) this.#resolve(kind, ['id'])
    this.#resolveAll()
    const sent = webhooks.map(({ body }) => jsonIn(body.toString('utf8')))
    const events = { ours: { data: ownEvents }, theirs: { data: sent }, seenIn: webhooks[0]?.seenIn ?? '' }
    // List items come last: they are matched by the ids of objects.
    for (const { kind, ...page } of [...pages, { kind: 'event' as const, ...events }])
      this.#pairs.get(kind)!.push(...this.#itemPairs(page))
    this.#resolveAll()
    for (const kind of KINDS) {
      const { own, names } = this.unsure(kind)
      if (names.length > 0)
        this.remarks.push(
          `${names.join(', ')} of ${oneOfKind(kind)}: no response shows which of these are ${own.join(', ')}. Write fields.${kind} by hand.`,
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

  /** The fields of a kind that may have other names, and the candidate names: no response shows which belongs to which. */
  unsure(kind: ObjectKind): { own: readonly string[]; names: readonly string[] } {
    const pairs = this.#pairs.get(kind)!
    const open = FIELDS[kind].filter((own) => !this.#isNamed(kind, own))
    const free = this.#freeNames(kind)
    const mayBe = (own: string, name: string) => {
      const isConstant = new Set(pairs.map(({ theirs }) => JSON.stringify(theirs[name]))).size < 2
      return pairs.every(({ ours, theirs }) => {
        const types = [typeNameOf(ours[own]), typeNameOf(theirs[name])]
        // One side may have reached a state that the other has not.
        return types[0] === types[1] || (!isConstant && types.includes('null'))
      })
    }
    return {
      own: open.filter((own) => free.some((name) => mayBe(own, name))),
      names: free.filter((name) => open.some((own) => mayBe(own, name))),
    }
  }

  /** Pairs the objects of both responses, and returns the pages, whose items are paired later. */
  #collect({ asked, ours, theirs, seenIn }: ServiceExchange): Page[] {
    const operation = operationOf(asked)
    if (!operation || !ours || !isSuccess(ours) || !isSuccess(theirs)) return []
    if (!isObject(ours.json) || !isObject(theirs.json)) return []
    const { what: kind, does } = ENDPOINTS[operation]
    const pair = { ours: ours.json, theirs: theirs.json, seenIn }
    if (does === 'list') return [{ kind, ...pair }]
    this.#pairs.get(kind)!.push(pair)
    return []
  }

  /** Items with the same known ids on both sides. If several items have the same ids, they are paired in order. */
  #itemPairs({ ours, theirs, seenIn }: Pair): Pair[] {
    const itemsIn = (page: JsonFields, idsIn: (item: unknown) => string[]) =>
      groupBy(Object.values(page).find(Array.isArray)?.filter(isObject) ?? [], (item) =>
        [...new Set(idsIn(item))].sort().join(),
      )
    const here = itemsIn(ours, (item) => textsIn(item).filter((text) => this.#alike.isPaired(text)))
    const there = itemsIn(theirs, (item) =>
      textsIn(item)
        .map((text) => this.#alike.oursFor(text))
        .filter((text) => this.#alike.isPaired(text)),
    )
    return [...there].flatMap(([ids, items]) => {
      const same = ids === '' ? undefined : here.get(ids)
      if (same?.length !== items.length) return []
      return items.map((item, index) => ({ ours: same[index]!, theirs: item, seenIn }))
    })
  }

  #resolveAll(): void {
    for (const kind of KINDS) {
      const field = FIELD_OF_PART[kind]
      if (field) this.#collectParts(kind, field)
      this.#resolve(kind, FIELDS[kind])
    }
  }

  #collectParts(part: ObjectKind, field: string): void {
    const name = this.#names.get('payment_method')!.get(field) ?? ''
    const parts = this.#pairs.get('payment_method')!.flatMap(({ ours, theirs, seenIn }): Pair[] => {
      const [here, there] = [ours[field], theirs[name]]
      return isObject(here) && isObject(there) ? [{ ours: here, theirs: there, seenIn }] : []
    })
    this.#pairs.set(part, parts)
  }

  #resolve(kind: ObjectKind, fields: readonly string[]): void {
    const pairs = this.#pairs.get(kind)!
    if (pairs.length === 0) return
    const open = fields.filter(
      (own) => (FIELDS[kind] as readonly string[]).includes(own) && !this.#isNamed(kind, own),
    )
    const keys = nameKeys(kind)
    for (const own of open)
      if (!(own in keys) || pairs.every(({ theirs }) => Object.hasOwn(theirs, own)))
        this.#found(kind, own, own)
    const free = this.#freeNames(kind)
    const candidates = open
      .filter((own) => !this.#isNamed(kind, own) && isTold(kind, own, pairs))
      .map((own) => ({ own, names: free.filter((name) => this.#hasValueOf(kind, own, name, pairs)) }))
    for (const { own, names } of candidates) {
      const [name, ...more] = names
      const isOfOthers = candidates.some((other) => other.own !== own && other.names.includes(name ?? ''))
      if (name !== undefined && more.length === 0 && !isOfOthers) this.#found(kind, own, name)
    }
  }

  #isNamed = (kind: ObjectKind, own: string) => this.#names.get(kind)!.has(own)

  /** The names in the service's responses that are not assigned to a field yet. */
  #freeNames(kind: ObjectKind): string[] {
    const taken = new Set(this.#names.get(kind)!.values())
    const all = new Set(this.#pairs.get(kind)!.flatMap(({ theirs }) => Object.keys(theirs)))
    return [...all].filter((name) => !taken.has(name))
  }

  #found(kind: ObjectKind, own: string, name: string): void {
    this.#names.get(kind)!.set(own, name)
    const pairs = this.#pairs.get(kind)!
    if (own in nameKeys(kind)) this.seen.push({ kind, own, name, seenIn: pairs[0]?.seenIn ?? 'a refusal' })
    if (!this.#hasValueOf(kind, own, name, pairs)) return
    for (const { ours, theirs } of pairs) {
      const [here, there] = [ours[own], theirs[name]]
      if (typeof here === 'string' && typeof there === 'string' && OF_ANY_SERVICE.is(here))
        this.#alike.pair(here, there)
    }
  }

  /**
   * Whether the service's field has our value in all pairs. Ids, times and state names may differ, but must correspond one to
   * one.
   */
  #hasValueOf(kind: ObjectKind, own: string, name: string, pairs: readonly Pair[]): boolean {
    const [words, ids] = [new Alike(), new Alike()]
    const isWord = own === fieldOfWords(kind)
    const isSame = pairs.every(({ ours, theirs }) => {
      const [here, there] = [ours[own], theirs[name]]
      if (here === null || there === null || there === undefined) return here === there
      if (isObject(here)) return isObject(there)
      if (typeof here !== 'string' || typeof there !== 'string') return here === there
      if (isTime(here)) return isTime(there) && isInTime(own, there, theirs)
      if (isWord) return /^[\w.-]+$/.test(there) && !AN_ID.test(there) && words.stands(here, there)
      if (isAddress(here)) return isAddress(there)
      if (own === 'currency') return CURRENCY.test(there)
      if (!OF_ANY_SERVICE.is(here)) return here === there
      if (this.#alike.isPaired(here)) return this.#alike.arePaired(here, there)
      return (
        AN_ID.test(there) &&
        this.#alike.oursFor(there) === there &&
        ids.stands(here, there) &&
        ids.oursFor(there) === here
      )
    })
    // A single word may be any constant.
    return (
      isSame && (!isWord || own === name || words.size > 1) && (own !== 'createdAt' || isKept(name, pairs))
    )
  }
}

const CURRENCY = /^[A-Z]{3}$/
/** Not a word, which may be any constant. */
const AN_ID = /^\d+$|^(?=.*\d)[\w-]{8,}$/

/** The field whose values a profile may rename; other values are the same on both sides. */
const fieldOfWords = (kind: ObjectKind) => (kind === 'event' ? 'type' : 'status')

/**
 * Whether a field's values suffice to find it in the service's responses. They do not if all are null, or all are the same
 * number, which another field may have by chance. In a part of a payment method one number suffices.
 */
function isTold(kind: ObjectKind, own: string, pairs: readonly Pair[]): boolean {
  const values = new Set(pairs.flatMap(({ ours }) => ours[own] ?? []))
  const [value] = values
  return value !== undefined && (typeof value !== 'number' || values.size > 1 || kind in FIELD_OF_PART)
}

/** Nothing is earlier than the creation, and nothing later than the last change. */
function isInTime(own: string, time: string, { ...fields }: JsonFields): boolean {
  const all = Object.values(fields).filter((value) => typeof value === 'string' && isTime(value)) as string[]
  if (own === 'createdAt') return all.every((one) => one >= time)
  return own !== 'updatedAt' || all.every((one) => one <= time)
}

/** Whether the field has the same value in all responses with the same resource. */
function isKept(name: string, pairs: readonly Pair[]): boolean {
  const kept = new Map<unknown, unknown>()
  return pairs.every(({ ours, theirs }) => {
    if (!kept.has(ours.id)) kept.set(ours.id, theirs[name])
    return kept.get(ours.id) === theirs[name]
  })
}

function typeNameOf(value: unknown): string {
  if (value === null || Array.isArray(value)) return value === null ? 'null' : 'list'
  if (typeof value !== 'string') return typeof value
  if (isTime(value)) return 'time'
  return isAddress(value) ? 'address' : 'text'
}

const isAddress = (text: string) => text.includes('://') && URL.canParse(text)

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Names from refusals of the same request: ours says that `checkoutId or authorizationId` is missing, theirs that `paymentId or
 * holdId` is. The words before and after a name also surround a name from the specification, which both sides share.
 */
function namesInRefusals(exchanges: readonly ServiceExchange[]): Omit<SeenName, 'seenIn'>[] {
  const refused = exchanges.flatMap(({ asked, ours, theirs }) => {
    const operation = operationOf(asked)
    if (!operation || ours?.status !== 400 || theirs.status !== 400) return []
    const [here = '', there = ''] = [ours, theirs].map(({ json }) => refusalMessage(json))
    const read = readMessage(here)
    if (read?.name !== 'missingField') return []
    return [{ kind: ENDPOINTS[operation].what, field: read.values.field!, message: there }]
  })
  const known = refused.find(
    ({ kind, field, message }) => !(field in nameKeys(kind)) && message.includes(field),
  )
  const [before, after] = known?.message.split(known.field) ?? []
  if (before === undefined || after === undefined) return []
  return refused.flatMap(({ kind, field, message }) => {
    if (!message.startsWith(before) || !message.endsWith(after)) return []
    const names = message.slice(before.length, message.length - after.length).split(' or ')
    const fields = field.split(' or ')
    if (fields.length !== names.length || !names.every((name) => /^\w+$/.test(name))) return []
    return fields.flatMap((own, index) => (own in nameKeys(kind) ? [{ kind, own, name: names[index]! }] : []))
  })
}
