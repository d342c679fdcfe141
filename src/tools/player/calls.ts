/** The steps that send requests: `call` and `repeat`. */
import {
  type ExpectOfMany,
  isTooOften,
  TOO_OFTEN,
  type Until,
} from '../../sandbox/scenario-file/expectation.ts'
import { fill, fillText, type Resolve, writeInCall } from '../../sandbox/scenario-file/placeholder.ts'
import type { ScenarioStep, StepOf } from '../../sandbox/scenario-file/step.ts'
import { msOf, realTimeOf } from '../../sandbox/scenario-file/step-duration.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { operationOf } from '../../spec/contract/translation.ts'
import { sleep, stopwatch } from '../../spec/world/clock.ts'
import { checkResponse, checkResponses, countsText, endingText, expectsStatus } from './checks.ts'
import { foreignWords } from './foreign-words.ts'
import type { StepFindings } from './result.ts'
import { type Patience, type Stage, type StepPosition, testersApi } from './stage.ts'
import { advanceClock, isClockFrozen } from './tester-steps.ts'
import { NotPossible } from './variables.ts'
import { exchange, type PlayedExchange, type Sent } from './wire.ts'

type RequestStep = StepOf<'call'> | StepOf<'repeat'>

export async function runCall(
  stage: Stage,
  step: RequestStep,
  position: StepPosition,
): Promise<StepFindings> {
  const { variables, control, patience } = stage
  const { id, parallel, until, eventually } = step
  if (step.clientIp !== undefined)
    testersApi(stage, 'only a sandbox created by the tester accepts `clientIp`')
  const request =
    'call' in step
      ? inOwnSandbox(requestOf(step, stage, variables.resolve), stage)
      : repeatedRequest(step, stage)
  const why = stage.refusal?.(`${request.method} ${request.target}`)
  if (why !== undefined) throw new NotPossible(why)
  if (id !== undefined) variables.requests.set(id, request)
  if (parallel !== undefined) return sendMany(parallel.count)
  if (until !== undefined) return untilAnswered(until)
  return eventually
    ? retry(times(eventually), sleep, sendOne)
    : retry(patienceAfterTime(), sleep, sendOne, isReplay)

  /** Retries until the response matches `until`, then checks `expect` against that response. */
  async function untilAnswered({ within: longest, every: often, ...awaited }: Until): Promise<StepFindings> {
    const isFrozen = control !== undefined && (await isClockFrozen(control))
    const wait = isFrozen ? (ms: number) => advanceClock(control, ms) : sleep
    const read = isFrozen || control === undefined ? msOf : realTimeOf
    const asked = times({ within: longest, every: often }, read)
    // Without a tester's API the clock cannot be moved, so waiting for days is limited to the patience.
    const most = control === undefined ? patience : asked
    const within = Math.min(asked.within, most.within)
    const every = Math.min(asked.every, most.every)
    const attempt = () => sendOne({ ...step, expect: awaited, capture: undefined })
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
    return { ...findings, ...judge(findings.received![0]!, { ...step, expect: step.expect ?? awaited }) }
  }

  async function sendOne(attempted = step): Promise<StepFindings> {
    const { place, signal: outer } = position
    const answering = new AbortController()
    const signal = outer ? AbortSignal.any([outer, answering.signal]) : answering.signal
    const [received, failed] = await Promise.all([
      send(stage, request, attempted.expect ?? {}, { place, signal }),
      meanwhile(attempted.meanwhile ?? []).then((failed) => {
        if (failed !== undefined) answering.abort()
        return failed
      }),
    ])
    const findings = judge(received, attempted)
    if (failed !== undefined && received.ending !== null) {
      const why = `nothing: the request was aborted because ${failed} failed`
      return { ...findings, differences: [{ path: 'connection', expected: 'answered', received: why }] }
    }
    return findings
  }

  function judge(received: PlayedExchange, { expect, capture }: RequestStep): StepFindings {
    const expected = fill(expect ?? {}, variables.resolve)
    if (id !== undefined) variables.answers.set(id, received)
    const { answered } = received
    const capturable = { json: parsedJson(answered?.body ?? ''), headers: answered?.headers }
    const differences = [
      ...checkResponse(expected, received, variables.answers),
      ...variables.captureFrom(capturable, capture),
    ]
    return { saw: endingText(received), request, expected, received: [received], differences }
  }

  /**
   * Runs the `meanwhile` steps and returns the place of the one that failed. The request is then aborted, because its response
   * may depend on the steps that did not run.
   */
  async function meanwhile(steps: readonly ScenarioStep[]): Promise<string | undefined> {
    const { place, results, signal } = position
    for (const [index, inner] of steps.entries()) {
      const result = await stage.run(inner, { place: `${place}.${index + 1}`, results, signal })
      if (result.outcome === 'failed') return result.place
    }
    return undefined
  }

  async function sendMany(count: number): Promise<StepFindings> {
    const { expect = {} } = step
    const received = await Promise.all(
      Array.from({ length: count }, () => send(stage, request, expect, position)),
    )
    const expected = fill(expect, variables.resolve)
    const differences = checkResponses(expected, received, variables.answers)
    return { saw: countsText(received), request, expected, received, differences }
  }

  function times(written: { within: string; every: string }, read = realTimeOf): Patience {
    const { within, every } = fill(written, variables.resolve)
    const times = { within: read(within), every: msOf(every) }
    if (isTooOften(times.within, times.every)) throw new Error(`every ${TOO_OFTEN}`)
    return times
  }

  /** How long to retry after skipped time; only for a request that is safe to send twice. */
  function patienceAfterTime(): Patience | undefined {
    const { timeMoved } = stage
    stage.timeMoved = false
    const { method, headers } = request
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

// Making a request and sending it

/** The time limit of a call that does not set one. */
const RESPONSE_TIMEOUT_MS = 30_000

/** How long `connection: timeout` waits without `within`. */
const SILENCE_MS = 1_000

const TOO_MANY = 429

/** Most rate limits use windows of one minute, after which `Retry-After` permits the next request. */
const MAX_WAIT_SECONDS = 90
const MAX_WAITS = 3

function requestOf(
  step: StepOf<'call'>,
  { base, apiKey }: { base: URL; apiKey: string },
  resolve: Resolve,
): Sent {
  const [, method = '', path = ''] = /^(\S+) (.*)$/s.exec(fillText(step.call, resolve, writeInCall)) ?? []
  const headers: Record<string, string | string[]> = {
    'x-api-key': apiKey,
    'content-type': 'application/json',
    ...(step.clientIp !== undefined && forwarded(fillText(step.clientIp, resolve))),
    ...(step.key !== undefined && { 'idempotency-key': fillText(step.key, resolve) }),
  }
  for (const [name, value] of Object.entries(fill(step.header ?? {}, resolve))) {
    if (value === null) delete headers[name.toLowerCase()]
    else headers[name.toLowerCase()] = Array.isArray(value) ? value : String(value)
  }
  return {
    method,
    target: /^[A-Z]+ \//.test(step.call) ? path : targetOf(path, base),
    headers,
    body: bodyOf(step, resolve),
  }
}

/** The header from which the sandbox takes the client's IP. */
const forwarded = (ip: string) => ({ 'x-forwarded-for': ip })

/** The same request from another client. */
const sentFrom = (request: Sent, ip: string): Sent => ({
  ...request,
  headers: { ...request.headers, ...forwarded(ip) },
})

/**
 * The URL of a path, or of an address in a response such as a Location. Another origin is refused, so that the API key is not
 * sent elsewhere.
 */
function targetOf(given: string, base: URL): string {
  if (!/^\/(?!\/)/.test(given) && !URL.canParse(given))
    throw new Error(`The call is to ${quoted(given)}, which is neither a path that starts with / nor a URL`)
  const { origin, pathname, search } = new URL(given, base)
  if (origin !== base.origin)
    throw new Error(`The call is to ${quoted(given)}, which is not at the target, ${base.origin}`)
  const folder = base.pathname.replace(/\/$/, '')
  return (pathname.startsWith(`${folder}/`) ? pathname.slice(folder.length) : pathname) + search
}

function bodyOf({ raw, json }: StepOf<'call'>, resolve: Resolve): string | undefined {
  if (raw !== undefined) return fillText(raw, resolve)
  return json === undefined ? undefined : JSON.stringify(fill(json, resolve))
}

/**
 * Sends a request in the service's names, and returns its response in the default names. At a service without a
 * tester's API, whose rate limit is shared, a request refused with 429 is sent again after the time that the response asks for.
 */
async function send(
  { base, control, service, unknownKey, variables, say }: Stage,
  request: Sent,
  expect: ExpectOfMany,
  { place, signal }: Pick<StepPosition, 'place' | 'signal'>,
): Promise<PlayedExchange> {
  const operation = operationOf(request)
  const { body } = request
  const sent = service.words
    ? {
        ...request,
        target: service.words.call(request).target,
        body: body && service.words.body(operation, body),
      }
    : request
  // The other expectations are filled in when the response has arrived, because `meanwhile` steps may capture their values.
  const within =
    expect.within === undefined ? undefined : realTimeOf(fillText(expect.within, variables.resolve))
  const timeoutMs =
    expect.connection === 'timeout' ? (within ?? SILENCE_MS) : Math.max(RESPONSE_TIMEOUT_MS, within ?? 0)
  let received = await exchange(base, sent, { timeoutMs, signal })
  for (let waits = 0; control === undefined && waits < MAX_WAITS; waits += 1) {
    const seconds = Number(received.answered?.headers['retry-after'] ?? 60)
    const isLimited = received.answered?.status === TOO_MANY && !expectsStatus(expect, TOO_MANY)
    if (!isLimited || !(seconds <= MAX_WAIT_SECONDS)) break
    say?.(`  the target responded 429: retrying in ${seconds} s`)
    await sleep(seconds * 1000, { signal })
    received = await exchange(base, sent, { timeoutMs, signal })
  }
  service.hear?.({ place, asked: request, sentTo: sent.target, exchange: received })
  const { words } = service
  const { answered } = received
  if (words === undefined || answered === null) return { ...received, asked: request }
  return {
    ...received,
    asked: request,
    answered: words.answer(operation, answered),
    foreign: foreignWords({ contract: words.contract, unknownKey }, operation, answered),
  }
}
