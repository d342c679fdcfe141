/**
 * What a service calls the fields that the specification gives no name for. Its answers stand beside ours to the same requests:
 * a field of ours and one of theirs are the same if their values go together in every pair of answers, and with no other
 * field's. A name in a refusal stands beside ours in the same way.
 */
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { inverted } from '../../spec/contract/inverted.ts'
import { jsonIn } from '../../spec/contract/json-text.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { nameKeys, type ObjectKind } from '../../spec/contract/places.ts'
import { FIELDS } from '../../spec/contract/profile-table.ts'
import { readMessage } from '../../spec/contract/refusal-words.ts'
import { operationOf } from '../../spec/contract/translation.ts'
import { Alike, isGenerated } from '../../tester/alike/alike.ts'
import { areTimes } from '../../tester/alike/time-order.ts'
import { groupBy } from '../../tester/conduct/picture.ts'
import type { JsonFields, ServiceExchange } from './evidence.ts'

/** One object as both sides answered it. */
interface Pair {
  ours: JsonFields
  theirs: JsonFields
  seenIn: string
}

export interface SeenName {
  kind: ObjectKind
  /** The default name, and the service's. */
  own: string
  name: string
  seenIn: string
}

const KINDS = Object.keys(FIELDS) as ObjectKind[]
/** The objects inside a payment method, by the field that has them. */
const PARTS = { card: 'card', bank_account: 'bankAccount' } as const

export class Names {
  readonly seen: SeenName[] = []
  /** Why fields have no name yet. */
  readonly remarks: string[] = []
  readonly #pairs = new Map<ObjectKind, Pair[]>(KINDS.map((kind) => [kind, []]))
  readonly #names = new Map<ObjectKind, Map<string, string>>(KINDS.map((kind) => [kind, new Map()]))
  readonly #alike = new Alike()
  /** For each kind with another name, its default names by theirs, and what they call its id. */
  readonly #others: readonly { id: string | undefined; own: Readonly<Record<string, string>> }[]

  constructor(exchanges: readonly ServiceExchange[]) {
    for (const { kind, own, name, seenIn } of namesInRefusals(exchanges)) this.#found(kind, own, name, seenIn)
    for (const exchange of exchanges) this.#collect(exchange)
    // An id that is known from one kind tells the fields of another apart.
    for (let known = -1; known !== this.seen.length; ) {
      known = this.seen.length
      for (const kind of KINDS) this.#resolve(kind)
      this.#collectParts()
    }
    for (const kind of KINDS) this.#remark(kind)
    const kinds = [...this.#names].flatMap(([kind, names]) => {
      const id = names.get('id')
      const hasId = (FIELDS[kind] as readonly string[]).includes('id')
      return hasId && id === undefined ? [] : { id, own: inverted(Object.fromEntries(names)) }
    })
    const isOther = this.seen.some(({ own, name }) => own !== name)
    this.#others = isOther ? kinds : []
  }

  /**
   * What they sent with the default names, where theirs are known. The kind of an object is the one most of whose names it has.
   */
  inOwnWords(theirs: unknown): unknown {
    if (this.#others.length === 0) return theirs
    if (Array.isArray(theirs)) return theirs.map((item) => this.inOwnWords(item))
    if (!isObject(theirs)) return theirs
    const [best] = this.#others
      .map(({ id, own }) => ({ id, own, shared: Object.keys(theirs).filter((name) => name in own).length }))
      .sort((one, other) => other.shared - one.shared)
    const isOfKind = best!.shared > 0 && (best!.id === undefined || Object.hasOwn(theirs, best!.id))
    return Object.fromEntries(
      Object.entries(theirs).map(([name, value]) => [
        (isOfKind && Object.hasOwn(best!.own, name) && best!.own[name]) || name,
        this.inOwnWords(value),
      ]),
    )
  }

  #collect(exchange: ServiceExchange): void {
    const operation = operationOf(exchange.asked)
    if (!operation || !exchange.ours || !isSuccess(exchange.ours) || !isSuccess(exchange.theirs)) return
    const { does, what } = ENDPOINTS[operation]
    const [ours, theirs] = [jsonIn(exchange.ours.body), jsonIn(exchange.theirs.body)]
    if (!isObject(ours) || !isObject(theirs)) return
    const pairs = this.#pairs.get(what)!
    const { seenIn } = exchange
    if (does === 'list') pairs.push(...this.#itemPairs(ours, theirs).map((pair) => ({ ...pair, seenIn })))
    else pairs.push({ ours, theirs, seenIn })
  }

  /** The items that both sides have: those in whose texts the same known ids stand, in their order. */
  #itemPairs(ours: JsonFields, theirs: JsonFields): Pick<Pair, 'ours' | 'theirs'>[] {
    const groups = (page: JsonFields, idsIn: (item: unknown) => string[]) => {
      const items = Object.values(page).find(Array.isArray) ?? []
      return groupBy(items.filter(isObject), (item) => idsIn(item).sort().join())
    }
    const our = groups(ours, (item) => textsIn(item).filter((text) => this.#alike.isPaired(text)))
    const their = groups(theirs, (item) =>
      textsIn(item).flatMap((text) => {
        const own = this.#alike.oursFor(text)
        return own === text ? [] : own
      }),
    )
    return [...our].flatMap(([ids, items]) => {
      const others = their.get(ids) ?? []
      if (ids === '' || items.length !== others.length) return []
      return items.map((item, index) => ({ ours: item, theirs: others[index]! }))
    })
  }

  #collectParts(): void {
    for (const [part, field] of Object.entries(PARTS) as [keyof typeof PARTS, string][]) {
      const name = this.#names.get('payment_method')!.get(field)
      if (name === undefined || this.#pairs.get(part)!.length > 0) continue
      for (const { ours, theirs, seenIn } of this.#pairs.get('payment_method')!) {
        const [one, other] = [ours[field], theirs[name]]
        if (isObject(one) && isObject(other))
          this.#pairs.get(part)!.push({ ours: one, theirs: other, seenIn })
      }
    }
  }

  #resolve(kind: ObjectKind): void {
    const pairs = this.#pairs.get(kind)!
    if (pairs.length === 0) return
    const keys = nameKeys(kind)
    const { seenIn } = pairs[0]!
    const fits = (own: string, name: string) => this.#fits(kind, own, name, pairs)
    // What has its own name has no other.
    for (const own of FIELDS[kind])
      if (!this.#isNamed(kind, own) && (!(own in keys) || fits(own, own))) this.#found(kind, own, own, seenIn)
    const free = this.#freeNames(kind)
    const open = FIELDS[kind].filter((own) => !this.#isNamed(kind, own) && isTold(own, pairs))
    const candidates = new Map(open.map((own) => [own, new Set(free.filter((name) => fits(own, name)))]))
    for (;;) {
      const single = [...candidates].find(([own, [name, ...others]]) => {
        if (name === undefined || others.length > 0) return false
        // Where another field has no other candidate either, one of the two is left out, and which one is not told.
        return ![...candidates].some(([one, names]) => one !== own && names.size === 1 && names.has(name))
      })
      if (single === undefined) return
      const [own, [name]] = single
      this.#found(kind, own, name!, seenIn)
      candidates.delete(own)
      for (const names of candidates.values()) names.delete(name!)
    }
  }

  #isNamed = (kind: ObjectKind, own: string) => this.#names.get(kind)!.has(own)

  /** The names in their answers that no field of ours has yet. */
  #freeNames(kind: ObjectKind): string[] {
    const taken = new Set(this.#names.get(kind)!.values())
    const all = new Set(this.#pairs.get(kind)!.flatMap(({ theirs }) => Object.keys(theirs)))
    return [...all].filter((name) => !taken.has(name))
  }

  #found(kind: ObjectKind, own: string, name: string, seenIn: string): void {
    this.#names.get(kind)!.set(own, name)
    if (own in nameKeys(kind)) this.seen.push({ kind, own, name, seenIn })
    for (const { ours, theirs } of this.#pairs.get(kind)!) this.#pairIds(ours[own], theirs[name])
  }

  #pairIds(ours: unknown, theirs: unknown): void {
    if (typeof ours === 'string' && typeof theirs === 'string' && isGenerated(ours))
      this.#alike.pair(ours, theirs)
  }

  /** Whether the values of both fields go together in all pairs of objects. */
  #fits(kind: ObjectKind, own: string, name: string, pairs: readonly Pair[]): boolean {
    const words = new Bijection()
    const ids = new Bijection()
    const isWord = WORDS[kind] === own
    const all = pairs.every(({ ours, theirs }) => {
      const [one, other] = [ours[own], theirs[name]]
      if (one === null || other === null || other === undefined) return one === other
      if (isObject(one)) return isObject(other)
      if (typeof one !== 'string' || typeof other !== 'string') return one === other
      if (areTimes(one)) return areTimes(other) && isInTime(own, other, theirs)
      if (isWord) return /^[\w.-]+$/.test(other) && words.add(one, other)
      if (URL.canParse(one) && one.includes('://')) return URL.canParse(other) && other.includes('://')
      if (!isGenerated(one)) return one === other
      if (this.#alike.isPaired(one)) return this.#alike.arePaired(one, other)
      return !areTimes(other) && this.#alike.oursFor(other) === other && ids.add(one, other)
    })
    // A word alone may be any constant.
    return all && (!isWord || own === name || words.size > 1) && (own !== 'createdAt' || isKept(name, pairs))
  }

  #remark(kind: ObjectKind): void {
    const pairs = this.#pairs.get(kind)!
    const open = FIELDS[kind].filter((own) => !this.#isNamed(kind, own))
    const free = this.#freeNames(kind).filter((name) =>
      open.some((own) => this.#fits(kind, own, name, pairs)),
    )
    if (pairs.length > 0 && free.length > 0)
      this.remarks.push(
        `A ${kind} has ${free.join(', ')}, and no answer tells which of them is ${open.join(', ')}: write fields.${kind} by hand.`,
      )
  }
}

/** The field of each kind whose words a profile may change; other words are the same on both sides. */
const WORDS: Readonly<Partial<Record<ObjectKind, string>>> = {
  checkout: 'status',
  authorization: 'status',
  refund: 'status',
  event: 'type',
}

/** Pairs of values in which each value of a side stands for exactly one of the other. */
class Bijection {
  readonly #byOurs = new Map<string, string>()
  readonly #byTheirs = new Map<string, string>()

  get size(): number {
    return this.#byOurs.size
  }

  add(ours: string, theirs: string): boolean {
    const isNew = !this.#byOurs.has(ours) && !this.#byTheirs.has(theirs)
    if (isNew) {
      this.#byOurs.set(ours, theirs)
      this.#byTheirs.set(theirs, ours)
    }
    return this.#byOurs.get(ours) === theirs && this.#byTheirs.get(theirs) === ours
  }
}

const isSuccess = ({ status }: { status: number }) => status >= 200 && status < 300

/** A field that was null in each answer fits any other such field, so its name is not told. */
const isTold = (own: string, pairs: readonly Pair[]) => pairs.some(({ ours }) => ours[own] !== null)

/** Nothing is earlier than the creation, and nothing later than the last change. */
function isInTime(own: string, time: string, { ...fields }: JsonFields): boolean {
  const all = Object.values(fields).filter(
    (value) => typeof value === 'string' && areTimes(value),
  ) as string[]
  if (own === 'createdAt') return all.every((one) => one >= time)
  return own !== 'updatedAt' || all.every((one) => one <= time)
}

/** Whether the field has the same value in all answers with the same resource. */
function isKept(name: string, pairs: readonly Pair[]): boolean {
  const kept = new Map<unknown, unknown>()
  return pairs.every(({ ours, theirs }) => {
    if (!kept.has(ours.id)) kept.set(ours.id, theirs[name])
    return kept.get(ours.id) === theirs[name]
  })
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * The names in refusals of the same request on both sides for a missing field: such as `checkoutId or authorizationId` here,
 * and `paymentId or holdId` there. Their text around it is known from a field with the specification's name.
 */
function* namesInRefusals(exchanges: readonly ServiceExchange[]): Iterable<SeenName> {
  const refused = exchanges.flatMap(({ asked, ours, theirs, seenIn }) => {
    const operation = operationOf(asked)
    if (!operation || ours?.status !== 400 || theirs.status !== 400) return []
    const [own, other] = [messageIn(ours.body), messageIn(theirs.body)]
    const read = own === undefined ? undefined : readMessage(own)
    if (read?.name !== 'missingField' || other === undefined) return []
    return [{ kind: ENDPOINTS[operation].what, field: read.values.field!, message: other, seenIn }]
  })
  const around = refused.flatMap(({ kind, field, message }) => {
    const parts = message.split(field)
    return field in nameKeys(kind) || parts.length !== 2 ? [] : [parts]
  })
  const [[before = '', after = ''] = []] = around
  if (around.length === 0 || around.some(([one, other]) => one !== before || other !== after)) return
  for (const { kind, field, message, seenIn } of refused) {
    if (!message.startsWith(before) || !message.endsWith(after)) continue
    const [owns, names] = [field, message.slice(before.length, message.length - after.length)].map((text) =>
      text.split(' or '),
    )
    if (owns!.length !== names!.length || names!.some((name) => !/^\w+$/.test(name))) continue
    for (const [index, own] of owns!.entries())
      if (own in nameKeys(kind)) yield { kind, own, name: names![index]!, seenIn }
  }
}

function messageIn(body: string): string | undefined {
  const json = jsonIn(body)
  return isObject(json) && typeof json.message === 'string' ? json.message : undefined
}
