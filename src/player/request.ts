/** A call of the file as a request, and how long its answer is waited for. */
import { fill, fillText, type Resolve } from '../scenario-file/placeholder.ts'
import type { CallStep, ExpectOfMany } from '../scenario-file/step.ts'
import { foresees } from './checks.ts'
import { sleep } from './timing.ts'
import { exchange, type PlayedRequest, type ReceivedAnswer } from './wire.ts'

/** Nobody waits longer for an answer that no expectation limits. */
const ANSWER_TIMEOUT_MS = 30_000

/** How long silence has to last to count as such. */
const SILENCE_MS = 1_000

const TOO_MANY = 429

/** A service that counts requests says when it has forgotten them: mostly within a minute. */
const MAX_WAIT_SECONDS = 90
const MAX_WAITS = 3

export function requestOf(step: CallStep, apiKey: string, resolve: Resolve): PlayedRequest {
  const [method = '', target = ''] = step.call.split(' ')
  const headers = new Map<string, readonly string[]>([
    ['x-api-key', [apiKey]],
    ['content-type', ['application/json']],
  ])
  if (step.key !== undefined) headers.set('idempotency-key', [fillText(step.key, resolve)])
  for (const [name, value] of Object.entries(fill(step.header ?? {}, resolve))) {
    if (value === null) headers.delete(name.toLowerCase())
    else headers.set(name.toLowerCase(), Array.isArray(value) ? value : [String(value)])
  }
  const text = bodyOf(step, resolve)
  return {
    method,
    target: fillText(target, resolve, encodeURIComponent),
    headers: [...headers].flatMap(([name, values]) => values.map((value) => [name, value] as const)),
    body: text === undefined ? undefined : Buffer.from(text),
  }
}

function bodyOf({ raw, json }: CallStep, resolve: Resolve): string | undefined {
  if (raw !== undefined) return fillText(raw, resolve)
  return json === undefined ? undefined : JSON.stringify(fill(json, resolve))
}

export function send(
  base: URL,
  request: PlayedRequest,
  { connection, within }: ExpectOfMany,
  signal: AbortSignal | undefined,
): Promise<ReceivedAnswer> {
  const timeoutMs =
    connection === 'timeout' ? (within ?? SILENCE_MS) : Math.max(ANSWER_TIMEOUT_MS, within ?? 0)
  return exchange(base, request, { timeoutMs, signal })
}

/** For a service that counts our requests with those of others: waits as long as it says, and asks again. */
export async function sendPatiently(
  base: URL,
  request: PlayedRequest,
  expect: ExpectOfMany,
  signal: AbortSignal | undefined,
): Promise<ReceivedAnswer> {
  for (let waits = 0; ; waits += 1) {
    const incoming = await send(base, request, expect, signal)
    const seconds = Number(incoming.headers['retry-after'] ?? 60)
    const counted = incoming.status === TOO_MANY && !foresees(expect, TOO_MANY)
    if (!counted || waits === MAX_WAITS || !(seconds <= MAX_WAIT_SECONDS)) return incoming
    await sleep(seconds * 1000, undefined, { signal })
  }
}
