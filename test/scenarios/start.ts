import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import type { Behavior } from '../../src/sandbox/scenario-file/behavior.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import type { JournalEntry } from '../../src/service/door/journal-entry.ts'
import type { SimulatorOptions } from '../../src/spec/options/simulator.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { ORDER } from '../order.ts'

/** A behavior in the format of a file. */
export type Written = z.input<typeof Behavior>

export const NOW = Date.parse('2026-01-01T00:00:00Z')

export interface Sent {
  json?: unknown
  key?: string | undefined
  sim?: string
  headers?: Record<string, string>
}

/** A temporary simulator with a frozen clock and a seed. */
export function start(options: SimulatorOptions = {}) {
  const { simulator, internalsOf } = composeSimulator({
    seed: 7,
    clock: { at: NOW },
    rateLimit: 'off',
    ...options,
  })
  onTestFinished(() => simulator.close())
  const sandbox = internalsOf('default')

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

  /** Sends a request and reads the response. */
  async function call(line: string, sent: Sent = {}) {
    const response = await send(line, sent)
    const { status, headers } = response
    const text = await response.text()
    return { status, headers, text, json: text === '' ? undefined : JSON.parse(text) }
  }

  async function createCheckout(more: object = {}): Promise<string> {
    const { json } = await call('POST /v1/checkouts', { json: { ...ORDER, ...more } })
    return json.id
  }

  return {
    simulator,
    sandbox,
    behaviors: sandbox.behaviors,
    send,
    call,
    createCheckout,
    /** A checkout that can be refunded. */
    async confirmCheckout(): Promise<string> {
      const id = await createCheckout()
      await call(`POST /v1/checkouts/${id}/confirm`)
      return id
    },
    /** Starts a refund of a checkout that can be refunded. */
    async refund(checkoutId: string, amount = 250): Promise<string> {
      return (await call(`POST /v1/checkouts/${checkoutId}/refunds`, { json: { amount } })).json.id
    },
    readRefund: async (id: string): Promise<string> => (await call(`GET /v1/refunds/${id}`)).json.status,
    advance: (ms: number) => sandbox.agenda.advanceTo((now) => now + ms),
    ledger: () => sandbox.committedStore().ledger.sums(),
    /** Arms behaviors in the format of a file. */
    arm(...behaviors: Written[]) {
      const { behaviors: read = [] } = parseScenario(JSON.stringify({ name: 'test', behaviors }))
      return sandbox.behaviors.armed.arm(read)
    },
    /** All requests in the journal, oldest first. */
    journal: (): JournalEntry[] => [...sandbox.journal.newestFirst()].reverse(),
    /** Resolves once this many requests wait for the clock or at a gate. */
    async parked(count: number): Promise<void> {
      while (sandbox.behaviors.heldRequests.size < count) await new Promise(setImmediate)
    },
  }
}

/** The statuses of this many creates, one after the other. */
export async function statuses(
  { call }: Pick<ReturnType<typeof start>, 'call'>,
  count: number,
  more: object = {},
): Promise<number[]> {
  const found: number[] = []
  for (let n = 0; n < count; n += 1) {
    found.push((await call('POST /v1/checkouts', { json: { ...ORDER, ...more } })).status)
  }
  return found
}
