/**
 * Writes requests, and the tester's acts between them, as steps, one after another, and remembers the ids and keys that the steps
 * have named.
 */

import { CLIENT_LEFT, type ConnectionFaultKind, mayActBefore } from '../../spec/contract/connection-fault.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { pathOfTarget, splitTarget, writes } from '../../spec/contract/endpoints.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { isTime } from '../../spec/contract/time.ts'
import { CaptureNames } from './capture-names.ts'
import { IDS } from './resource-ids.ts'
import type { ArmedInSession, RecordedRequest, Session, WrittenStep } from './session.ts'
import type { TesterAct } from './tester-acts.ts'

export class StepWriter {
  readonly steps: WrittenStep[] = []
  readonly #frozen: boolean
  /** The behaviors that the file arms, by their ids; undefined if it arms none. */
  readonly #armed: ReadonlyMap<string, ArmedInSession> | undefined
  readonly #captures = new CaptureNames()
  /** The name after `uuid:` for each idempotency key. */
  readonly #keyNames = new Map<string, string>()
  /** The first step with each key, by {@link sameRequest}. */
  readonly #firstSent = new Map<string, WrittenStep>()
  /** The last `X-Sim` written for each key, by {@link sameRequest}. */
  readonly #lastXSim = new Map<string, unknown>()
  /** The last step whose response had each cursor, by {@link pageOf}. */
  readonly #pages = new Map<string, WrittenStep>()
  /** The clock of the sandbox in which the file is played. */
  #clock: number | undefined

  constructor({ frozen = false, armed }: Session) {
    this.#frozen = frozen
    this.#armed = armed && new Map(armed.map((behavior) => [behavior.id, behavior]))
  }

  /** An act on a resource that no response has named is omitted: no request depends on it. */
  act({ at, command, subject, made }: TesterAct, usedLater: ReadonlySet<string>): void {
    if (!this.#captures.has(subject)) return
    this.#advanceTo(Date.parse(at))
    const capture = this.#captures.captureFrom({ id: made }, usedLater)
    this.steps.push({ sim: this.#captures.fill(command), ...(capture && { capture }) })
  }

  /** Captures the ids of the response that are used later. */
  request(request: RecordedRequest, usedLater: ReadonlySet<string>): void {
    this.#advanceTo(request.at)
    const repeat = this.#repeatOf(request)
    const step = repeat ?? this.#call(request)
    if (!repeat && request.key !== null) this.#firstSent.set(sameRequest(request), step)
    step.expect = this.#expected(request)
    const captures = this.#capturesOf(request, usedLater)
    if (captures) step.capture = captures
    const cursor = nextCursorIn(request)
    if (cursor !== undefined) this.#pages.set(pageOf(request, cursor), step)
    this.steps.push(step)
  }

  /** The clock of the played sandbox is frozen. If the session's was not, a gap of less than a second is omitted. */
  #advanceTo(time: number): void {
    this.#clock ??= time
    const gap = time - this.#clock
    if (gap <= 0 || (gap < 1000 && !this.#frozen)) return
    this.#clock = time
    this.steps.push({ sim: { advance: formatDuration(gap) } })
  }

  // What is sent

  /** A replay sends the bytes and headers of an earlier step again, so a fault that acts on it needs a step with its own header. */
  #repeatOf(request: RecordedRequest): WrittenStep | undefined {
    const first = request.verdict === 'replayed' ? this.#firstSent.get(sameRequest(request)) : undefined
    if (!first) return undefined
    if (this.#armed) return { id: request.id, repeat: first.id, ...this.#meanwhile(request) }
    if (xSimFor(request) !== undefined) return undefined
    first.id ??= `step-${this.steps.indexOf(first) + 1}`
    // Keys are written in the order of insertion, and a step's id comes first.
    const { id, ...rest } = first
    for (const name of Object.keys(first)) delete first[name]
    Object.assign(first, { id, ...rest })
    return { repeat: id }
  }

  #call(request: RecordedRequest): WrittenStep {
    const { asked, key } = request
    const isArmed = request.fired.some((id) => this.#armed?.has(id))
    const header = headersToSend(request, isArmed)
    if (key !== null && header['X-Sim'] !== undefined) {
      const same = sameRequest(request)
      // The same header acts once on a key, so the fault of a behavior that acted again is spelled with a space.
      if (asked.headers['x-sim'] === undefined && header['X-Sim'] === this.#lastXSim.get(same))
        header['X-Sim'] = String(header['X-Sim']).replace('=', '= ')
      this.#lastXSim.set(same, header['X-Sim'])
    }
    return {
      ...(this.#armed && { id: request.id }),
      call: `${asked.method} ${this.#withCursor(request)}`,
      ...(key !== null && { key: this.#armed ? this.#captures.fillText(key) : this.#uuidFor(key) }),
      ...this.#body(asked.body),
      ...(Object.keys(header).length > 0 && { header }),
      ...this.#meanwhile(request),
    }
  }

  /** The clock is frozen, so a behavior that delays a request would delay it forever. */
  #meanwhile({ fired }: RecordedRequest): WrittenStep {
    const waits = fired.flatMap((id) => {
      const words = this.#armed?.get(id)?.do
      if (!words || !('delay' in words)) return []
      return typeof words.delay === 'string' ? words.delay : words.delay.p99
    })
    return waits.length === 0 ? {} : { meanwhile: waits.map((advance) => ({ sim: { advance } })) }
  }

  /** Cursors differ between services, so this one is captured from the earlier response that had it. */
  #withCursor(request: RecordedRequest): string {
    const { target } = request.asked
    const text = this.#captures.fillText(target)
    const page = pageOf(request, new URLSearchParams(splitTarget(target)[1]).get('cursor'))
    const step = this.#pages.get(page)
    if (step === undefined) return text
    const name = this.#captures.named(page, 'cursor')
    step.capture = { ...(step.capture as object), [name]: '$.nextCursor' }
    return text.replace(/(?<=[?&]cursor=)[^&]*/, () => `\${${name}}`)
  }

  #uuidFor(key: string): string {
    const name = this.#keyNames.get(key) ?? `k${this.#keyNames.size + 1}`
    this.#keyNames.set(key, name)
    return `\${uuid:${name}}`
  }

  #body(body: string): WrittenStep {
    if (body === '') return {}
    const json = parsedJson(body)
    return isObject(json) ? { json: this.#captures.fill(json) } : { raw: this.#captures.fillText(body) }
  }

  // What is expected

  #expected(request: RecordedRequest): WrittenStep {
    const loss = expectedLoss(request)
    if (loss) return loss
    const { answered, step, verdict } = request
    const expected: WrittenStep = { status: answered?.status ?? null }
    // A body may depend on what happens elsewhere in the session.
    if (this.#armed) return expected
    const json = parsedJson(answered?.body ?? '')
    // The body of a behavior's response is not the contract's, so only its status is expected.
    if (isObject(json) && step !== 'behaviors') expected.json = this.#shapeOf(json)
    if (verdict === 'replayed') expected.header = { 'idempotent-replayed': 'true' }
    return expected
  }

  /** Texts and numbers are expected exactly, ids by their capture or prefix, times, page addresses and lists by type. */
  #shapeOf(value: unknown): unknown {
    if (Array.isArray(value)) return { type: 'array' }
    if (isObject(value)) {
      if (Array.isArray(value.data)) return { data: { type: 'array' } }
      const told = Object.entries(value).filter(([name, inner]) => !this.#dependsOnEarlier(name, inner))
      return Object.fromEntries(told.map(([name, inner]) => [name, this.#shapeOf(inner)]))
    }
    if (typeof value !== 'string') return value
    if (this.#captures.has(value)) return this.#captures.fillText(value)
    // By type only: under another profile ids have other prefixes.
    if (IDS.isId(value)) return { type: 'string' }
    if (isTime(value) || value.includes('/checkout/')) return { type: 'string' }
    return this.#captures.fillText(value)
  }

  /**
   * Whether a field depends on earlier data: the business may or may not be a customer where the file is
   * played.
   */
  #dependsOnEarlier(name: string, value: unknown): boolean {
    return name === 'customerId' && !(typeof value === 'string' && this.#captures.has(value))
  }

  #capturesOf(request: RecordedRequest, usedLater: ReadonlySet<string>): WrittenStep | undefined {
    if (request.answered === null || expectedLoss(request)) return undefined
    return this.#captures.captureFrom(parsedJson(request.answered.body), usedLater)
  }
}

/** Includes the body: a replay responds only to the same body, and refuses another under the same key. */
const sameRequest = ({ asked: { method, target, body }, key }: RecordedRequest) =>
  `${method} ${target} ${key} ${body}`

/** A cursor belongs to its list. */
const pageOf = ({ asked }: RecordedRequest, cursor: string | null) =>
  `${pathOfTarget(asked.target)} ${cursor}`

function nextCursorIn({ answered, ending }: RecordedRequest): string | undefined {
  const json = ending === null ? parsedJson(answered?.body ?? '') : undefined
  return isObject(json) && typeof json.nextCursor === 'string' ? json.nextCursor : undefined
}

/** What a client sees of each connection fault, as a step's `expect`; undefined if the response arrives whole. */
const SEEN_BY_CLIENT: Record<ConnectionFaultKind, ((status: number | null) => WrittenStep) | undefined> = {
  reset: () => ({ connection: 'reset' }),
  close: () => ({ connection: 'closed' }),
  hang: () => ({ connection: 'timeout', within: '300ms' }),
  crash: () => ({ connection: 'reset' }),
  truncate: (status) => ({ status, connection: 'closed' }),
  'bad-json': (status) => ({ status, json: { exists: false } }),
  'bad-chunk': () => ({ connection: 'broken' }),
  drip: undefined,
}

/** What a client saw instead of a response. Undefined for a request whose response arrived whole. */
const expectedLoss = ({ ending, answered }: RecordedRequest): WrittenStep | undefined =>
  ending === null || ending === CLIENT_LEFT ? undefined : SEEN_BY_CLIENT[ending]?.(answered?.status ?? null)

/** The headers that a player does not send by itself, and `X-Sim` for the fault that acted. */
function headersToSend(recorded: RecordedRequest, isArmed: boolean): Record<string, unknown> {
  const { asked, key, step } = recorded
  const { headers, body, method } = asked
  const type = headers['content-type']
  const header: Record<string, unknown> = {}
  if (step === 'api key') header['x-api-key'] = 'unknown-key'
  if (type === undefined && body !== '' && writes(method)) header['content-type'] = null
  else if (type !== undefined && type !== 'application/json') header['content-type'] = type
  // A malformed key, or one on an operation without keys.
  if (key === null && headers['idempotency-key'] !== undefined)
    header['idempotency-key'] = headers['idempotency-key']
  const xSim = isArmed ? headers['x-sim'] : xSimFor(recorded)
  if (xSim !== undefined) header['X-Sim'] = xSim
  return header
}

function xSimFor({ asked, answered, step, ending, fired }: RecordedRequest): string | undefined {
  const sent = asked.headers['x-sim']
  if (sent !== undefined) return fired.length > 0 ? withoutWaiting(sent) : sent
  if (ending !== null && ending !== CLIENT_LEFT) {
    const at = step === 'behaviors' ? 'before' : 'after-commit'
    return `fault=${ending}${mayActBefore(ending) ? `; at=${at}` : ''}`
  }
  return step === 'behaviors' && answered !== null ? `respond=${answered.status}` : undefined
}

/** Omits delays and holds: they do not change responses, and would never end in a scenario, whose clock is frozen. */
function withoutWaiting(xSim: string): string | undefined {
  const others = xSim.split(',').filter((fault) => !/^\s*(delay|hold)\s*=/.test(fault))
  return others.length === 0 ? undefined : others.join(',').trim()
}
