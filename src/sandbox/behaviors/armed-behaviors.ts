/**
 * The armed behaviors, in the order of arming. Each is a row in the sandbox's database, under a number that its counters share,
 * and an {@link ArmedBehavior} made from the row.
 */
import { z } from 'zod'
import type { RequestWindow } from '../../service/door/rate-limit.ts'
import type { Answering } from '../../service/operations/operation.ts'
import { matchesCall, methodOfRow, paramsOf, type Route, writes } from '../../spec/contract/endpoints.ts'
import { invalidField, methodNotAllowed, routeNotFound } from '../../spec/contract/errors.ts'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'
import type { BehaviorInput } from '../scenario-file/armable.ts'
import { Behavior } from '../scenario-file/behavior.ts'
import { writtenBehaviors } from '../scenario-file/read-behaviors.ts'
import { ArmedBehavior, type ScopeCounts } from './armed-behavior.ts'
import type { FaultServices } from './faults/fault.ts'
import type { Remembered, RememberedMap } from './remembered.ts'

/** In the form of a file. */
type WrittenBehavior = z.input<typeof Behavior>

/** The row of a behavior. */
interface ArmedRow {
  id: string
  /** Without the key of the real staging. */
  behavior: WrittenBehavior
  armedAt: number
  /** Whether it came from the file that the simulator was started with. */
  permanent: boolean
}

/**
 * Commits a change of what is armed. If the commit fails, the behaviors are loaded from the database again,
 * and it throws.
 */
type Commit = <Changed>(change: () => Changed) => Changed

export class ArmedBehaviors {
  readonly #remembered: Remembered
  readonly #services: FaultServices
  readonly #commit: Commit
  /** How many were armed without an id; this number is used in their ids. */
  readonly #unnamed: RememberedMap<number>
  readonly #rows: RememberedMap<ArmedRow>
  /** The behaviors by row number. */
  #armed = new Map<string, ArmedBehavior>()
  #lastNumber = 0
  /**
   * The key of the real staging for each behavior with `forward`, by id and address, so that a copy of the database never sends a
   * key elsewhere.
   */
  readonly #realKeys = new Map<string, string>()
  /** Armed again after every reset. */
  #permanent: BehaviorInput = []

  constructor(remembered: Remembered, services: FaultServices, commit: Commit) {
    this.#remembered = remembered
    this.#services = services
    this.#commit = commit
    this.#unnamed = remembered('behaviors without an id')
    this.#rows = remembered('armed')
  }

  get size(): number {
    return this.#armed.size
  }

  /** All that are armed, with their counters. */
  list(): readonly ArmedBehavior[] {
    return [...this.#armed.values()]
  }

  /** The paths of stubs, in the order of arming. */
  stubs(): string[] {
    return this.list().flatMap(({ behavior: { when } }) => when.stub ?? [])
  }

  [Symbol.iterator](): Iterator<ArmedBehavior> {
    return this.#armed.values()
  }

  /** Makes the behaviors from the rows of the database. */
  load(): void {
    this.#armed = new Map()
    for (const [number, row] of this.#rows) {
      this.#armed.set(number, this.#armedOf(number, row))
      this.#lastNumber = Math.max(this.#lastNumber, Number(number))
    }
  }

  /** Arms behaviors after those already armed. An armed behavior with the same id is removed, with its counters. */
  arm(given: BehaviorInput): ArmedBehavior[] {
    return this.#commit(() => this.#arm(this.#read(given)))
  }

  /** Arms these and disarms all others. */
  replace(given: BehaviorInput): ArmedBehavior[] {
    return this.#commit(() => this.#arm(this.#read(given), () => true))
  }

  /**
   * Arms behaviors now and after every reset, replacing the previous permanent ones. If the database has the same ones from the
   * last run, they keep their counters.
   */
  armPermanently(given: BehaviorInput): void {
    this.#permanent = given
    const armed = [...this.#rows].filter(([, { permanent }]) => permanent)
    if (armed.length === 0 && Array.isArray(given) && given.length === 0) return
    const written = writtenBehaviors(given)
    const before = JSON.stringify(armed.map(([, { behavior }]) => behavior))
    if (before === JSON.stringify(written.map(withoutRealKey))) {
      for (const [index, [, { id }]] of armed.entries()) this.#keepRealKey(id, written[index]!)
      return
    }
    const replaced = new Set(armed.map(([number]) => number))
    this.#commit(() => this.#arm(this.#read(given, { permanent: true }), (number) => replaced.has(number)))
  }

  /** Disarms one, or all without an id; returns false if that id is not armed. Requests held at its gate remain held. */
  disarm(id?: string): boolean {
    const meant = [...this.#armed].filter(([, armed]) => id === undefined || armed.id === id)
    if (meant.length > 0) {
      this.#commit(() => {
        for (const [number] of meant) this.#remove(number)
      })
    }
    return id === undefined || meant.length > 0
  }

  /** Arms only the permanent behaviors, after a reset has removed all rows; called inside its transaction. */
  armPermanentAgain(): void {
    this.#armed = new Map()
    this.#arm(this.#read(this.#permanent, { permanent: true }))
  }

  #read(given: BehaviorInput, { permanent = false } = {}): ArmedRow[] {
    const armedAt = this.#services.clock.now()
    return writtenBehaviors(given).map((behavior) => {
      const id = behavior.id ?? this.#nextId()
      this.#keepRealKey(id, behavior)
      return { id, behavior: withoutRealKey(behavior), armedAt, permanent }
    })
  }

  #keepRealKey(id: string, { do: words }: WrittenBehavior): void {
    if ('forward' in words) this.#realKeys.set(`${id} ${words.forward}`, words.apiKey)
  }

  #arm(rows: readonly ArmedRow[], isReplaced: (number: string) => boolean = () => false): ArmedBehavior[] {
    const ids = new Set(rows.map(({ id }) => id))
    const removed = [...this.#armed].filter(([number, { id }]) => ids.has(id) || isReplaced(number))
    if (this.#armed.size - removed.length + rows.length > TESTER_LIMITS.behaviors.max) {
      throw invalidField('behaviors', `must be at most ${TESTER_LIMITS.behaviors.max} armed at a time`)
    }
    for (const [number] of removed) this.#remove(number)
    return rows.map((row) => {
      this.#lastNumber += 1
      const number = String(this.#lastNumber)
      const armed = this.#armedOf(number, row)
      this.#rows.set(number, row)
      this.#armed.set(number, armed)
      return armed
    })
  }

  #nextId(): string {
    const number = (this.#unnamed.get('') ?? 0) + 1
    this.#unnamed.set('', number)
    return `behavior-${number}`
  }

  #armedOf(number: string, { id, behavior, armedAt }: ArmedRow): ArmedBehavior {
    const counts = this.#remembered<ScopeCounts>(countsOf(number))
    const rateWindows = this.#remembered<RequestWindow>(rateWindowsOf(number))
    const { do: words } = behavior
    const realKey = () => ('forward' in words ? this.#realKeys.get(`${id} ${words.forward}`) : undefined)
    const services = { ...this.#services, rateWindows, realKey }
    return new ArmedBehavior({ id, behavior: z.decode(Behavior, behavior), armedAt, counts }, services)
  }

  #remove(number: string): void {
    this.#armed.delete(number)
    this.#rows.delete(number)
    this.#remembered(countsOf(number)).clear()
    this.#remembered(rateWindowsOf(number)).clear()
  }
}

/** What is written to the database: a secret of the real staging must not be in any file, snapshot or copy. */
const withoutRealKey = (behavior: WrittenBehavior): WrittenBehavior =>
  'forward' in behavior.do ? { ...behavior, do: { ...behavior.do, apiKey: 'kept-in-memory-only' } } : behavior

const countsOf = (number: string) => `counts of ${number}` as const
const rateWindowsOf = (number: string) => `rate windows of ${number}` as const

type RouteOf = (method: string, path: string) => Route<Answering> | undefined

/**
 * Adds the armed stubs to the routes: paths under /v1 that are not in the specification and that a behavior answers, the first
 * match. Such a request passes the door like any other: key, limit, body and Idempotency-Key are checked, and it is journaled.
 */
export const withStubs =
  (routeOf: RouteOf, armed: ArmedBehaviors): RouteOf =>
  (method, path) => {
    const route = routeOf(method, path)
    if (route?.row || armed.size === 0) return route
    const asked = methodOfRow(method)
    const pattern = armed.stubs().find((stub) => matchesCall(stub)(`${asked} ${path}`))
    if (pattern === undefined) return route
    const stub = pattern.split(' ')[1]!
    return { row: stubOperation(asked, stub, route), params: paramsOf(stub, path), allowed: [] }
  }

/** If no behavior answers the request, the refusal is the same as without the stub. */
const stubOperation = (method: string, path: string, route: Route<Answering> | undefined): Answering => ({
  id: null,
  method,
  path,
  subject: undefined,
  writes: writes(method),
  honorsKey: method === 'POST',
  body: undefined,
  query: undefined,
  maps: [],
  perform() {
    throw route ? methodNotAllowed(route.allowed) : routeNotFound()
  },
})
