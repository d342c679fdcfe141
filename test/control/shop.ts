/** A simulator for each test, with a frozen clock and a seed, called without a socket. */
import { onTestFinished } from 'vitest'
import type { Sandbox, SimulatorOptions } from '../../src/index.ts'
import { createSimulator, type Simulator } from '../../src/tools/compose.ts'
import { ORDER } from '../order.ts'

export const START = '2026-01-01T00:00:00.000Z'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the fields that it reads
  body: any
  text: string
  headers: Headers
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Call = (
  method: Method,
  path: string,
  /** Sent as JSON, unless it is a text. */
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>

/** With the defaults of paysim; closed at the end of the test. */
export function newSimulator(options: SimulatorOptions = {}): Simulator {
  const simulator = createSimulator(options)
  onTestFinished(() => simulator.close())
  return simulator
}

export const openSimulator = (options: SimulatorOptions = {}): Simulator =>
  newSimulator({ rateLimit: 'off', clock: `frozen@${START}`, seed: 1, ...options })

/** Sends requests as the platform of a sandbox. */
export const asPlatform = (simulator: Pick<Simulator, 'fetch'>, { apiKey }: Pick<Sandbox, 'apiKey'>): Call =>
  asking(simulator, '', { 'x-api-key': apiKey })

/** The same, with the method and the path as one text such as `GET /v1/checkouts`. */
export const spoken =
  (call: Call) =>
  (asked: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> => {
    const [method, path = ''] = asked.split(' ') as [Method, string]
    return call(method, path, body, headers)
  }

/** Sends requests as a tester, below `/_sim`. */
export const asTester = (simulator: Pick<Simulator, 'fetch'>): Call => asking(simulator, '/_sim', {})

const asking =
  (simulator: Pick<Simulator, 'fetch'>, base: string, usual: Record<string, string>): Call =>
  async (method, path, body, headers = {}) => {
    const response = await simulator.fetch(
      new Request(`http://paysim.test${base}${path}`, {
        method,
        headers: {
          ...usual,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    return { status: response.status, body: isJson && JSON.parse(text), text, headers: response.headers }
  }

export function openShop(options: SimulatorOptions = {}) {
  const simulator = openSimulator(options)
  const shop = simulator.sandbox('default')
  return { simulator, shop, call: asPlatform(simulator, shop) }
}

export const order = (amount = 1000, orderId = 'o-1') => ({ ...ORDER, orderId, amount })

export async function confirmedCheckout(call: Call, amount = 1000, orderId?: string): Promise<string> {
  const { body } = await call('POST', '/v1/checkouts', order(amount, orderId))
  await call('POST', `/v1/checkouts/${body.id}/confirm`)
  return body.id
}

export async function refund(call: Call, checkoutId: string, amount: number): Promise<string> {
  const { body } = await call('POST', `/v1/checkouts/${checkoutId}/refunds`, { amount })
  return body.id
}
