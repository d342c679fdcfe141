/** The steps that send requests: `call` and `repeat`. */
import {
  type ExpectOfMany,
  isTooOften,
  TOO_OFTEN,
  type Until,
} from '../../sandbox/scenario-file/expectation.ts'
import { fill, fillText } from '../../sandbox/scenario-file/placeholder.ts'
import type { ScenarioStep, StepOf } from '../../sandbox/scenario-file/step.ts'
import { msOf, realTimeOf } from '../../sandbox/scenario-file/step-duration.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { sleep, stopwatch } from '../../spec/world/clock.ts'
import { checkResponse, checkResponses, countsText, endingText } from './checks.ts'
import { requestOf, send, sendInWords, sendPatiently, sentFrom } from './request.ts'
import type { StepFindings } from './result.ts'
import { type Patience, type Stage, type StepPosition, testersApi } from './stage.ts'
import { advanceClock, isClockFrozen } from './tester-steps.ts'
import { NotPossible } from './variables.ts'
import type { PlayedExchange, Sent } from './wire.ts'

type RequestStep = StepOf<'call'> | StepOf<'repeat'>

export const runCall = (stage: Stage, step: RequestStep, position: StepPosition): Promise<StepFindings> =>
  new Call(stage, step, position).play()

class Call {
  readonly #stage: Stage
  readonly #step: RequestStep
  readonly #position: StepPosition
  readonly #request: Sent

  constructor(stage: Stage, step: RequestStep, position: StepPosition) {
    this.#stage = stage
    this.#step = step
    this.#position = position
    if (step.clientIp !== undefined)
      testersApi(stage, 'only a sandbox created by the tester accepts `clientIp`')
    this.#request =
      'call' in step
        ? inOwnSandbox(requestOf(step, stage, stage.variables.resolve), stage)
        : repeatedRequest(step, stage)
  }

  play(): Promise<StepFindings> {
    const { refusal, variables } = this.#stage
    const { id, parallel, until, eventually } = this.#step
    const why = refusal?.(`${this.#request.method} ${this.#request.target}`)
    if (why !== undefined) throw new NotPossible(why)
    if (id !== undefined) variables.requests.set(id, this.#request)
    if (parallel !== undefined) return this.#sendMany(parallel.count)
    if (until !== undefined) return this.#until(until)
    const attempt = () => this.#sendOne()
    return eventually
      ? retry(this.#times(eventually), sleep, attempt)
      : retry(this.#patienceAfterTime(), sleep, attempt, isReplay)
  }

  /** Retries until the response matches `until`, then checks `expect` against that response. */
  async #until({ within: longest, every: often, ...awaited }: Until): Promise<StepFindings> {
    const { control, patience } = this.#stage
    const isFrozen = control !== undefined && (await isClockFrozen(control))
    const wait = isFrozen ? (ms: number) => advanceClock(control, ms) : sleep
    const read = isFrozen || control === undefined ? msOf : realTimeOf
    const asked = this.#times({ within: longest, every: often }, read)
    // Without a tester's API the clock cannot be moved, so waiting for days is limited to the patience.
    const most = control === undefined ? patience : asked
    const within = Math.min(asked.within, most.within)
    const every = Math.min(asked.every, most.every)
    const attempt = () => this.#sendOne({ ...this.#step, expect: awaited, capture: undefined })
    const { differences = [], ...findings } = await retry({ within, every }, wait, attempt)
    if (differences.length > 0) {
      const waited = `${formatDuration(within)} ${isFrozen ? "on the sandbox's clock" : 'in real time'}`
      return {
        ...findings,
        differences: differences.map((found) => ({
          ...found,
          expected: `${found.expected} within ${waited}`,
        })),
      }
    }
    const step = { ...this.#step, expect: this.#step.expect ?? awaited }
    return { ...findings, ...this.#judge(findings.received![0]!, step) }
  }

  async #sendOne(step = this.#step): Promise<StepFindings> {
    const { place, signal: outer } = this.#position
    const answering = new AbortController()
    const signal = outer ? AbortSignal.any([outer, answering.signal]) : answering.signal
    const [received, failed] = await Promise.all([
      this.#send(this.#withTime(step.expect), { place, signal }),
      this.#meanwhile(step.meanwhile ?? []).then((failed) => {
        if (failed !== undefined) answering.abort()
        return failed
      }),
    ])
    const findings = this.#judge(received, step)
    if (failed !== undefined && received.ending !== null) {
      const why = `nothing: the request was aborted because ${failed} failed`
      return { ...findings, differences: [{ path: 'connection', expected: 'answered', received: why }] }
    }
    return findings
  }

  #judge(received: PlayedExchange, { id, expect, capture }: RequestStep): StepFindings {
    const { variables } = this.#stage
    const expected = fill(expect ?? {}, variables.resolve)
    if (id !== undefined) variables.answers.set(id, received)
    const { answered } = received
    const capturable = { json: parsedJson(answered?.body ?? ''), headers: answered?.headers }
    const found = [
      ...checkResponse(expected, received, variables.answers),
      ...variables.captureFrom(capturable, capture),
    ]
    const request = this.#request
    return { saw: endingText(received), request, expected, received: [received], differences: found }
  }

  /**
   * Runs the `meanwhile` steps and returns the place of the one that failed. The request is then aborted, because its response
   * may depend on the steps that did not run.
   */
  async #meanwhile(steps: readonly ScenarioStep[]): Promise<string | undefined> {
    const { place, results, signal } = this.#position
    for (const [index, step] of steps.entries()) {
      const inner = await this.#stage.run(step, { place: `${place}.${index + 1}`, results, signal })
      if (inner.outcome === 'failed') return inner.place
    }
    return undefined
  }

  async #sendMany(count: number): Promise<StepFindings> {
    const { variables } = this.#stage
    const written = this.#withTime(this.#step.expect)
    const received = await Promise.all(
      Array.from({ length: count }, () => this.#send(written, this.#position)),
    )
    const expected = fill(written, variables.resolve)
    const found = checkResponses(expected, received, variables.answers)
    return { saw: countsText(received), request: this.#request, expected, received, differences: found }
  }

  #send(expect: ExpectOfMany, { place, signal }: Pick<StepPosition, 'place' | 'signal'>) {
    const { base, control, say } = this.#stage
    return sendInWords(this.#stage, this.#request, place, (translated) =>
      control === undefined
        ? sendPatiently(base, translated, expect, { say, signal })
        : send(base, translated, expect, signal),
    )
  }

  /** Only `within` is filled in before the request is sent, because `meanwhile` steps may still capture the other values. */
  #withTime(expect: ExpectOfMany = {}): ExpectOfMany {
    return { ...expect, within: fill(expect.within, this.#stage.variables.resolve) }
  }

  #times(written: { within: string; every: string }, read = realTimeOf): Patience {
    const { within, every } = fill(written, this.#stage.variables.resolve)
    const times = { within: read(within), every: msOf(every) }
    if (isTooOften(times.within, times.every)) throw new Error(`every ${TOO_OFTEN}`)
    return times
  }

  /** How long to retry after skipped time; only for a request that is safe to send twice. */
  #patienceAfterTime(): Patience | undefined {
    const { timeMoved, patience } = this.#stage
    this.#stage.timeMoved = false
    const { method, headers } = this.#request
    const isIdempotent = !writes(method) || headers['idempotency-key'] !== undefined
    return timeMoved && isIdempotent ? patience : undefined
  }
}

/**
 * Repeats until there are no differences or the time is over. `wait` waits in real time or moves the sandbox's clock. `isFinal`
 * says that no other response will come, so the previous one counts.
 */
async function retry(
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

function inOwnSandbox(request: Sent, stage: Stage): Sent {
  if (!/^\/_sim(\/|$)/.test(request.target)) return request
  const control = testersApi(stage, 'only a tester can do that')
  return { ...request, target: control.ownPath(request.target) ?? request.target }
}

function repeatedRequest({ repeat: id, clientIp }: StepOf<'repeat'>, { variables }: Stage): Sent {
  const request = variables.requests.get(id)
  if (request === undefined) throw new NotPossible(`it repeats ${id}, which was skipped`)
  return clientIp === undefined ? request : sentFrom(request, fillText(clientIp, variables.resolve))
}

const isReplay = ({ received = [] }: StepFindings): boolean =>
  received.some(({ answered }) => answered?.headers['idempotent-replayed'] === 'true')
