/**
 * Plays the steps of one scenario at one address. In a sandbox of a paysim it also has the tester's API; at any other
 * service, steps that need that API are skipped, and where a clock would be moved the next request is retried instead.
 */
import {
  type ExpectOfMany,
  isTooOften,
  TOO_OFTEN,
  type Until,
} from '../../sandbox/scenario-file/expectation.ts'
import type { HostedPageStep } from '../../sandbox/scenario-file/hosted-page-step.ts'
import { differences, type MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { fill, fillText } from '../../sandbox/scenario-file/placeholder.ts'
import { simCommandOf } from '../../sandbox/scenario-file/sim-command.ts'
import {
  type CallStep,
  type CapturedStep,
  type EachStep,
  itemsOf,
  type ParallelStep,
  type RepeatStep,
  type ScenarioStep,
  type UseStep,
} from '../../sandbox/scenario-file/step.ts'
import { msOf, realTimeOf, type StepDuration } from '../../sandbox/scenario-file/step-duration.ts'
import { counted } from '../../spec/contract/counted.ts'
import { formatDuration, tookText } from '../../spec/contract/duration.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { sleep, stopwatch, wallClock } from '../../spec/world/clock.ts'
import { type Buyer, checkPage, openBuyer } from './buyer.ts'
import { checkAnswer, checkAnswers, countStatuses, countsText, endingText } from './checks.ts'
import type { Control } from './control.ts'
import type { Receiver } from './receiver.ts'
import { requestOf, type ServiceWords, send, sendInWords, sendPatiently, sentFrom } from './request.ts'
import type { RequestPace } from './request-pace.ts'
import { labelOf, type StepFindings, type StepResult } from './result.ts'
import {
  advanceClock,
  isClockFrozen,
  runLedger,
  runOutbox,
  runRequests,
  runSim,
  runWebhooks,
  whyUnanswered,
} from './tester-steps.ts'
import { NotPossible, type Variables } from './variables.ts'
import { type PlayedExchange, type Sent, Unreachable } from './wire.ts'

export interface PlayContext {
  base: URL
  apiKey: string
  /** Undefined at a service without a tester's API. */
  control: Control | undefined
  /** Undefined where no webhook of the scenario can arrive. */
  receiver: Receiver | undefined
  /** Set at a service whose rate limit cannot be changed. */
  pace?: RequestPace | undefined
  /** Why a call must not be sent to a service that others use, checked with its captured values. */
  refusal?: ((call: string) => string | undefined) | undefined
  service: ServiceWords
}

/** How often a call is repeated, in milliseconds. */
export interface Patience {
  within: number
  every: number
}

export interface RunOptions {
  variables: Variables
  /** Called with every step as it ends. */
  onStep(result: StepResult): void
  /** Continues after a failed step. */
  keepGoing: boolean
  /** How long a service without a tester's API may take for what a moved clock would have caused. */
  patience: Patience
}

/** Where a step is in the file, and the list that its result is added to. */
interface StepPosition {
  place: string
  results: StepResult[]
  signal?: AbortSignal | undefined
  together?: boolean
  repeated?: boolean
}

type RequestStep = CallStep | RepeatStep

/** A wait in real time that is longer than this is named, as a clock that stands still would be moved at once. */
const LONG_WAIT_MS = 1_000

const waitedInRealTime = (ms: number) =>
  `after ${tookText(ms)} in real time: the clock runs. With sandbox: { clock: { mode: frozen } } it is moved, and nothing waits`

export class ScenarioRun {
  readonly #context: PlayContext
  readonly #options: RunOptions
  readonly #variables: Variables
  /** By the ids of their checkouts. */
  readonly #buyers = new Map<string, Buyer>()
  /**
   * True after a skipped step that would have moved the clock: the next request is retried until it is
   * answered as expected.
   */
  #timeMoved = false

  constructor(context: PlayContext, options: RunOptions) {
    this.#context = context
    this.#options = options
    this.#variables = options.variables
  }

  async play(steps: readonly ScenarioStep[]): Promise<StepResult[]> {
    const results: StepResult[] = []
    for (const [index, step] of steps.entries()) {
      const result = await this.#run(step, { place: String(index + 1), results })
      if (result.outcome === 'failed' && !this.#options.keepGoing) break
    }
    return results
  }

  /** Results are added as steps end, so those of inner steps precede that of the outer one. */
  async #run(step: ScenarioStep, position: StepPosition): Promise<StepResult> {
    const { place, results, together = false, repeated = false } = position
    const [startedAt, began] = [formatInstant(wallClock()), stopwatch()]
    const end = (
      outcome: StepResult['outcome'],
      findings: Partial<StepFindings>,
      reason?: string,
    ): StepResult => {
      const result: StepResult = {
        place,
        id: step.id,
        together,
        repeated,
        label: labelOf(step),
        outcome,
        saw: '',
        reason,
        startedAt,
        tookMs: Math.round(stopwatch() - began),
        request: undefined,
        expected: undefined,
        received: [],
        differences: [],
        ...findings,
      }
      results.push(result)
      this.#options.onStep(result)
      return result
    }
    try {
      const findings = await this.#execute(step, position)
      return end((findings.differences?.length ?? 0) === 0 ? 'passed' : 'failed', findings)
    } catch (error) {
      if (error instanceof NotPossible) return end('skipped', {}, error.message)
      if (error instanceof Unreachable || !(error instanceof Error)) throw error
      return end('failed', {}, error.message)
    }
  }

  async #execute(step: ScenarioStep, position: StepPosition): Promise<StepFindings> {
    const { control, receiver } = this.#context
    if ('call' in step || 'repeat' in step) return this.#request(step, position)
    if ('parallel' in step) return this.#parallel(step, position)
    if ('each' in step || 'use' in step) return this.#stepsOf(step, position)
    if ('captured' in step) return this.#captured(step)
    if ('receiver' in step) {
      if (!receiver) throw new NotPossible('only a tester can say where webhooks go')
      receiver.answer(step.receiver)
      return { saw: '' }
    }
    if ('sim' in step) {
      if (!control) this.#timeMoved ||= simCommandOf(step.sim).movesTime
      return runSim(step, this.#testers('only a tester can do that'), this.#variables)
    }
    if ('webhook' in step) {
      const why = 'only a tester can say where webhooks go'
      if (!receiver) throw new NotPossible(why)
      return runWebhooks(step, this.#testers(why), receiver, this.#variables)
    }
    if ('requests' in step) {
      return runRequests(step, this.#testers("only a tester sees the service's requests"), this.#variables)
    }
    if ('buyer' in step) return this.#buyer(step, this.#testers('only a tester plays the buyer'))
    if ('ledger' in step) {
      return runLedger(step, this.#testers('only a tester sees the ledger'), this.#variables)
    }
    return runOutbox(step, this.#testers('only a tester sees the outbox'), this.#variables)
  }

  /** The tester's API; without one, the step is skipped. */
  #testers(whySkipped: string): Control {
    const { control } = this.#context
    if (!control) throw new NotPossible(whySkipped)
    return control
  }

  // Requests

  async #request(step: RequestStep, position: StepPosition): Promise<StepFindings> {
    if (step.from !== undefined) this.#testers('only a sandbox of a tester takes the IP that it is told')
    const request =
      'call' in step
        ? this.#inOwnSandbox(requestOf(step, this.#context, this.#variables.resolve))
        : this.#requestOfStep(step)
    const refusal = this.#context.refusal?.(`${request.method} ${request.target}`)
    if (refusal !== undefined) throw new NotPossible(refusal)
    if (step.id !== undefined) this.#variables.requests.set(step.id, request)
    if (step.parallel !== undefined) return this.#sendMany(request, step.parallel.count, step, position)

    if (step.until !== undefined) return this.#requestUntil(step.until, request, step, position)
    const attempt = () => this.#sendOne(request, step, position)
    if (step.eventually) return this.#retry(this.#times(step.eventually), sleep, attempt)
    return this.#retry(this.#patienceAfterTime(request), sleep, attempt, isReplay)
  }

  /** Retries until the answer is as `until` says; `expect` is checked on that answer. */
  async #requestUntil(
    { within: longest, every: often, ...awaited }: Until,
    request: Sent,
    step: RequestStep,
    position: StepPosition,
  ): Promise<StepFindings> {
    const { control } = this.#context
    const isFrozen = control !== undefined && (await isClockFrozen(control))
    const wait = isFrozen ? (ms: number) => advanceClock(control, ms) : sleep
    const asked = this.#times(
      { within: longest, every: often },
      isFrozen || control === undefined ? msOf : realTimeOf,
    )
    // A service without a tester's API is not waited for in days: its patience is the limit.
    const most = control === undefined ? this.#options.patience : asked
    const within = Math.min(asked.within, most.within)
    const every = Math.min(asked.every, most.every)
    const attempt = () => this.#sendOne(request, { ...step, expect: awaited, capture: undefined }, position)
    const began = stopwatch()
    const { differences = [], ...seen } = await this.#retry({ within, every }, wait, attempt)
    const tookMs = stopwatch() - began
    // Only a sandbox has a clock that could stand still.
    const couldBeMoved = control !== undefined && !isFrozen && tookMs > LONG_WAIT_MS
    const findings = couldBeMoved ? { ...seen, saw: `${seen.saw}, ${waitedInRealTime(tookMs)}` } : seen
    if (differences.length > 0) {
      const where = isFrozen ? "on the sandbox's clock" : 'in real time'
      const waited = `${formatDuration(within)} ${where}`
      return {
        ...findings,
        differences: differences.map((one) => ({ ...one, expected: `${one.expected} within ${waited}` })),
      }
    }
    const received = findings.received![0]!
    const judged = this.#judge(request, { ...step, expect: step.expect ?? awaited }, received)
    return { ...findings, ...judged, saw: findings.saw }
  }

  /**
   * Repeats until there are no differences or the time is over. `wait` passes real time, or moves the
   * sandbox's clock. `isFinal` finds that no other answer will come; the one before counts.
   */
  async #retry(
    patience: Patience | undefined,
    wait: (ms: number) => Promise<unknown>,
    attempt: () => Promise<StepFindings>,
    isFinal: (findings: StepFindings) => boolean = () => false,
  ): Promise<StepFindings> {
    const began = stopwatch()
    let moved = 0
    let last: StepFindings | undefined
    for (;;) {
      const findings = await attempt()
      if (findings.differences?.length === 0 || patience === undefined) return findings
      if (isFinal(findings)) return last ?? findings
      last = findings
      const passed = wait === sleep ? stopwatch() - began : moved
      if (passed + patience.every > patience.within) return findings
      await wait(patience.every)
      moved += patience.every
    }
  }

  async #sendOne(request: Sent, step: RequestStep, position: StepPosition): Promise<StepFindings> {
    const written = this.#withTime(step.expect)
    await this.#context.pace?.take(1)
    const answering = new AbortController()
    const signal = position.signal ? AbortSignal.any([position.signal, answering.signal]) : answering.signal
    const [received, failed] = await Promise.all([
      this.#send(request, written, { place: position.place, signal }),
      this.#meanwhile(step.meanwhile ?? [], position).then((failed) => {
        if (failed !== undefined) answering.abort()
        return failed
      }),
    ])

    const findings = this.#judge(request, step, received)
    if (failed !== undefined && received.ending !== null) {
      const why = `nothing: it was no longer waited for, as ${failed} failed`
      return { ...findings, differences: [{ path: 'connection', expected: 'answered', received: why }] }
    }
    return received.ending === 'timeout' ? this.#explained(findings, request) : findings
  }

  /** Adds to a missing answer why the simulator gave none. */
  async #explained(findings: StepFindings, request: Sent): Promise<StepFindings> {
    const { control } = this.#context
    const { differences = [] } = findings
    if (!control || !differences.some(({ path }) => path === 'connection')) return findings
    const why = await whyUnanswered(control, request)
    if (why === undefined) return findings
    const told = differences.map((one) =>
      one.path === 'connection' ? { ...one, received: `${one.received}: ${why}` } : one,
    )
    return { ...findings, differences: told }
  }

  #judge(request: Sent, step: RequestStep, received: PlayedExchange): StepFindings {
    const expected = fill(step.expect ?? {}, this.#variables.resolve)
    if (step.id !== undefined) this.#variables.answers.set(step.id, received)
    const found = [
      ...checkAnswer(expected, received, this.#variables.answers),
      ...this.#variables.captureFrom(capturable(received), step.capture),
    ]
    return { saw: endingText(received), request, expected, received: [received], differences: found }
  }

  /** The place of a step that failed. The request is then aborted, because its answer may depend on the steps that are left. */
  async #meanwhile(
    steps: readonly ScenarioStep[],
    { place, results, signal }: StepPosition,
  ): Promise<string | undefined> {
    for (const [index, step] of steps.entries()) {
      const inner = await this.#run(step, { place: `${place}.${index + 1}`, results, signal })
      if (inner.outcome === 'failed') return inner.place
    }
    return undefined
  }

  async #sendMany(
    request: Sent,
    count: number,
    step: RequestStep,
    position: StepPosition,
  ): Promise<StepFindings> {
    const written = this.#withTime(step.expect)
    const { pace } = this.#context
    if (pace && count > pace.limit)
      throw new NotPossible(
        `the target allows ${pace.limit} requests a minute, and it sends ${count} at once`,
      )
    await pace?.take(count)
    const received = await Promise.all(
      Array.from({ length: count }, () => this.#send(request, written, position)),
    )
    const expected = fill(written, this.#variables.resolve)
    const found = checkAnswers(expected, received, this.#variables.answers)
    return { saw: countsText(received), request, expected, received, differences: found }
  }

  async #parallel(step: ParallelStep, { place, results, signal }: StepPosition): Promise<StepFindings> {
    const expect = step.expect ?? {}
    const inner: StepResult[] = []
    await Promise.all(
      step.parallel.steps.map((one, index) =>
        this.#run('sim' in one ? one : { expect, ...one }, {
          place: `${place}.${index + 1}`,
          results: inner,
          signal,
          together: true,
        }),
      ),
    )
    results.push(...inner)
    checkPlayed(inner)
    const received = inner.flatMap((one) => one.received)
    return {
      saw: countsText(received),
      expected: expect,
      received,
      differences: [...countStatuses(expect, received), ...failuresOf(inner)],
    }
  }

  /** The steps of an `each` or a `use`, one after another. */
  async #stepsOf(step: EachStep | UseStep, { place, results, signal }: StepPosition): Promise<StepFindings> {
    const inner: StepResult[] = []
    for (const [index, one] of step.steps.entries()) {
      const position = { place: `${place}.${index + 1}`, results: inner, signal, repeated: true }
      const { outcome } = await this.#run(one, position)
      if (outcome === 'failed' && !this.#options.keepGoing) break
    }
    results.push(...inner)
    checkPlayed(inner)
    const items = 'each' in step ? (itemsOf(step.each) ?? []) : []
    const failures = failuresOf(inner, (one) => {
      const index = Number(one.place.slice(place.length + 1).split('.', 1)[0]) - 1
      const item = items[Math.floor((index * items.length) / step.steps.length)]
      return item === undefined ? '' : `, with the item ${quoted(item)}`
    })
    const renamed = 'use' in step && failures.length === 0 ? this.#variables.rename(step.capture) : []
    return { saw: counted(step.steps.length, 'step'), differences: [...failures, ...renamed] }
  }

  async #buyer(step: HostedPageStep, control: Control): Promise<StepFindings> {
    const { buyer: id, does = [{ open: true }] } = fill({ ...step, expect: {} }, this.#variables.resolve)
    const buyer = this.#buyers.get(id) ?? (await openBuyer(this.#context.base, control, id))
    this.#buyers.set(id, buyer)
    for (const action of does) await buyer.do(action)
    const page = await buyer.see()
    const expected = fill(step.expect ?? {}, this.#variables.resolve)
    const { heading, text, at } = page
    const found = [
      ...checkPage(expected, page),
      ...this.#variables.captureFrom({ json: { heading, text, at } }, step.capture),
    ]
    const saw = at ?? `${endingText(page.exchange)} ${heading}`
    // The page's text in place of its HTML.
    const { answered } = page.exchange
    const received = { ...page.exchange, answered: answered && { ...answered, body: text } }
    return { saw, request: page.exchange.asked, expected, received: [received], differences: found }
  }

  #captured({ captured }: CapturedStep): StepFindings {
    const expected = fill(captured, this.#variables.resolve)
    const names = Object.keys(captured).map((name) => [name, this.#variables.capturedValue(name)])
    return { saw: '', expected, differences: differences(expected, Object.fromEntries(names)) }
  }

  /** Directs a path of the tester's API to the scenario's own sandbox. */
  #inOwnSandbox(request: Sent): Sent {
    if (!/^\/_sim(\/|$)/.test(request.target)) return request
    const control = this.#testers('only a tester can do that')
    return { ...request, target: control.ownPath(request.target) ?? request.target }
  }

  #requestOfStep({ repeat: id, from }: RepeatStep): Sent {
    const request = this.#variables.requests.get(id)
    if (request === undefined) throw new NotPossible(`it repeats ${id}, which was skipped`)
    return from === undefined ? request : sentFrom(request, fillText(from, this.#variables.resolve))
  }

  #send(
    request: Sent,
    expect: ExpectOfMany,
    { place, signal }: Pick<StepPosition, 'place' | 'signal'>,
  ): Promise<PlayedExchange> {
    const { base, control, pace, service } = this.#context
    return sendInWords(service, request, place, (translated) =>
      control === undefined
        ? sendPatiently(base, translated, expect, { pace, signal })
        : send(base, translated, expect, { signal, connections: control.connections }),
    )
  }

  /** What is known of an expectation before the request is sent: its other values may be captured meanwhile. */
  #withTime(expect: ExpectOfMany = {}): ExpectOfMany {
    return { ...expect, within: fill(expect.within, this.#variables.resolve) }
  }

  /** With captured values filled in. */
  #times(written: { within: StepDuration; every: StepDuration }, read = realTimeOf): Patience {
    const { within, every } = fill(written, this.#variables.resolve)
    const times = { within: read(within), every: msOf(every) }
    if (isTooOften(times.within, times.every)) throw new Error(`every ${TOO_OFTEN}`)
    return times
  }

  /** The patience after skipped time; only for a request that may be sent again without a second effect. */
  #patienceAfterTime({ method, headers }: Sent): Patience | undefined {
    if (!this.#timeMoved) return undefined
    this.#timeMoved = false
    const isIdempotent = !writes(method) || headers['idempotency-key'] !== undefined
    return isIdempotent ? this.#options.patience : undefined
  }
}

const isReplay = ({ received = [] }: StepFindings): boolean =>
  received.some(({ answered }) => answered?.headers['idempotent-replayed'] === 'true')

const capturable = ({ answered }: PlayedExchange) => ({
  json: parsedJson(answered?.body ?? ''),
  headers: answered?.headers,
})

/** A step whose steps were all skipped is skipped as well, for their reason. */
function checkPlayed(inner: readonly StepResult[]): void {
  const [first] = inner
  if (first && inner.every(({ outcome }) => outcome === 'skipped')) throw new NotPossible(first.reason)
}

/** `more` says in which circumstances a step failed. */
const failuresOf = (
  inner: readonly StepResult[],
  more: (one: StepResult) => string = () => '',
): MatchDifference[] =>
  inner
    .filter(({ outcome }) => outcome === 'failed')
    .map((one) => ({ path: one.place + more(one), expected: 'to pass', received: one.reason ?? one.saw }))
