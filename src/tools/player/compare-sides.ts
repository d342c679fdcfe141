/**
 * Compares the answers of two addresses. Generated values are paired by their role, times are compared by
 * their order, and everything else by its value, numbers as they are written.
 */

import type { ShadowDifference } from '../../pages/dashboard/real-service.ts'
import { ANSWER_HEADERS, type AnswerHeader, headerPath } from '../../spec/contract/answer-headers.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { counted } from '../../spec/contract/counted.ts'
import { member, parsedAsWritten, writtenNumber } from '../../spec/contract/json-text.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import type { Answered } from '../../spec/exchange.ts'
import { Alike } from '../../tester/alike/alike.ts'
import { areTimes, type TimePair, timeConflicts, timeInWords } from '../../tester/alike/time-order.ts'
import { connectionText } from './checks.ts'
import type { StepResult } from './result.ts'
import type { PlayedExchange } from './wire.ts'

export interface SideDifference extends ShadowDifference {
  place: string
  label: string
  kind:
    | 'connection'
    | 'status'
    | 'field'
    | 'type'
    | 'value'
    | 'id'
    | 'time'
    | 'length'
    | 'order'
    | 'header'
    | 'outcome'
}

export interface FileDifferences {
  file: string
  name: string
  /** Why the file was not compared. */
  skipped: string | undefined
  /** Why the file could not be started on one side. */
  failed: string | undefined
  differences: readonly SideDifference[]
  /** How many statuses, headers and values were compared. */
  observations: number
}

/** Headers of proxies are not compared. */
const COMPARED = ANSWER_HEADERS.filter(({ same }) => same !== 'nothing')

const ABSENT = 'missing'

export interface Side {
  steps: readonly StepResult[]
  /** The captured values and UUIDs of this side by name. */
  variables: ReadonlyMap<string, string>
  /** The origin at which the file was played. */
  origin: string
  /** Of the service there, as far as it is known. */
  profile: ProfileChanges | undefined
}

export interface Comparability {
  /** Both sides have a sandbox of the file's own, so lists have the same items. */
  ownSandboxes: boolean
  /** The clocks of both stand still, so that times are equal on both or on none. */
  frozen: boolean
}

/** A difference in the answers to one request. */
export type DifferenceOfAnswers = Omit<SideDifference, 'place' | 'label'>
type Found = DifferenceOfAnswers

interface PlacedTime extends TimePair {
  place: string
  path: string
}

/** `observations`: how many statuses, headers and values were compared. */
export function compareSides(
  ours: Side,
  theirs: Side,
  comparability: Comparability,
): { differences: SideDifference[]; observations: number } {
  const comparison = new Comparison(ours, theirs, comparability)
  const differences = comparison.run()
  return { differences, observations: Math.max(comparison.observations, differences.length) }
}

/** The answers of two sides to one request. `origin`: where ours was asked. */
export const compareAnswers = (ours: Answered, theirs: Answered, origin: string): DifferenceOfAnswers[] =>
  new Comparison(
    { steps: [], variables: new Map(), origin, profile: undefined },
    { steps: [], variables: new Map(), origin: '', profile: undefined },
    { ownSandboxes: false, frozen: false },
  ).ofAnswers(ours, theirs)

/** Steps that ran at once are compared only by the counts of their answers. */
export const isComparable = ({ together, request, received }: StepResult): boolean =>
  !together && (request !== undefined || received.length > 1)

/** The name of the step in a comparison of two single answers, without a scenario. */
const ONLY_ANSWER = ''

class Comparison {
  readonly #ours: Side
  readonly #theirs: Side
  readonly #comparability: Comparability
  readonly #alike: Alike
  readonly #times: PlacedTime[] = []
  observations = 0

  constructor(ours: Side, theirs: Side, comparability: Comparability) {
    this.#ours = ours
    this.#theirs = theirs
    this.#comparability = comparability
    this.#alike = new Alike(...[ours, theirs].map(({ profile }) => contractOf(profile).ids))
    this.#alike.pairNamed(ours.variables, theirs.variables)
  }

  run(): SideDifference[] {
    const found = new Map<string, Found[]>()
    for (const step of this.#ours.steps) {
      const other = this.#theirs.steps.find(({ place }) => place === step.place)
      if (other !== undefined) found.set(step.place, this.#step(step, other))
    }
    this.#addTimes(found)
    return this.#ours.steps.flatMap(({ place, label }) =>
      (found.get(place) ?? []).map((one) => ({ place, label, ...one })),
    )
  }

  ofAnswers(ours: Answered, theirs: Answered): Found[] {
    const found = this.#answers(ours, theirs, ONLY_ANSWER)
    this.#addTimes(new Map([[ONLY_ANSWER, found]]))
    return found
  }

  #addTimes(found: ReadonlyMap<string, Found[]>): void {
    for (const conflict of timeConflicts(this.#times, this.#comparability.frozen)) {
      const { place, path } = conflict.time
      const { ours, theirs } = timeInWords(conflict)
      found.get(place)!.push(difference('time', path, ours, theirs))
    }
  }

  #step(step: StepResult, other: StepResult): Found[] {
    if (!isComparable(step) || !isComparable(other)) return outcomes(step, other)
    // The order of several concurrent answers is random; the count of each status is not.
    if (step.received.length > 1) return differ('status', 'statuses', sorted(step.saw), sorted(other.saw))
    const [ours] = step.received
    const [theirs] = other.received
    return ours === undefined || theirs === undefined ? [] : this.#exchanges(ours, theirs, step.place)
  }

  #exchanges(ours: PlayedExchange, theirs: PlayedExchange, place: string): Found[] {
    const [one, another] = [ours.answered, theirs.answered]
    if (ours.ending === theirs.ending && one && another) return this.#answers(one, another, place)
    this.observations += 1
    return ours.ending === theirs.ending
      ? differ('status', 'status', statusText(one), statusText(another))
      : differ('connection', 'connection', connectionText(ours), connectionText(theirs))
  }

  #answers(ours: Answered, theirs: Answered, place: string): Found[] {
    this.observations += 1
    return [
      ...differ('status', 'status', String(ours.status), String(theirs.status)),
      // The body of a refusal is not compared with that of a success: they have nothing in common.
      ...(isRefusal(ours) === isRefusal(theirs) ? this.#bodies(ours, theirs, place) : []),
      ...this.#headers(ours, theirs, place),
    ]
  }

  #bodies(ours: Answered, theirs: Answered, place: string): Found[] {
    const [json, otherJson] = [parsedAsWritten(ours.body), parsedAsWritten(theirs.body)]
    if (json === undefined && otherJson === undefined)
      return this.#texts(ours.body, theirs.body, 'the body', place)
    if (json === undefined || otherJson === undefined)
      return differ('type', 'the body', typeOf(json), typeOf(otherJson))
    return this.#values(json, otherJson, '$', place)
  }

  #values(ours: unknown, theirs: unknown, path: string, place: string): Found[] {
    if (isObject(ours) && isObject(theirs)) return this.#objects(ours, theirs, path, place)
    if (Array.isArray(ours) && Array.isArray(theirs)) return this.#lists(ours, theirs, path, place)
    this.observations += 1
    const [one, another] = [ours, theirs].map((value) => writtenNumber(value) ?? JSON.stringify(value)!)
    const type = typeOf(ours)
    if (type !== typeOf(theirs)) {
      const words = (value: unknown, text: string) =>
        typeof value === 'string' ? `${typeOf(value)}, ${text},` : typeOf(value)
      return [difference('type', path, words(ours, one!), words(theirs, another!))]
    }
    if (type === 'a text') return this.#texts(ours as string, theirs as string, path, place)
    return differ('value', path, one!, another!)
  }

  #objects(
    ours: Record<string, unknown>,
    theirs: Record<string, unknown>,
    path: string,
    place: string,
  ): Found[] {
    // In an account that others use too, the fields beside a list's items depend on their items, so they are
    // not compared.
    const isPage = !this.#comparability.ownSandboxes && Object.values(ours).some(Array.isArray)
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((name) => {
      const inner = path + member(name)
      if (!Object.hasOwn(theirs, name) || !Object.hasOwn(ours, name)) this.observations += 1
      if (!Object.hasOwn(theirs, name)) return [difference('field', inner, 'a field', ABSENT)]
      if (!Object.hasOwn(ours, name)) return [difference('field', inner, ABSENT, 'a field')]
      if (isPage && !Array.isArray(ours[name])) return []
      return this.#values(ours[name], theirs[name], inner, place)
    })
  }

  #lists(ours: readonly unknown[], theirs: readonly unknown[], path: string, place: string): Found[] {
    if (!this.#comparability.ownSandboxes) return this.#sharedItems(ours, theirs, path, place)
    if (ours.length !== theirs.length)
      return differ('length', path, counted(ours.length, 'item'), counted(theirs.length, 'item'))
    return ours.flatMap((item, index) => this.#values(item, theirs[index], `${path}[${index}]`, place))
  }

  /**
   * In an account that others use too, a list has their items: only items that both sides have are compared.
   */
  #sharedItems(ours: readonly unknown[], theirs: readonly unknown[], path: string, place: string): Found[] {
    const both = ours.flatMap((item, at) => {
      const other = theirs.findIndex((one) => this.#alike.arePaired(idOf(item), idOf(one)))
      return other === -1 ? [] : [{ item, at, other }]
    })
    const inTheirOrder = both.toSorted((one, another) => one.other - another.other)
    const orderOf = (shared: typeof both) => shared.map(({ at }) => at + 1).join(', ')
    return [
      ...differ('order', path, orderOf(both), orderOf(inTheirOrder)),
      ...both.flatMap(({ item, at, other }) => this.#values(item, theirs[other], `${path}[${at}]`, place)),
    ]
  }

  #texts(ours: string, theirs: string, path: string, place: string): Found[] {
    const role = place === ONLY_ANSWER ? path : `${path} of step ${place}`
    if (areTimes(ours, theirs)) {
      this.#times.push({ ours, theirs, role, path, place })
      return differ('value', path, shapeOf(ours), shapeOf(theirs))
    }
    const [one, another] = this.#withoutOrigins(ours, theirs)
    const prefix = this.#alike.otherPrefix(one, another, role)
    if (prefix) return [otherPrefix(path, prefix.ours, prefix.theirs)]
    if (this.#alike.agree(one, another, role)) return []
    const [known, otherKnown] = [this.#alike.roleOfOurs(ours), this.#alike.roleOfTheirs(theirs)]
    const isId = known !== JSON.stringify(ours) && otherKnown !== JSON.stringify(theirs)
    return [difference(isId ? 'id' : 'value', path, known, otherKnown)]
  }

  /** Removes each side's origin and the sandbox's path from addresses, which differ in these. */
  #withoutOrigins(ours: string, theirs: string): [string, string] {
    if (!ours.startsWith(`${this.#ours.origin}/`) || !URL.canParse(theirs)) return [ours, theirs]
    return [pageOf(ours), pageOf(theirs)]
  }

  #headers(ours: Answered, theirs: Answered, place: string): Found[] {
    return COMPARED.flatMap((header) => {
      const [one, another] = [headerOf(ours, header), headerOf(theirs, header)]
      const path = headerPath(header.name)
      if (one !== undefined || another !== undefined) this.observations += 1
      const found =
        one === undefined || another === undefined
          ? differ('header', path, one ?? ABSENT, another ?? ABSENT)
          : this.#texts(one, another, path, place)
      return found.map((each) => ({ ...each, kind: 'header' as const }))
    })
  }
}

/** A step of the tester's passes or fails on either side. */
function outcomes(step: StepResult, other: StepResult): Found[] {
  if (step.together || step.outcome === 'skipped' || other.outcome === 'skipped') return []
  const words = ({ outcome, reason, differences }: StepResult) => {
    const [first] = differences
    const why = first === undefined ? reason : `${first.path} is ${first.received}`
    return outcome === 'passed' ? 'passed' : `failed: ${why}`
  }
  return step.outcome === other.outcome ? [] : [difference('outcome', 'the step', words(step), words(other))]
}

const statusText = (answered: Answered | null) => String(answered?.status ?? 'none')

const isRefusal = ({ status }: Answered) => status >= 400

const sorted = (saw: string) => saw.split(', ').sort().join(', ')

const differ = (kind: Found['kind'], path: string, ours: string, theirs: string): Found[] =>
  ours === theirs ? [] : [difference(kind, path, ours, theirs)]

function difference(kind: Found['kind'], path: string, ours: string, theirs: string): Found {
  const name = kind === 'status' || kind === 'connection' ? `the ${path}` : path
  if (kind === 'order')
    return { kind, path, ours, theirs, sentence: `${path} has items ${ours} in the order ${theirs} there` }
  const verb = kind === 'length' || kind === 'outcome' ? 'has' : path === 'statuses' ? 'are' : 'is'
  return { kind, path, ours, theirs, sentence: `${name} ${verb} ${theirs} there, and ${ours} here` }
}

function otherPrefix(path: string, here: string, there: string): Found {
  const words = (prefix: string) => (prefix === '' ? 'a UUID' : `an id that begins with ${prefix}`)
  const [ours, theirs] = [words(here), words(there)]
  const sentence =
    here === '' || there === ''
      ? `${path} is ${theirs} there, and ${ours} here`
      : `${path} begins with ${there} there, and ${here} here`
  return { kind: 'id', path, ours, theirs, sentence }
}

const idOf = (item: unknown): unknown => (isObject(item) ? item.id : undefined)

function typeOf(value: unknown): string {
  if (value === undefined) return 'no JSON'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (writtenNumber(value) !== undefined) return 'a number'
  return { string: 'a text', boolean: 'true or false' }[typeof value as string] ?? 'an object'
}

/** The form of a time: with or without milliseconds, as UTC or with an offset. */
const shapeOf = (time: string) => time.replaceAll(/\d/g, '0')

const pageOf = (address: string) => new URL(address).pathname.replace(/^\/sandboxes\/[^/]+/, '')

function headerOf({ headers }: Answered, { name, same }: AnswerHeader): string | undefined {
  const text = headers[name.toLowerCase()]
  if (text === undefined) return undefined
  if (same === 'presence') return 'there'
  return same === 'media type' ? text.split(';')[0]!.trim().toLowerCase() : text
}
