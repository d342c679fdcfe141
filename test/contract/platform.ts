/**
 * The platform's side of the contract tests: sends requests, and fails on any response that is not in the contract.
 *
 * By default it talks to its own simulator in this process, with a frozen clock and a seed.
 * With PAYSIM_TEST_PROFILE that simulator has a profile that changes every key.
 * With PAYSIM_TEST_OVER=https or http2 each request goes over TLS, by that version of HTTP.
 * With PAYSIM_TARGET and PAYSIM_API_KEY it talks to that address instead, without a tester's side.
 */
import { expect, onTestFinished } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { ANSWER_HEADERS } from '../../src/spec/contract/answer-headers.ts'
import { contractOf, DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { operationOf, type SentCall, Translation } from '../../src/spec/contract/translation.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { EVERY_KEY } from './different-profile.ts'
import { overTls } from './over-tls.ts'
import { requirePromised } from './promised.ts'
import { Tester } from './tester.ts'

const { PAYSIM_TARGET, PAYSIM_API_KEY = '', PAYSIM_TEST_OVER, PAYSIM_TEST_PROFILE } = process.env

export const isRemote = PAYSIM_TARGET !== undefined

/** Some requests work only without a socket: clients refuse to send them, and HTTP/2 cannot carry them (RFC 9113, 8.2.1). */
export const hasNoSocket = !isRemote && PAYSIM_TEST_OVER === undefined

/** The time at the start of each test. */
export const START = '2026-01-01T00:00:00.000Z'

export interface Sent {
  /** Method and path, such as `GET /v1/checkouts`. */
  call: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

export interface Received {
  status: number
  headers: Headers
  text: string
  /** The parsed JSON of the text; undefined if the text is empty. */
  body: unknown
}

export interface Platform {
  send(request: Sent): Promise<Received>
  /** The tester's side, which only a paysim simulator has; elsewhere, cases that need it are skipped. */
  tester: Tester
  /** Different in every run against a remote address, which remembers, so that external IDs stay unique. */
  run: string
}

/** The contract of every simulator that a test opens. */
export const contract = PAYSIM_TEST_PROFILE === undefined ? DEFAULT_CONTRACT : contractOf(EVERY_KEY)
/** The sections of the profile that decide which requests are refused, and the format of lists. */
export const { requests: requestRules, lists: listRules } = contract.profile
/** The cases use the default names, but a response is first validated against the profile's own schemas. */
const translation = contract === DEFAULT_CONTRACT ? undefined : new Translation(contract)

export function openPlatform(options: SimulatorOptions = {}): Platform {
  return isRemote ? platformAt(PAYSIM_TARGET!) : embedded(options)
}

/** Headers of the table, and headers of HTTP/1.1 itself. */
const KNOWN_HEADERS = new Set(
  [...ANSWER_HEADERS.map(({ name }) => name), 'Connection', 'Keep-Alive', 'Transfer-Encoding'].map((name) =>
    name.toLowerCase(),
  ),
)

function embedded(options: SimulatorOptions): Platform {
  const { simulator, internalsOf } = composeSimulator({
    rateLimit: 'off',
    seed: 1,
    clock: `frozen@${START}`,
    ...(translation && { profile: contract.changes }),
    ...options,
  })
  onTestFinished(() => simulator.close())
  const sandbox = internalsOf('default')
  const ask = PAYSIM_TEST_OVER === undefined ? simulator.fetch : overTls(simulator, PAYSIM_TEST_OVER)
  return {
    async send(request) {
      const received = await exchange('http://paysim.test', sandbox.config.apiKey, ask, request)
      expect([...received.headers.keys()].filter((name) => !KNOWN_HEADERS.has(name))).toEqual([])
      return received
    },
    tester: new Tester(simulator, sandbox),
    run: '1',
  }
}

/** A remote service has a rate limit; after a 429 the test waits as long as Retry-After says. */
function platformAt(address: string): Platform {
  const send = async (request: Sent): Promise<Received> => {
    const received = await exchange(address, PAYSIM_API_KEY, fetch, request)
    if (received.status !== 429) return received
    const seconds = Number(received.headers.get('retry-after') ?? 60)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    return send(request)
  }
  return { send, tester: undefined as never, run: Math.random().toString(36).slice(2) }
}

type Fetch = (request: Request) => Response | Promise<Response>

async function exchange(address: string, apiKey: string, fetch: Fetch, sent: Sent): Promise<Received> {
  const [method = '', target = ''] = sent.call.split(' ')
  const path = translation?.call({ method, target }).target ?? target
  const headers = {
    'x-api-key': apiKey,
    ...(sent.body !== undefined && { 'content-type': 'application/json' }),
    ...sent.headers,
  }
  const operation = operationOf({ method, target })
  const body =
    typeof sent.body === 'string' ? (translation?.body(operation, sent.body) ?? sent.body) : sent.body
  const request = new Request(`${address}${path}`, {
    method,
    headers: Object.entries(headers).filter(([, value]) => value !== ABSENT),
    ...(body !== undefined && { body: body as NonNullable<RequestInit['body']> }),
  })
  const response = await fetch(request)
  const text = await response.text()
  const received = {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  }
  requirePromised(contract, method, path, received)
  return translation ? inOwnWords(translation, { method, target }, received) : received
}

function inOwnWords(words: Translation, call: SentCall, { status, headers, text, body }: Received): Received {
  const operation = operationOf(call)
  const usual = words.answer(operation, { status, headers: Object.fromEntries(headers), body: text })
  const json = words.json(operation, status, body)
  return {
    status: usual.status,
    headers: new Headers(usual.headers),
    text: usual.body,
    body: json,
  }
}

/** Translates an event of the tester's API from the profile's names to the default names. */
export const inOwnEvent = (event: object): unknown => translation?.event(event) ?? event

/** The value of a default header that must not be sent. */
export const ABSENT = '(absent)'
