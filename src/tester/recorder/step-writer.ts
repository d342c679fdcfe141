/** Writes requests and approvals as steps, one after another, and remembers which ids and keys the steps have named. */

import { formatDuration } from '../../spec/contract/duration.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { areTimes } from '../alike/time-order.ts'
import type { Approval } from './approvals.ts'
import { CaptureNames } from './capture-names.ts'
import { expectedLoss } from './lost-answers.ts'
import { headersToSend } from './request-headers.ts'
import { carriedOutAt } from './request-times.ts'
import { isId } from './resource-ids.ts'
import type { RecordedEvent, RecordedRequest, Session, WrittenStep } from './session.ts'

export class StepWriter {
  readonly steps: WrittenStep[] = []
  readonly #events: readonly RecordedEvent[]
  readonly #frozen: boolean
  readonly #minimal: boolean
  readonly #wholeSeconds: boolean
  readonly #captures = new CaptureNames()
  /** The name after `uuid:` for each idempotency key. */
  readonly #keyNames = new Map<string, string>()
  /** The step that sent a request with a key first, by {@link sameRequest}. */
  readonly #firstSent = new Map<string, WrittenStep>()
  /** The time on the clock of the sandbox in which the file is played. */
  #clock: number | undefined

  constructor({ events, frozen = false, minimal = false, wholeSeconds = false }: Session) {
    this.#frozen = frozen
    this.#events = events
    this.#minimal = minimal
    this.#wholeSeconds = wholeSeconds
  }

  approve({ at, checkoutId, method }: Approval): void {
    this.#advanceTo(Date.parse(at), { exactly: false })
    const checkout = this.#captures.fillText(checkoutId)
    this.steps.push({ sim: { approve: checkout, ...(method === null ? {} : { method }) } })
  }

  /** Captures those ids of the answer that are used later. */
  request(
    request: RecordedRequest,
    previous: RecordedRequest | undefined,
    usedLater: ReadonlySet<string>,
  ): void {
    const time = carriedOutAt(request, this.#events)
    const since = previous === undefined ? Number.NEGATIVE_INFINITY : carriedOutAt(previous, this.#events)
    this.#advanceTo(time, { exactly: this.#dependsOnTime(request, { time, since }) })
    const repeat = this.#repeatOf(request)
    const step = repeat ?? this.#call(request)
    if (!repeat && request.key !== null) this.#firstSent.set(sameRequest(request), step)
    step.expect = this.#expected(request)
    const captures = this.#capturesOf(request, usedLater)
    if (captures) step.capture = captures
    this.steps.push(step)
  }

  // Time

  /** The clock of the played sandbox is frozen. A gap of less than a second is left out unless something depends on it. */
  #advanceTo(time: number, { exactly }: { exactly: boolean }): void {
    this.#clock ??= time
    const gap = time - this.#clock
    if (gap <= 0 || (gap < 1000 && !exactly && !this.#frozen)) return
    const written = this.#wholeSeconds ? Math.ceil(gap / 1000) * 1000 : gap
    this.#clock += written
    this.steps.push({ sim: { advance: formatDuration(written) } })
  }

  /**
   * Whether a request needs an exact time: the creation of a refund, which completes a fixed time later, and
   * the first request after the completion.
   */
  #dependsOnTime(request: RecordedRequest, { time, since }: { time: number; since: number }): boolean {
    const completed = this.#events.some(
      ({ type, timestamp }) =>
        type === 'refund.completed' && Date.parse(timestamp) <= time && Date.parse(timestamp) > since,
    )
    return completed || request.events.some(({ type }) => type === 'refund.created')
  }

  // What is sent

  /** A replay sends the bytes of an earlier step again. */
  #repeatOf(request: RecordedRequest): WrittenStep | undefined {
    const first = request.verdict === 'replayed' ? this.#firstSent.get(sameRequest(request)) : undefined
    if (!first) return undefined
    first.id ??= `step-${this.steps.indexOf(first) + 1}`
    // Keys are written in the order of insertion, and a step's id comes first.
    const { id, ...rest } = first
    for (const name of Object.keys(first)) delete first[name]
    Object.assign(first, { id, ...rest })
    return { repeat: id }
  }

  #call(request: RecordedRequest): WrittenStep {
    const { asked, key } = request
    const header = headersToSend(request)
    return {
      call: `${asked.method} ${this.#captures.fillText(asked.target)}`,
      ...(key !== null && { key: this.#uuidFor(key) }),
      ...this.#body(asked.body),
      ...(Object.keys(header).length > 0 && { header }),
    }
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
    const json = parsedJson(answered?.body ?? '')
    // The body that a behavior answers is not the contract's, so only its status is expected.
    if (isObject(json) && step !== 'behaviors') {
      const shape = this.#minimal ? this.#whatMatters(json) : this.#shapeOf(json)
      if (!this.#minimal || Object.keys(shape as object).length > 0) expected.json = shape
    }
    if (verdict === 'replayed') expected.header = { 'idempotent-replayed': 'true' }
    return expected
  }

  /** The states, the money and the captured ids. */
  #whatMatters(json: Record<string, unknown>): WrittenStep {
    const fields = Object.entries(json).filter(
      ([name, value]) =>
        name === 'status' ||
        /^amount/.test(name) ||
        (typeof value === 'string' && isId(value) && this.#captures.has(value)),
    )
    return Object.fromEntries(fields.map(([name, value]) => [name, this.#shapeOf(value)]))
  }

  /** Texts and numbers are expected as they are, ids by their capture or prefix, times, page addresses and lists by type. */
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
    if (isId(value)) return { type: 'string' }
    if (areTimes(value) || value.includes('/checkout/')) return { type: 'string' }
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

/** Includes the body: a replay answers only the same body, and refuses another under the same key. */
const sameRequest = ({ asked: { method, target, body }, key }: RecordedRequest) =>
  `${method} ${target} ${key} ${body}`
