/**
 * What a service calls the fields that the specification gives no name for. Its answers stand beside ours to the same requests:
 * a field of ours and one of theirs are the same if their values go together in every pair of answers, and with no other
 * field's. A name in a refusal stands beside ours in the same way.
 */
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { inverted } from '../../spec/contract/inverted.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import { nameKeys, type ObjectKind } from '../../spec/contract/places.ts'
import { FIELDS, oneOfKind } from '../../spec/contract/profile-table.ts'
import { readMessage } from '../../spec/contract/refusal-words.ts'
import { operationOf } from '../../spec/contract/translation.ts'
import { Alike } from '../../tester/alike/alike.ts'
import { OF_ANY_SERVICE } from '../../tester/alike/made-anew.ts'
import { areTimes } from '../../tester/alike/time-order.ts'
import { groupBy } from '../../tester/conduct/picture.ts'
import { type JsonFields, refusalMessage, type ServiceExchange } from './evidence.ts'

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

/** The default names of a kind by theirs, and what they call its id; a part of a payment method has none. */
interface OtherNames {
  kind: ObjectKind
  id: string | undefined
  own: Readonly<Record<string, string>>
}

/** A list of a service may show fewer fields of a resource. */
const NAMES_SHARE = 0.75

export class Names {
  readonly seen: SeenName[] = []
  #state = () => `${this.seen.length} ${[...this.#pairs.values()].map(({ length }) => length).join()}`

  /** The names of a kind, by the default ones. */
  of = (kind: ObjectKind): Readonly<Record<string, string>> => Object.fromEntries(this.#names.get(kind)!)

  /** Why fields have no name yet. */
  readonly remarks: string[] = []
  readonly #pairs = new Map<ObjectKind, Pair[]>(KINDS.map((kind) => [kind, []]))
  readonly #lists = new Map<ObjectKind, Pair[]>(KINDS.map((kind) => [kind, []]))
  readonly #names = new Map<ObjectKind, Map<string, string>>(KINDS.map((kind) => [kind, new Map()]))
  readonly #alike = new Alike()
  /** For each kind of which a field has another name: our names of its fields by theirs, and their name of its id. */
  readonly #others: readonly OtherNames[]
  /** The kind of each object that was read. */
  readonly kinds = new WeakMap<object, ObjectKind>()

  constructor(exchanges: readonly ServiceExchange[]) {
    for (const { kind, own, name, seenIn } of namesInRefusals(exchanges)) this.#found(kind, own, name, seenIn)
    for (const exchange of exchanges) this.#collect(exchange)
    // An id that is known from one kind tells the fields of another apart.
    for (let before = ''; before !== this.#state(); ) {
      before = this.#state()
      for (const kind of KINDS) this.#resolve(kind)
      this.#collectItems()
      this.#collectParts()
    }
    for (const kind of KINDS) this.#remark(kind)
    const kinds = [...this.#names].flatMap(([kind, names]) => {
      const id = names.get('id')
      const hasId = (FIELDS[kind] as readonly string[]).includes('id')
      const own = inverted(Object.fromEntries(names))
      return names.size === 0 || (hasId && id === undefined) ? [] : { kind, id, own }
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
    const kind = this.#kindOf(theirs)
    const names = kind?.own ?? {}
    const own = Object.fromEntries(
      Object.entries(theirs).map(([name, value]) => [
        Object.hasOwn(names, name) ? names[name]! : name,
        this.inOwnWords(value),
      ]),
    )
    if (kind) this.kinds.set(own, kind.kind)
    return own
  }

  /** The kind most of whose known names the object has, its id among them. */
  #kindOf(theirs: JsonFields): OtherNames | undefined {
    const shared = ({ own }: OtherNames) =>
      Object.keys(theirs).filter((name) => Object.hasOwn(own, name)).length
    const [best] = this.#others
      .filter((one) => one.id === undefined || Object.hasOwn(theirs, one.id))
      .filter((one) => shared(one) >= Object.keys(one.own).length * NAMES_SHARE)
      .sort((one, other) => shared(other) - shared(one))
    return best
  }

  /**
   * The fields of a kind that may have other names, and the names that may be theirs: what each is, no answer tells. Undefined for a
   * kind that no answer of ours stands beside.
   */
  unsure(kind: ObjectKind): { own: readonly string[]; names: readonly string[] } | undefined {
    const pairs = this.#pairs.get(kind)!
    if (pairs.length === 0) return undefined
    const open = FIELDS[kind].filter((own) => !this.#isNamed(kind, own))
    const free = this.#freeNames(kind)
    const mayBe = (own: string, name: string) =>
      pairs.every(({ ours, theirs }) => typeNameOf(ours[own]) === typeNameOf(theirs[name]))
    return {
      own: open.filter((own) => free.some((name) => mayBe(own, name))),
      names: free.filter((name) => open.some((own) => mayBe(own, name))),
    }
  }

  #collect(exchange: ServiceExchange): void {
    const operation = operationOf(exchange.asked)
    if (!operation || !exchange.ours || !isSuccess(exchange.ours) || !isSuccess(exchange.theirs)) return
    const { does, what } = ENDPOINTS[operation]
    const [ours, theirs] = [jsonIn(exchange.ours.body), jsonIn(exchange.theirs.body)]
    if (!isObject(ours) || !isObject(theirs)) return
    const list = does === 'list' ? this.#lists : this.#pairs
    list.get(what)!.push({ ours, theirs, seenIn: exchange.seenIn })
  }

  /** Pairs the items of lists, once ids are known by which they are found; each list once. */
  #collectItems(): void {
    for (const [kind, lists] of this.#lists) {
      const left = lists.filter(({ ours, theirs, seenIn }) => {
        const pairs = this.#itemPairs(ours, theirs)
        this.#pairs.get(kind)!.push(...pairs.map((pair) => ({ ...pair, seenIn })))
        return pairs.length === 0
      })
      this.#lists.set(kind, left)
    }
  }

  /** The items that both sides have, in their order: in ours stand the ids that stand in theirs, and the fewest others. */
  #itemPairs(ours: JsonFields, theirs: JsonFields): Pick<Pair, 'ours' | 'theirs'>[] {
    const groupsOf = (page: JsonFields, idsIn: (item: unknown) => string[]) => {
      const items = Object.values(page).find(Array.isArray) ?? []
      const groups = groupBy(items.filter(isObject), (item) => [...new Set(idsIn(item))].sort().join())
      return [...groups].flatMap(([ids, all]) => (ids === '' ? [] : [{ ids: ids.split(','), items: all }]))
    }
    const our = groupsOf(ours, (item) => textsIn(item).filter((text) => this.#alike.isPaired(text)))
    const their = groupsOf(theirs, (item) =>
      textsIn(item).flatMap((text) => {
        const own = this.#alike.oursFor(text)
        return own === text ? [] : own
      }),
    )
    return their.flatMap(({ ids, items }) => {
      const [nearest, next] = our
        .filter((one) => ids.every((id) => one.ids.includes(id)))
        .sort((one, other) => one.ids.length - other.ids.length)
      const isClear = nearest && nearest.ids.length !== next?.ids.length
      if (!isClear || nearest.items.length !== items.length) return []
      return items.map((item, index) => ({ ours: nearest.items[index]!, theirs: item }))
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
      if (!this.#isNamed(kind, own) && (!(own in keys) || pairs.every(({ theirs }) => own in theirs)))
        this.#found(kind, own, own, seenIn)
    const free = this.#freeNames(kind)
    const open = FIELDS[kind].filter((own) => !this.#isNamed(kind, own) && isTold(kind, own, pairs))
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
    const pairs = this.#pairs.get(kind)!
    if (this.#fits(kind, own, name, pairs))
      for (const { ours, theirs } of pairs) this.#pairIds(ours[own], theirs[name])
  }

  #pairIds(ours: unknown, theirs: unknown): void {
    if (typeof ours === 'string' && typeof theirs === 'string' && OF_ANY_SERVICE.is(ours))
      this.#alike.pair(ours, theirs)
  }

  /** Whether the values of both fields go together in all pairs of objects. */
  #fits(kind: ObjectKind, own: string, name: string, pairs: readonly Pair[]): boolean {
    const words = new Alike()
    const ids = new Alike()
    const isWord = WORDS[kind] === own
    const all = pairs.every(({ ours, theirs }) => {
      const [one, other] = [ours[own], theirs[name]]
      if (one === null || other === null || other === undefined) return one === other
      if (isObject(one)) return isObject(other)
      if (typeof one !== 'string' || typeof other !== 'string') return one === other
      if (areTimes(one)) return areTimes(other) && isInTime(own, other, theirs)
      if (isWord) return /^[\w.-]+$/.test(other) && words.stands(one, other)
      if (URL.canParse(one) && one.includes('://')) return URL.canParse(other) && other.includes('://')
      if (own === 'currency') return CURRENCY.test(other)
      if (!OF_ANY_SERVICE.is(one)) return one === other
      if (this.#alike.isPaired(one)) return this.#alike.arePaired(one, other)
      return AN_ID.test(other) && this.#alike.oursFor(other) === other && ids.stands(one, other)
    })
    // A word alone may be any constant.
    return all && (!isWord || own === name || words.size > 1) && (own !== 'createdAt' || isKept(name, pairs))
  }

  #remark(kind: ObjectKind): void {
    const { own = [], names = [] } = this.unsure(kind) ?? {}
    if (names.length > 0)
      this.remarks.push(
        `${names.join(', ')} of ${oneOfKind(kind)}: no answer tells which of these are ${own.join(', ')}. Write fields.${kind} by hand.`,
      )
  }
}

const CURRENCY = /^[A-Z]{3}$/
/** Not a word, which may be any constant. */
const AN_ID = /^\d+$|^(?=.*\d)[\w-]{8,}$/

/** The field of each kind whose words a profile may change; other words are the same on both sides. */
const WORDS: Readonly<Partial<Record<ObjectKind, string>>> = {
  checkout: 'status',
  authorization: 'status',
  refund: 'status',
  payment_method: 'status',
  event: 'type',
}

const isSuccess = ({ status }: { status: number }) => status >= 200 && status < 300

/**
 * Whether the values of a field are enough to find it among theirs. They are not where all are null, or one and the same number,
 * which another field of theirs may have by chance. In a part of a payment method one number is enough.
 */
function isTold(kind: ObjectKind, own: string, pairs: readonly Pair[]): boolean {
  const values = new Set(pairs.flatMap(({ ours }) => ours[own] ?? []))
  const [value] = values
  return value !== undefined && (typeof value !== 'number' || values.size > 1 || kind in PARTS)
}

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

function typeNameOf(value: unknown): string {
  if (value === null || Array.isArray(value)) return value === null ? 'null' : 'list'
  if (typeof value !== 'string') return typeof value
  if (areTimes(value)) return 'time'
  return URL.canParse(value) && value.includes('://') ? 'address' : 'text'
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Names of fields from refusals: both sides refused the same request, as a field is missing. Ours names
 * `checkoutId or authorizationId`, theirs `paymentId or holdId`. The text around the name is that of another of their refusals,
 * which names a field that both sides call the same.
 */
function* namesInRefusals(exchanges: readonly ServiceExchange[]): Iterable<SeenName> {
  const refused = exchanges.flatMap(({ asked, ours, theirs, seenIn }) => {
    const operation = operationOf(asked)
    if (!operation || ours?.status !== 400 || theirs.status !== 400) return []
    const [own, other] = [ours, theirs].map(({ body }) => refusalMessage(jsonIn(body)))
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
