/** Makes requests from call steps and sends them. */
import type { ExpectOfMany } from '../../sandbox/scenario-file/expectation.ts'
import { fill, fillText, type Resolve, writeInCall } from '../../sandbox/scenario-file/placeholder.ts'
import type { StepOf } from '../../sandbox/scenario-file/step.ts'
import { realTimeOf } from '../../sandbox/scenario-file/step-duration.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { operationOf } from '../../spec/contract/translation.ts'
import { sleep } from '../../spec/world/clock.ts'
import { expectsStatus } from './checks.ts'
import { foreignWords } from './foreign-words.ts'
import type { Stage, StepPosition } from './stage.ts'
import { exchange, type PlayedExchange, type Sent } from './wire.ts'

/** The time limit of a call that does not set one. */
const RESPONSE_TIMEOUT_MS = 30_000

/** How long `connection: timeout` waits without `within`. */
const SILENCE_MS = 1_000

const TOO_MANY = 429

/** Most rate limits use windows of one minute, after which `Retry-After` permits the next request. */
const MAX_WAIT_SECONDS = 90
const MAX_WAITS = 3

export function requestOf(
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
export const sentFrom = (request: Sent, ip: string): Sent => ({
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
export async function send(
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
