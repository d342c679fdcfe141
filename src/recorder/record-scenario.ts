/**
 * A session as a scenario: requests that were really made become steps that can be played again anywhere. Ids become
 * captures, keys become fresh ones, and of each answer its status and its shape are expected. What these requests rely
 * on comes with them: the earlier ones that made or changed what they speak of.
 *
 * Trouble that the service made on its own becomes `X-Sim` on the request that met it, so the file needs nothing armed.
 */
import { Document, isMap, visit } from 'yaml'
import { formatDuration } from '../contract/duration.ts'

/** A request of the journal, as far as it matters here. */
export interface RecordedRequest {
  id: string
  arrivedAt: string
  method: string
  target: string
  key: string | null
  /** The step that answered. */
  step: string
  status: number | null
  verdict: string | null
  fault: string | null
  /** The behaviors that acted on it. */
  fired: readonly string[]
  request: { headers: Readonly<Record<string, string>>; body: string }
  response: { body: string } | null
  events: readonly { id: string; type: string; resourceId: string }[]
}

/** An event, as far as it matters here: some are no request's doing. */
export interface RecordedEvent {
  id: string
  type: string
  timestamp: string
  data: { id: string } & Readonly<Record<string, unknown>>
}

export interface Session {
  name: string
  /** Everything that is known, in the order of its arrival. */
  requests: readonly RecordedRequest[]
  /** The requests that were chosen. */
  chosen: readonly string[]
  events: readonly RecordedEvent[]
  refundDelay: string
  requireApproval: boolean
}

export interface Recording {
  yaml: string
  /** The requests that were added, because the chosen ones rely on them. */
  added: string[]
  /** What could not become a step, and why. */
  leftOut: { id: string; why: string }[]
}

export function recordScenario(session: Session): Recording {
  const { steps, added, leftOut } = new Recorder(session).record()
  const first = session.requests.find(({ id }) => added.includes(id) || session.chosen.includes(id))
  const scenario = {
    name: session.name,
    sandbox: {
      clock: { at: first?.arrivedAt ?? new Date(0).toISOString() },
      rateLimit: 'off',
      refundDelay: session.refundDelay,
      ...(session.requireApproval && { requireApproval: true }),
    },
    steps,
  }
  return { yaml: write(scenario, leftOut), added, leftOut }
}

/** One request as the step that repeats it, with its ids as they are: for a scenario that is being written. */
export function recordStep(request: RecordedRequest): string {
  const recorder = new Recorder({
    name: '',
    requests: [request],
    chosen: [request.id],
    events: [],
    refundDelay: '5s',
    requireApproval: false,
  })
  const { steps, leftOut } = recorder.record()
  const [why] = leftOut
  return why ? `# ${why.id} ${why.why}\n` : document(steps).toString(WRITING)
}

type Step = Record<string, unknown>

class Recorder {
  readonly #session: Session
  readonly #captured = new Map<string, string>()
  readonly #keys = new Map<string, string>()
  /** The step that made a keyed request first, for those that repeat it. */
  readonly #originals = new Map<string, Step>()
  readonly #leftOut: Recording['leftOut'] = []
  #played: number | undefined

  constructor(session: Session) {
    this.#session = session
  }

  record(): { steps: Step[]; added: string[]; leftOut: Recording['leftOut'] } {
    const { chosen } = this.#session
    const all = withCauses(this.#session)
    const kept = all.filter((request) => {
      const why = whyNot(request)
      if (why !== undefined && chosen.includes(request.id)) this.#leftOut.push({ id: request.id, why })
      return why === undefined
    })
    const needed = kept.map(idsSent)
    const approvals = approvalsAmong(this.#session, kept)
    const steps: Step[] = []
    for (const [place, request] of kept.entries()) {
      for (const approval of approvals.filter(({ after }) => after === place - 1)) {
        steps.push(...this.#passTime(approval.at, false), this.#approve(approval))
      }
      steps.push(...this.#passTime(request.arrivedAt, this.#isTimed(request, kept[place - 1]?.arrivedAt)))
      steps.push(this.#step(request, needed.slice(place + 1).flat(), approvals))
    }
    const added = kept.map(({ id }) => id).filter((id) => !chosen.includes(id))
    return { steps, added, leftOut: this.#leftOut }
  }

  // Time

  /** The played clock stands still, so what took time is told. Less than a second only matters to what is due. */
  #passTime(at: string, exactly: boolean): Step[] {
    const now = Date.parse(at)
    this.#played ??= now
    const gap = now - this.#played
    if (gap <= 0 || (gap < 1000 && !exactly)) return []
    this.#played = now
    return [{ sim: { advance: formatDuration(gap) } }]
  }

  /** A refund falls due at an instant of its own, and whoever reads it after that instant reads something else. */
  #isTimed(request: RecordedRequest, before: string | undefined): boolean {
    const { events } = this.#session
    const completed = events.some(
      ({ type, timestamp }) =>
        type === 'refund.completed' &&
        timestamp <= request.arrivedAt &&
        (before === undefined || timestamp > before),
    )
    return completed || request.events.some(({ type }) => type === 'refund.created')
  }

  // Steps

  #approve({ checkoutId, method }: Approval): Step {
    return { sim: { approve: this.#filled(checkoutId), ...(method === null ? {} : { method }) } }
  }

  #step(request: RecordedRequest, neededLater: readonly string[], approvals: readonly Approval[]): Step {
    const own = this.#repeats(request)
    const step: Step = own ?? this.#call(request)
    if (own === undefined && request.key !== null) this.#originals.set(nameOf(request), step)
    step.expect = this.#expected(request, own !== undefined)
    const wanted = new Set([...neededLater, ...approvals.map(({ checkoutId }) => checkoutId)])
    const capture = this.#capture(request, wanted)
    if (capture) step.capture = capture
    return step
  }

  /** A replay is the same request again: same key, same bytes. */
  #repeats(request: RecordedRequest): Step | undefined {
    const original = request.verdict === 'replayed' ? this.#originals.get(nameOf(request)) : undefined
    if (!original) return undefined
    original.id ??= `step-${this.#originals.size}`
    // The name comes first where a person looks for it.
    const { id, ...rest } = original
    for (const name of Object.keys(original)) delete original[name]
    Object.assign(original, { id, ...rest })
    return { repeat: id }
  }

  #call(request: RecordedRequest): Step {
    const { method, target, key } = request
    const header = headersOf(request)
    return {
      call: `${method} ${this.#filled(target)}`,
      ...(key !== null && { key: this.#keyOf(key) }),
      ...this.#body(request),
      ...(Object.keys(header).length > 0 && { header }),
    }
  }

  #keyOf(key: string): string {
    const name = this.#keys.get(key) ?? `k${this.#keys.size + 1}`
    this.#keys.set(key, name)
    return `\${uuid:${name}}`
  }

  #body({ request: { body } }: RecordedRequest): Step {
    if (body === '') return {}
    const json = parsed(body)
    return isObject(json) ? { json: this.#filledIn(json) } : { raw: this.#filled(body) }
  }

  // What must come back

  #expected(request: RecordedRequest, isRepeat: boolean): Step {
    const { status, fault, response, step } = request
    if (fault !== null && LOST[fault]) return LOST[fault](status)
    const expected: Step = { status }
    const json = parsed(response?.body ?? '')
    // What a behavior answered is its own affair; only that it did is repeated.
    if (isObject(json) && step !== 'behaviors') expected.json = this.#shapeOf(json)
    if (isRepeat) expected.header = { 'idempotent-replayed': 'true' }
    return expected
  }

  /** Words and amounts as they were; ids as what they were captured as; times, addresses and lists by their type. */
  #shapeOf(value: unknown): unknown {
    if (Array.isArray(value)) return { type: 'array' }
    if (isObject(value)) {
      if (Array.isArray(value.data)) return { data: { type: 'array' } }
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#shapeOf(inner)]))
    }
    if (typeof value !== 'string') return value
    const captured = this.#captured.get(value)
    if (captured !== undefined) return `\${${captured}}`
    const id = ID.exec(value)
    if (id) return { regex: `^${id[1]}_` }
    if (TIME.test(value) || value.includes('/checkout/')) return { type: 'string' }
    return this.#filled(value)
  }

  // Ids

  /** Keeps what a later step needs, where it is read first. */
  #capture(
    { response, fault }: RecordedRequest,
    wanted: ReadonlySet<string>,
  ): Record<string, string> | undefined {
    if (response === null || (fault !== null && LOST[fault])) return undefined
    const found = pathsOf(parsed(response.body)).filter(({ id }) => wanted.has(id) && !this.#captured.has(id))
    if (found.length === 0) return undefined
    const capture: Record<string, string> = {}
    for (const { id, path } of found) {
      if (this.#captured.has(id)) continue
      const name = this.#nameFor(id)
      this.#captured.set(id, name)
      capture[name] = path
    }
    return capture
  }

  #nameFor(id: string): string {
    const kind = NAMES[id.slice(0, id.indexOf('_'))] ?? 'id'
    const taken = new Set(this.#captured.values())
    if (!taken.has(kind)) return kind
    for (let number = 2; ; number += 1) if (!taken.has(`${kind}${number}`)) return `${kind}${number}`
  }

  #filledIn(value: unknown): unknown {
    if (typeof value === 'string') return this.#filled(value)
    if (Array.isArray(value)) return value.map((inner) => this.#filledIn(inner))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#filledIn(inner)]))
  }

  /** A text with its ids as captures; what would be read as a placeholder is written as plain text. */
  #filled(text: string): string {
    return text
      .replaceAll('${', () => '$${')
      .replace(IDS, (id) => (this.#captured.has(id) ? `\${${this.#captured.get(id)}}` : id))
  }
}

// What cannot be a step

function whyNot({ step, status, verdict, fault }: RecordedRequest): string | undefined {
  if (status === null && fault === null) return 'is still under way'
  if (step === 'rate limit') return 'was refused by the rate limit, which a played file does not have'
  if (verdict === 'in flight') return 'met another request under way, and steps come one after another'
  if (status === 500 && step !== 'behaviors') return 'met a bug'
  return undefined
}

// What the chosen ones rely on

function withCauses({ requests, chosen }: Session): readonly RecordedRequest[] {
  const kept = new Set(requests.filter(({ id }) => chosen.includes(id)))
  const spokenOf = new Set([...kept].flatMap(idsIn))
  // Only what came earlier can be relied on, so one walk back from the last one finds it all.
  let latest = false
  for (const request of requests.toReversed()) {
    if (kept.has(request)) latest = true
    else if (latest && request.events.some(({ resourceId }) => spokenOf.has(resourceId))) {
      kept.add(request)
      for (const id of idsIn(request)) spokenOf.add(id)
    }
  }
  return requests.filter((request) => kept.has(request))
}

const idsSent = ({ target, request }: RecordedRequest): string[] =>
  `${target} ${request.body}`.match(IDS) ?? []

/** A list speaks of many, and its step expects no one of them. */
const idsIn = (request: RecordedRequest): string[] => {
  const answer = parsed(request.response?.body ?? '')
  const inAnswer =
    isObject(answer) && Array.isArray(answer.data) ? [] : (request.response?.body.match(IDS) ?? [])
  return [...idsSent(request), ...inAnswer]
}

// What a buyer did in between

interface Approval {
  at: string
  /** The place of the request after which it happened. */
  after: number
  checkoutId: string
  method: string | null
}

function approvalsAmong({ events, requests }: Session, kept: readonly RecordedRequest[]): Approval[] {
  const spokenOf = new Set(kept.flatMap(idsIn))
  const asked = new Set(requests.flatMap((request) => request.events.map(({ id }) => id)))
  return events.flatMap((event, place) => {
    const { id, type, data, timestamp } = event
    if (type !== 'checkout.approved' || asked.has(id) || !spokenOf.has(data.id)) return []
    const method = typeof data.paymentMethodType === 'string' ? data.paymentMethodType : null
    return [{ at: timestamp, after: placeAmong(kept, events, place), checkoutId: data.id, method }]
  })
}

/**
 * After which request an event happened that none of them led to. At one instant the order of the events tells, and
 * who was still told of the state before it came before it.
 */
function placeAmong(
  kept: readonly RecordedRequest[],
  events: readonly RecordedEvent[],
  place: number,
): number {
  const event = events[place]!
  const earlier = new Set(events.slice(0, place).map(({ id }) => id))
  const byOrder = kept.findLastIndex((request) => request.events.some(({ id }) => earlier.has(id)))
  const byTime = kept.findLastIndex(({ arrivedAt }) => arrivedAt < event.timestamp)
  let after = Math.max(byOrder, byTime)
  while (kept[after + 1]?.arrivedAt === event.timestamp && isPending(kept[after + 1]!, event.data.id))
    after += 1
  return after
}

function isPending({ response }: RecordedRequest, checkoutId: string): boolean {
  const answer = parsed(response?.body ?? '')
  return isObject(answer) && answer.id === checkoutId && answer.status === 'pending'
}

// Headers: what a player does not send by itself

function headersOf({
  request: { headers, body },
  key,
  step,
  status,
  fault,
  fired,
  method,
}: RecordedRequest): Record<string, unknown> {
  const header: Record<string, unknown> = {}
  if (step === 'api key') header['x-api-key'] = 'of nobody'
  const type = headers['content-type']
  if (type === undefined && body !== '' && method === 'POST') header['content-type'] = null
  else if (type !== undefined && type !== 'application/json') header['content-type'] = type
  // A key that was not honored, or was none.
  if (key === null && headers['idempotency-key'] !== undefined)
    header['idempotency-key'] = headers['idempotency-key']
  // A magic order asks for its own trouble, in the file as it did before.
  if (fired.some((behavior) => behavior.startsWith('orderId '))) return header
  if (headers['x-sim'] !== undefined) header['X-Sim'] = headers['x-sim']
  else if (fault !== null)
    header['X-Sim'] = `fault=${fault}${canBeBefore(fault) ? `; at=${placeOf(step)}` : ''}`
  else if (step === 'behaviors' && status !== null) header['X-Sim'] = `respond=${status}`
  return header
}

const canBeBefore = (fault: string) => ['reset', 'close', 'hang'].includes(fault)
const placeOf = (step: string) => (step === 'behaviors' ? 'before' : 'after-commit')

/** How a fault looks from the other end. */
const LOST: Record<string, (status: number | null) => Step> = {
  reset: () => ({ connection: 'reset' }),
  close: () => ({ connection: 'closed' }),
  hang: () => ({ connection: 'timeout', within: '300ms' }),
  truncate: (status) => ({ status, connection: 'closed' }),
  'bad-json': (status) => ({ status, json: { exists: false } }),
  'bad-chunk': () => ({ connection: 'broken' }),
}

// Values

const IDS = /\b(?:chk|auth|ref|cus|pm|evt)_[0-9A-Za-z]{6,}/g
const ID = /^(chk|auth|ref|cus|pm|evt)_[0-9A-Za-z]{6,}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

const NAMES: Record<string, string> = {
  chk: 'checkout',
  auth: 'authorization',
  ref: 'refund',
  cus: 'customer',
  pm: 'method',
  evt: 'event',
}

const nameOf = ({ method, target, key }: RecordedRequest) => `${method} ${target} ${key}`

/** Where the ids of an answer stand. */
function pathsOf(value: unknown, path = '$'): { id: string; path: string }[] {
  if (typeof value === 'string') return ID.test(value) ? [{ id: value, path }] : []
  if (Array.isArray(value)) return value.flatMap((inner, place) => pathsOf(inner, `${path}[${place}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, `${path}.${name}`))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Writing

const WRITING = { lineWidth: 110 }
/** What is no longer than this stands on one line. */
const ONE_LINE = 84

function write(scenario: object, leftOut: Recording['leftOut']): string {
  const whole = document(scenario)
  if (leftOut.length > 0) {
    whole.commentBefore = [' Left out:', ...leftOut.map(({ id, why }) => ` ${id} ${why}`)].join('\n')
  }
  return whole.toString(WRITING)
}

function document(value: unknown): Document {
  const made = new Document(value)
  visit(made, {
    Pair(_, { value: inner }) {
      if (isMap(inner) && JSON.stringify(inner.toJS(made)).length <= ONE_LINE) inner.flow = true
    },
  })
  return made
}
