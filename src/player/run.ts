/**
 * Plays the steps of one scenario on a stage. Knows an address and a key; where the stage is ours, also its tester's
 * side. On a stage that nobody steers, what only a tester could do or see is skipped, and passing time is waited for.
 */
import { verbRequest } from '../control/verb.ts'
import { SANDBOX_VERBS } from '../control/verbs.ts'
import { differences, type MatchDifference } from '../scenario-file/matcher.ts'
import { fill } from '../scenario-file/placeholder.ts'
import type {
  CallStep,
  Eventually,
  ExpectOfMany,
  LedgerStep,
  OutboxStep,
  ParallelStep,
  RepeatStep,
  ScenarioStep,
  SimStep,
  WebhookStep,
} from '../scenario-file/step.ts'
import { checkAnswer, checkAnswers, countStatuses, countsText, endingText } from './checks.ts'
import type { Control } from './control.ts'
import { labelOf } from './label.ts'
import type { Receiver } from './receiver.ts'
import { requestOf, send, sendPatiently } from './request.ts'
import type { StepResult } from './result.ts'
import { movesTime, simRequest } from './sim-commands.ts'
import { sleep, startStopwatch } from './timing.ts'
import { NotPossible, type Variables, valueAt } from './variables.ts'
import { checkWebhooks, enoughWebhooks } from './webhooks.ts'
import { jsonOf, type PlayedRequest, type ReceivedAnswer, Unreachable } from './wire.ts'

export interface PlayContext {
  base: URL
  apiKey: string
  /** Undefined where nobody steers. */
  control: Control | undefined
  /** Undefined where no webhook of the scenario can arrive. */
  receiver: Receiver | undefined
}

export interface RunOptions {
  memory: Variables
  /** Told of every step as it ends. */
  onStep(result: StepResult): void
  /** Plays on after a failure, as far as that is possible. */
  keepGoing: boolean
  /** How long a stage that nobody steers is given to do what a clock would have been moved for. */
  patience: Eventually
}

/** What a step came to, before it has a name and a place. */
type Seen = Pick<StepResult, 'saw'> &
  Partial<Pick<StepResult, 'request' | 'expected' | 'received' | 'differences'>>

/** Where in the file a step stands, and where its result goes. */
interface Inside {
  place: string
  results: StepResult[]
  signal?: AbortSignal | undefined
  together?: boolean
}

type Asking = CallStep | RepeatStep

export class ScenarioRun {
  readonly #stage: PlayContext
  readonly #options: RunOptions
  readonly #memory: Variables
  /** Set when time should have passed: the next expectation may take a while. */
  #timeMoved = false

  constructor(stage: PlayContext, options: RunOptions) {
    this.#stage = stage
    this.#options = options
    this.#memory = options.memory
  }

  async play(steps: readonly ScenarioStep[]): Promise<StepResult[]> {
    const results: StepResult[] = []
    for (const [index, step] of steps.entries()) {
      const result = await this.#take(step, { place: String(index + 1), results })
      if (result.outcome === 'failed' && !this.#options.keepGoing) break
    }
    return results
  }

  /** Takes one step; the steps inside it come before it, as they end before it. */
  async #take(step: ScenarioStep, internals: Inside): Promise<StepResult> {
    const { place, results, together = false } = internals
    const began = startStopwatch()
    const end = (outcome: StepResult['outcome'], seen: Partial<Seen>, reason?: string): StepResult => {
      const result: StepResult = {
        place,
        id: step.id,
        together,
        label: labelOf(step),
        outcome,
        saw: '',
        reason,
        tookMs: Math.round(startStopwatch() - began),
        request: undefined,
        expected: undefined,
        received: [],
        differences: [],
        ...seen,
      }
      results.push(result)
      this.#options.onStep(result)
      return result
    }
    try {
      const seen = await this.#do(step, internals)
      return end((seen.differences?.length ?? 0) === 0 ? 'passed' : 'failed', seen)
    } catch (error) {
      if (error instanceof NotPossible) return end('skipped', {}, error.message)
      if (error instanceof Unreachable || !(error instanceof Error)) throw error
      return end('failed', {}, error.message)
    }
  }

  #do(step: ScenarioStep, internals: Inside): Promise<Seen> {
    if ('call' in step || 'repeat' in step) return this.#ask(step, internals)
    if ('parallel' in step) return this.#together(step, internals)
    if ('sim' in step) return this.#steer(step)
    if ('webhook' in step) return this.#webhooks(step)
    if ('ledger' in step) return this.#ledger(step)
    return this.#outbox(step)
  }

  // Asking

  async #ask(step: Asking, internals: Inside): Promise<Seen> {
    const request =
      'call' in step ? requestOf(step, this.#stage.apiKey, this.#memory.resolve) : this.#earlier(step.repeat)
    if (step.id !== undefined) this.#memory.requests.set(step.id, request)
    if (step.parallel !== undefined) return this.#askOften(request, step.parallel.count, step, internals)

    const patience = step.eventually ?? this.#patienceAfterTime(request)
    const began = startStopwatch()
    for (;;) {
      const seen = await this.#askOnce(request, step, internals)
      const outOfTime = patience === undefined || startStopwatch() - began + patience.every > patience.within
      if (seen.differences?.length === 0 || outOfTime) return seen
      await sleep(patience.every)
    }
  }

  async #askOnce(request: PlayedRequest, step: Asking, internals: Inside): Promise<Seen> {
    const written = step.expect ?? {}
    const answering = new AbortController()
    const signal = internals.signal ? AbortSignal.any([internals.signal, answering.signal]) : answering.signal
    const [incoming] = await Promise.all([
      this.#send(request, written, signal),
      this.#meanwhile(step.meanwhile ?? [], internals).then((passed) => passed || answering.abort()),
    ])

    const expected = fill(written, this.#memory.resolve)
    if (step.id !== undefined) this.#memory.answers.set(step.id, incoming)
    const found = [
      ...checkAnswer(expected, incoming, this.#memory.answers),
      ...this.#capture(step.capture, jsonOf(incoming)),
    ]
    return { saw: endingText(incoming), request, expected, received: [incoming], differences: found }
  }

  /** Whether all of them passed; otherwise the answer in flight may hang on one that is not taken any more. */
  async #meanwhile(steps: readonly ScenarioStep[], { place, results, signal }: Inside): Promise<boolean> {
    for (const [index, step] of steps.entries()) {
      const { outcome } = await this.#take(step, { place: `${place}.${index + 1}`, results, signal })
      if (outcome === 'failed') return false
    }
    return true
  }

  async #askOften(request: PlayedRequest, count: number, step: Asking, { signal }: Inside): Promise<Seen> {
    const written = step.expect ?? {}
    const received = await Promise.all(
      Array.from({ length: count }, () => this.#send(request, written, signal)),
    )
    const expected = fill(written, this.#memory.resolve)
    const found = checkAnswers(expected, received, this.#memory.answers)
    return { saw: countsText(received), request, expected, received, differences: found }
  }

  async #together(step: ParallelStep, { place, results, signal }: Inside): Promise<Seen> {
    const expect = step.expect ?? {}
    const taken: StepResult[] = []
    await Promise.all(
      step.parallel.steps.map((one, index) =>
        this.#take('sim' in one ? one : { expect, ...one }, {
          place: `${place}.${index + 1}`,
          results: taken,
          signal,
          together: true,
        }),
      ),
    )
    results.push(...taken)
    const received = taken.flatMap((one) => one.received)
    const failed = taken.filter((one) => one.outcome === 'failed')
    const found: MatchDifference[] = failed.map((one) => ({
      path: one.place,
      expected: 'to pass',
      received: one.reason ?? one.saw,
    }))
    return {
      saw: countsText(received),
      received,
      differences: [...countStatuses(expect, received), ...found],
    }
  }

  #earlier(id: string): PlayedRequest {
    const request = this.#memory.requests.get(id)
    if (request === undefined) throw new NotPossible(`it repeats ${id}, which was skipped`)
    return request
  }

  #send(
    request: PlayedRequest,
    expect: ExpectOfMany,
    signal: AbortSignal | undefined,
  ): Promise<ReceivedAnswer> {
    const { base, control } = this.#stage
    return control === undefined
      ? sendPatiently(base, request, expect, signal)
      : send(base, request, expect, signal)
  }

  /** Only what is safe to send again is asked for again. */
  #patienceAfterTime({ method, headers }: PlayedRequest): Eventually | undefined {
    if (!this.#timeMoved) return undefined
    this.#timeMoved = false
    const safe = method === 'GET' || headers.some(([name]) => name === 'idempotency-key')
    return safe ? this.#options.patience : undefined
  }

  #capture(captures: Readonly<Record<string, string>> = {}, json: unknown): MatchDifference[] {
    return Object.entries(captures).flatMap(([name, path]) => {
      const value = valueAt(json, path)
      if (value === undefined)
        return [{ path, expected: `a value to capture as ${name}`, received: 'nothing' }]
      this.#memory.capture(name, value)
      return []
    })
  }

  // The tester's side

  async #steer(step: SimStep): Promise<Seen> {
    const { control } = this.#stage
    if (control === undefined) {
      this.#timeMoved ||= movesTime(step.sim)
      throw new NotPossible('only a tester can do that')
    }
    const { resolve } = this.#memory
    const answer = await control.send(simRequest(fill(step.sim, resolve)))
    const expected = fill(step.expect ?? {}, resolve)
    const received: ReceivedAnswer = {
      connection: 'answered',
      status: answer.status,
      headers: {},
      body: Buffer.from(JSON.stringify(answer.json) ?? ''),
      tookMs: 0,
    }
    const found = [...checkAnswer(expected, received, new Map()), ...this.#capture(step.capture, answer.json)]
    return { saw: String(answer.status), expected, received: [received], differences: found }
  }

  async #webhooks(step: WebhookStep): Promise<Seen> {
    const { control, receiver } = this.#stage
    if (control === undefined || receiver === undefined) {
      throw new NotPossible('only a tester can say where webhooks go')
    }
    const { within, ...expected } = fill(step.webhook, this.#memory.resolve)
    const settle = () => control.send(verbRequest(SANDBOX_VERBS.settle))
    await settle()
    await receiver.until((deliveries) => enoughWebhooks(expected, deliveries), within)
    await settle()
    return { expected, ...checkWebhooks(expected, receiver.deliveries) }
  }

  async #ledger(step: LedgerStep): Promise<Seen> {
    const { sums } = await this.#tester('the ledger').must(verbRequest(SANDBOX_VERBS.ledger))
    const expected = fill(step.ledger, this.#memory.resolve)
    const saw = Object.keys(step.ledger)
      .map((name) => `${name} ${JSON.stringify(valueAt(sums, `$.${name}`))}`)
      .join(', ')
    return { saw, expected, differences: differences(expected, sums) }
  }

  async #outbox(step: OutboxStep): Promise<Seen> {
    const messages = await this.#tester('the outbox').list(verbRequest(SANDBOX_VERBS.outbox))
    const { exactly, atLeast = 1, ...expected } = fill(step.outbox, this.#memory.resolve)
    const fitting = messages.filter((message) => differences(expected, message).length === 0)
    const enough = exactly === undefined ? fitting.length >= atLeast : fitting.length === exactly
    const wanted = exactly === undefined ? `${atLeast} or more such messages` : `${exactly} such messages`
    const found = enough ? [] : [{ path: 'messages', expected: wanted, received: String(fitting.length) }]
    return {
      saw: `${fitting.length} of ${messages.length} messages`,
      expected: step.outbox,
      differences: found,
    }
  }

  #tester(what: string): Control {
    if (this.#stage.control === undefined) throw new NotPossible(`only a tester sees ${what}`)
    return this.#stage.control
  }
}
