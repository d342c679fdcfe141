/**
 * The client of examples/shop follows docs/idempotency.md under the behaviors of every bundled scenario: each success that it
 * reports happened once, each refusal that it reports did not happen, and its audit has no errors.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openBeside, parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { newSimulator } from '../control/shop.ts'
import { ORDER } from '../order.ts'

interface Client {
  post(path: string, body: object, key?: string): Promise<{ id: string; status: string }>
  get(path: string): Promise<{ id: string; status: string }>
}

interface Timing {
  timeoutMs: number
  budgetMs: number
  firstPauseMs: number
}

interface Copied {
  PaymentsClient: new (settings: { url: string; apiKey: string } & Partial<Timing>) => Client
  PaymentsError: new (...args: never[]) => Error & { outcome: 'refused' | 'unknown'; status?: number }
}

const path: string = '../../examples/shop/client.js'
const { PaymentsClient, PaymentsError } = (await import(path)) as Copied

const named = (text: string, path: string) => ({
  ...parseScenario(text, path, openBeside),
  name: basename(path, '.yaml'),
})
const folder = new URL('../../scenarios/', import.meta.url)

const scenarios = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => fileURLToPath(new URL(file, folder)))
  .map((path) => named(readFileSync(path, 'utf8'), path))
  .filter(({ behaviors, sandbox }) => behaviors !== undefined || sandbox?.rateLimit !== undefined)

async function start() {
  const simulator = newSimulator({ rateLimit: 'off' })
  const { url } = await simulator.listen()
  return {
    simulator,
    clientOf: (apiKey: string, timing: Partial<Timing> = {}) =>
      new PaymentsClient({ url, apiKey, ...timing }),
  }
}

// Some scenarios send no response: the client times out and comes back later. On a busy machine a shorter timeout would end
// before a response with Retry-After is read.
test('the client survives the behaviors of every bundled scenario', { timeout: 60_000 }, async () => {
  const { simulator, clientOf } = await start()
  const seen = await Promise.all(
    scenarios.map(async ({ name, behaviors = [], sandbox }) => {
      const shop = simulator.sandbox(name, { rateLimit: sandbox?.rateLimit })
      shop.arm(behaviors)
      const client = clientOf(shop.apiKey, { timeoutMs: 4_000, budgetMs: 16_000, firstPauseMs: 100 })
      let isMoved = false

      /** Comes back later with the same key while the outcome is unknown; by the last visit it must be known. */
      const insist = async (ask: (key: string) => Promise<{ id: string }>) => {
        const key = crypto.randomUUID()
        for (let visit = 1; ; visit += 1) {
          try {
            return await ask(key)
          } catch (error) {
            if (!(error instanceof PaymentsError) || error.outcome === 'refused' || visit === 3) throw error
            for (const { gate } of shop.held()) shop.release(gate)
            await shop.clock.advance('10m')
            isMoved = true
          }
        }
      }

      const { id } = await insist((key) => client.post('/v1/checkouts', ORDER, key))
      await insist((key) => client.post(`/v1/checkouts/${id}/confirm`, {}, key))
      await insist((key) => client.post(`/v1/checkouts/${id}/refunds`, { amount: 25 }, key))

      // The audit uses the machine's time, in which the client came back immediately.
      const { findings } = shop.audit(isMoved ? { ignore: { C9: 'the clock was moved' } } : {})
      const { charges, refunds } = shop.ledger().sums
      return { name, charges, refunds, errors: findings.filter(({ severity }) => severity === 'error') }
    }),
  )
  expect(seen).toEqual(scenarios.map(({ name }) => ({ name, charges: 1, refunds: 1, errors: [] })))
})

// Uses the client's default timeouts, because a client that times out never sees the Retry-After.
test('the client waits for the time in Retry-After', async () => {
  const { simulator, clientOf } = await start()
  const shop = simulator.sandbox('shop')
  const unavailable = { status: 503, headers: { 'retry-after': '1' } }
  shop.arm({ when: { op: 'customers.create' }, times: 1, do: { respond: unavailable } })
  await clientOf(shop.apiKey).post('/v1/customers', { externalId: 'ada' })
  expect(shop.requests().map(({ status }) => status)).toEqual([503, 201])
  expect(shop.audit().findings.filter(({ severity }) => severity === 'error')).toEqual([])
})

test('a POST without a key gets a key, which its retries reuse', async () => {
  const { simulator, clientOf } = await start()
  const shop = simulator.sandbox('shop')
  shop.arm({ when: { op: 'customers.create' }, times: 1, do: { fault: 'reset', at: 'after-commit' } })
  const { id } = await clientOf(shop.apiKey).post('/v1/customers', { externalId: 'ada' })
  expect(await clientOf(shop.apiKey).get(`/v1/customers/${id}`)).toMatchObject({ id })
  const keys = shop.requests().flatMap(({ key }) => key ?? [])
  expect([keys.length, new Set(keys).size]).toEqual([2, 1])
})

test('an outcome that is still unknown at the deadline is not a refusal, and the error has the key', async () => {
  const { simulator, clientOf } = await start()
  const shop = simulator.sandbox('shop')
  shop.arm({ when: { op: 'customers.create' }, do: { fault: 'hang', at: 'after-commit' } })
  const hasty = clientOf(shop.apiKey, { timeoutMs: 60_000, budgetMs: 200 })
  await expect(hasty.post('/v1/customers', { externalId: 'ada' }, 'key-1')).rejects.toMatchObject({
    outcome: 'unknown',
    key: 'key-1',
  })
})

test('a refusal is not retried', async () => {
  const { simulator, clientOf } = await start()
  const shop = simulator.sandbox('shop')
  const refusal = clientOf(shop.apiKey).post('/v1/checkouts', { ...ORDER, amount: -1 })
  await expect(refusal).rejects.toMatchObject({ outcome: 'refused', status: 400 })
  expect(shop.requests()).toHaveLength(1)
})
