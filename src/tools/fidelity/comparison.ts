/**
 * Compares the responses of two sides to the same requests, both translated to the default names. Ids are paired at the first
 * place where both sides have one, times are compared by their order, and everything else by its value, with numbers as written.
 */
import { ANSWER_HEADERS, type AnswerHeader, headerPath } from '../../spec/contract/answer-headers.ts'
import { counted } from '../../spec/contract/counted.ts'
import type { KnownIds } from '../../spec/contract/ids.ts'
import { member, parsedAsWritten, writtenNumber } from '../../spec/contract/json-text.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import { isTime } from '../../spec/contract/time.ts'
import { operationOf, translationOf } from '../../spec/contract/translation.ts'
import type { Answered, Asked } from '../../spec/exchange.ts'
import { Alike } from '../../tester/alike/alike.ts'
import { foreignWords } from '../player/foreign-words.ts'
import type { ForeignWord } from '../player/wire.ts'

export interface Difference {
  /** The request, such as `tour.yaml step 3`. */
  seenIn: string
  kind: 'connection' | 'status' | 'field' | 'type' | 'value' | 'id' | 'time' | 'items' | 'header' | 'outcome'
  /** The place of the difference, such as `$.status` or `the header location`. */
  path: string
  theirs: string
  ours: string
  sentence: string
}

interface Comparability {
  /** Both sides have a sandbox used only for these requests, so their lists have the same items. */
  ownSandboxes: boolean
  /** Both clocks are frozen, so two times are equal on both sides or on neither. */
  frozen: boolean
  /** Of our addresses. */
  origin: string
  /** The origin of our URLs. */
  ids: KnownIds
}

/** A response, with its default names that the service's profile does not use. */
type Compared = Answered & { foreign?: readonly ForeignWord[] | undefined }

/** Translates the response of a service with this contract to the default names. */
export function inOurWords(
  contracts: Parameters<typeof foreignWords>[0],
  asked: Pick<Asked, 'method' | 'target'>,
  theirs: Answered,
): Compared {
  const words = translationOf(contracts.contract)
  if (words === undefined) return theirs
  const operation = operationOf(asked)
  const foreign = foreignWords(contracts, operation, theirs)
  return { ...words.answer(operation, theirs), foreign }
}

interface ComparedTime {
  ours: number
  theirs: number
  /** Such as `$.createdAt of tour.yaml step 1`. */
  role: string
}

type Found = Omit<Difference, 'seenIn'>

/** Showing more differences would add nothing. */
const SHOWN_MAX = 100

const ABSENT = 'missing'

type Page = [page: Record<string, unknown>, items: readonly unknown[]]

/** The name of the flag depends on the profile. */
const hasMore = (page: Record<string, unknown>) => Object.values(page).includes(true)

/** Proxy headers are not compared. */
const COMPARED = ANSWER_HEADERS.filter(({ same }) => same !== 'nothing')

export class Comparison {
  readonly alike: Alike
  readonly #comparability: Comparability
  /** The latest and the earliest time so far on our side; other times are compared with these two. */
  #times: readonly ComparedTime[] = []
  #timesOutOfOrder = 0
  #place = ''
  #found: Found[] = []
  /** How many statuses, headers and values were compared. */
  observations = 0

  constructor(comparability: Comparability) {
    this.#comparability = comparability
    this.alike = new Alike(comparability.ids)
  }

  responses(ours: Compared, theirs: Compared, seenIn: string): Difference[] {
    return this.collect(seenIn, () => {
      this.differ('status', 'the status', String(ours.status), String(theirs.status))
      for (const { path, expected, received } of theirs.foreign ?? [])
        this.#add('value', path, expected, received)
      // The bodies of a refusal and a success have nothing in common.
      if (ours.status >= 400 === theirs.status >= 400) this.#bodies(ours.body, theirs.body)
      for (const header of COMPARED) this.#header(header, ours, theirs)
    })
  }

  collect(seenIn: string, compare: () => void): Difference[] {
    this.#place = seenIn
    this.#found = []
    compare()
    return this.#found.map((found) => ({ seenIn, ...found }))
  }

  #bodies(ours: string, theirs: string): void {
    const [json, otherJson] = [parsedAsWritten(ours), parsedAsWritten(theirs)]
    if (json === undefined && otherJson === undefined) this.#strings(ours, theirs, 'the body')
    else if (json === undefined || otherJson === undefined)
      this.differ('type', 'the body', bodyType(ours, json), bodyType(theirs, otherJson))
    else this.#values(json, otherJson, '$')
  }

  #values(ours: unknown, theirs: unknown, path: string): void {
    const [type, otherType] = [typeOf(ours), typeOf(theirs)]
    if (isObject(ours) && isObject(theirs)) this.#objects(ours, theirs, path)
    else if (Array.isArray(ours) && Array.isArray(theirs)) this.#lists(ours, theirs, path)
    else if (type === 'a text' && otherType === 'a text')
      this.#strings(ours as string, theirs as string, path)
    else if (type === otherType) this.differ('value', path, writtenAs(ours), writtenAs(theirs))
    else {
      const words = (value: unknown, type: string) =>
        typeof value === 'string' ? `${type}, ${writtenAs(value)},` : type
      this.differ('type', path, words(ours, type), words(theirs, otherType))
    }
  }

  #objects(ours: Record<string, unknown>, theirs: Record<string, unknown>, path: string): void {
    // In a shared account, the other fields of a page depend on the list's items.
    const isPage = !this.#comparability.ownSandboxes && Object.values(ours).some(Array.isArray)
    for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const inner = path + member(name)
      const [here, there] = [ours, theirs].map((side) => Object.hasOwn(side, name))
      if (here && there) {
        if (isPage && Array.isArray(ours[name]) && Array.isArray(theirs[name]))
          this.#sharedLists([ours, ours[name]], [theirs, theirs[name]], inner)
        else if (!isPage) this.#values(ours[name], theirs[name], inner)
      } else this.differ('field', inner, here ? 'a field' : ABSENT, there ? 'a field' : ABSENT)
    }
  }

  #lists(ours: readonly unknown[], theirs: readonly unknown[], path: string): void {
    this.differ('items', path, counted(ours.length, 'item'), counted(theirs.length, 'item'))
    if (ours.length === theirs.length)
      for (const [index, item] of ours.entries()) this.#values(item, theirs[index], `${path}[${index}]`)
  }

  /**
   * In a shared account, lists contain items of others, so only the items that both sides created are compared. An item that one
   * side lacks may be on its next page.
   */
  #sharedLists([ourPage, ours]: Page, [theirPage, theirs]: Page, path: string): void {
    const [here, there] = [
      ours.map((item) => this.#roleOf(item)),
      theirs.map((item) => this.#roleOf(item, true)),
    ]
    const places = new Map(there.map((role, place) => [role, place]))
    const both = here.flatMap((role, at) => (places.has(role) ? [{ at, other: places.get(role)! }] : []))
    const orderOf = (shared: typeof both) => `our items ${shared.map(({ at }) => at + 1).join(', ')}`
    this.differ('items', path, orderOf(both), orderOf(both.toSorted((a, b) => a.other - b.other)))
    for (const { at, other } of both) this.#values(ours[at], theirs[other], `${path}[${at}]`)
    const lacks = (page: Record<string, unknown>, roles: readonly string[], others: readonly string[]) =>
      hasMore(page) ? 0 : others.filter((role) => this.alike.isPaired(role) && !roles.includes(role)).length
    const [onlyHere, onlyThere] = [lacks(theirPage, there, here), lacks(ourPage, here, there)]
    if (onlyHere > 0) this.#add('items', path, `${counted(onlyHere, 'item')} more`, 'fewer')
    if (onlyThere > 0) this.#add('items', path, 'fewer', `${counted(onlyThere, 'item')} more`)
  }

  /**
   * Identifies an item across both sides: by our id, or for an event, whose id appears nowhere else, by its type and resource.
   */
  #roleOf(item: unknown, isTheirs = false): string {
    const own = (id: unknown) => String(isTheirs ? this.alike.oursFor(id) : id)
    if (!isObject(item)) return own(item)
    const { id, type, data } = item
    if (isObject(data) && typeof type === 'string') return `${type} ${own(data.id)}`
    return own(id)
  }

  #strings(ours: string, theirs: string, path: string): void {
    if (isTime(ours) && isTime(theirs)) this.#instants(ours, theirs, path)
    else {
      const [here, there] = this.#withoutOrigins(ours, theirs)
      const role = `${path} of ${this.#place}`
      const prefix = this.alike.otherPrefix(here, there, role)
      const isSame = this.alike.agree(here, there, role) || this.alike.arePaired(ours, theirs)
      if (prefix) this.#add('id', path, beginning(prefix.ours), beginning(prefix.theirs))
      else if (!isSame) this.#otherText(ours, theirs, path)
    }
    this.observations += 1
  }

  #otherText(ours: string, theirs: string, path: string): void {
    const [known, otherKnown] = [this.alike.roleOfOurs(ours), this.alike.roleOfTheirs(theirs)]
    const isId = known !== JSON.stringify(ours) && otherKnown !== JSON.stringify(theirs)
    this.#add(isId ? 'id' : 'value', path, known, otherKnown)
  }

  /** Compares the format of two times and their order. */
  #instants(ours: string, theirs: string, path: string): void {
    if (shapeOf(ours) !== shapeOf(theirs)) this.#add('time', path, shapeOf(ours), shapeOf(theirs))
    const time = {
      ours: Date.parse(ours),
      theirs: Date.parse(theirs),
      role: `${path} of ${this.#place}`,
    }
    const [latest = time, earliest = time] = this.#times
    const wrong = this.#times.find((known) => {
      const [here, there] = [orderOf(time.ours, known.ours), orderOf(time.theirs, known.theirs)]
      // With a running clock, times that are equal on one side may be moments apart on the other.
      return this.#comparability.frozen ? here !== there : here * there < 0
    })
    if (wrong) {
      const words = (a: number, b: number) => `${ORDER[orderOf(a, b) + 1]} ${wrong.role}`
      this.#add('time', path, words(time.ours, wrong.ours), words(time.theirs, wrong.theirs))
      this.#timesOutOfOrder += 1
      // Two consecutive mismatches mean that one of the reference times is wrong.
      if (this.#timesOutOfOrder > 1) this.#times = [time, time]
      return
    }
    this.#timesOutOfOrder = 0
    this.#times = [time.ours > latest.ours ? time : latest, time.ours < earliest.ours ? time : earliest]
  }

  /** URLs differ in the origin and in the sandbox's path. */
  #withoutOrigins(ours: string, theirs: string): [string, string] {
    if (!ours.startsWith(`${this.#comparability.origin}/`) || !URL.canParse(theirs)) return [ours, theirs]
    return [pageOf(ours), pageOf(theirs)]
  }

  #header({ name, same }: AnswerHeader, ours: Answered, theirs: Answered): void {
    const [here, there] = [ours, theirs].map(({ headers }) => {
      const text = headers[name.toLowerCase()]
      if (text === undefined || same === 'text') return text
      return same === 'presence' ? 'there' : text.split(';')[0]!.trim().toLowerCase()
    })
    if (here === undefined && there === undefined) return
    if (here === undefined || there === undefined)
      this.differ('header', headerPath(name), here ?? ABSENT, there ?? ABSENT)
    else this.#strings(here, there, headerPath(name))
  }

  /** Compares two texts about a request, such as how its connection ended. */
  differ(kind: Difference['kind'], path: string, ours: string, theirs: string): void {
    this.observations += 1
    if (ours !== theirs) this.#add(kind, path, ours, theirs)
  }

  #add(kind: Difference['kind'], path: string, ours: string, theirs: string): void {
    if (this.#found.length >= SHOWN_MAX) return
    const shown = path.length > PATH_MAX_CHARS ? `${path.slice(0, PATH_MAX_CHARS)}…` : path
    const verb = kind === 'items' || kind === 'outcome' ? 'has' : path === 'the statuses' ? 'are' : 'is'
    const sentence = `${shown} ${verb} ${theirs} there, and ${ours} here`
    this.#found.push({ kind, path: shown, ours, theirs, sentence })
  }
}

/** A field's name may be as long as the response. */
const PATH_MAX_CHARS = 400

const beginning = (prefix: string) => (prefix === '' ? 'a UUID' : `an id that begins with ${prefix}`)

const pageOf = (address: string) => new URL(address).pathname.replace(/^\/sandboxes\/[^/]+/, '')

const ORDER = ['earlier than', 'the same as', 'later than']
const orderOf = (time: number, other: number): number => Math.sign(time - other)

/** The format of a time: with or without milliseconds, in UTC or with an offset. */
const shapeOf = (time: string) => time.replaceAll(/\d/g, '0')

const writtenAs = (value: unknown): string => writtenNumber(value) ?? JSON.stringify(value)

const bodyType = (body: string, json: unknown): string =>
  json === undefined && jsonIn(body) !== undefined ? 'JSON nested too deeply' : typeOf(json)

function typeOf(value: unknown): string {
  if (value === undefined) return 'not JSON'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'string') return typeof value === 'boolean' ? 'true or false' : 'an object'
  return writtenNumber(value) === undefined ? 'a text' : 'a number'
}
