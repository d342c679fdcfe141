import { onTestFinished } from 'vitest'
import type { SimulatorOptions } from '../../src/config.ts'
import type { Entry } from '../../src/gate/journal.ts'
import { composeSimulator } from '../../src/simulator.ts'

export const NOW = Date.parse('2026-01-01T00:00:00Z')

export interface Sent {
  json?: unknown
  key?: string
  sim?: string
  headers?: Record<string, string>
}

/** A simulator of the test's own: its clock stands still, chance has a seed, and nothing is left of it afterwards. */
export function start(options: SimulatorOptions = {}) {
  const { simulator, insideOf } = composeSimulator({
    seed: 7,
    clock: { at: NOW },
    rateLimit: 'off',
    ...options,
  })
  onTestFinished(() => simulator.close())
  const sandbox = insideOf('default')

  const send = (call: string, { json, key, sim, headers }: Sent = {}): Promise<Response> => {
    const [method = '', path = ''] = call.split(' ')
    const request = new Request(`http://paysim.test${path}`, {
      method,
      headers: {
        'x-api-key': sandbox.config.apiKey,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(sim !== undefined && { 'x-sim': sim }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    return Promise.resolve(simulator.fetch(request))
  }

  return {
    simulator,
    sandbox,
    scenarios: sandbox.scenarios,
    send,
    /** Sends, and reads what comes back. */
    async call(call: string, sent: Sent = {}) {
      const response = await send(call, sent)
      const { status, headers } = response
      const text = await response.text()
      return { status, headers, text, json: text === '' ? undefined : JSON.parse(text) }
    },
    async createCheckout(more: object = {}): Promise<string> {
      const { json } = await this.call('POST /v1/checkouts', { json: { ...CHECKOUT, ...more } })
      return json.id
    },
    /** A checkout that can be refunded. */
    async confirmCheckout(): Promise<string> {
      const id = await this.createCheckout()
      await this.call(`POST /v1/checkouts/${id}/confirm`)
      return id
    },
    /** Every request from the first to the last, as the journal has it. */
    journal: (): Entry[] => [...sandbox.journal.newestFirst()].reverse(),
    /** Resolves once so many requests stand still. */
    async parked(count: number): Promise<void> {
      while (sandbox.scenarios.parked < count) await new Promise(setImmediate)
    },
  }
}

export const CHECKOUT = {
  orderId: 'order-1',
  externalId: 'acme',
  amount: 1000,
  successUrl: 'https://shop.test/ok',
  cancelUrl: 'https://shop.test/no',
}
