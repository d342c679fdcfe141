/** Parallel tests do not affect each other: every sandbox runs the same steps, at the same time, with the same keys. */

import { expect, test } from 'vitest'
import type { Sandbox, Simulator } from '../../src/index.ts'
import { EFFORT } from '../effort.ts'
import { asPlatform, openSimulator, order, START } from './shop.ts'

const SANDBOXES = EFFORT > 1 ? 120 : 15
const WORKERS = 15

type Fetch = Pick<Simulator, 'fetch'>

/** A whole flow. Returns all responses, which may differ only in the sandbox's name. */
async function play(fetching: Fetch, shop: Sandbox): Promise<string> {
  const call = asPlatform(fetching, shop)
  const seen: unknown[] = []
  const post = async (path: string, body: unknown, key: string) => {
    const answer = await call('POST', path, body, { 'idempotency-key': key })
    seen.push([path, answer.status, answer.body, answer.headers.get('idempotent-replayed')])
    return answer.body
  }
  await post('/v1/customers', { externalId: 'acme', name: 'Acme' }, 'customer')
  await post('/v1/customers', { externalId: 'acme' }, 'the same customer')
  const { id } = await post('/v1/checkouts', order(), 'checkout')
  await post(`/v1/checkouts/${id}/confirm`, {}, 'confirm')
  const refund = await post(`/v1/checkouts/${id}/refunds`, { amount: 250 }, 'refund')
  await post(`/v1/checkouts/${id}/refunds`, { amount: 250 }, 'refund')
  await post(`/v1/checkouts/${id}/refunds`, { amount: 251 }, 'refund')
  const held = await post('/v1/authorizations', { amount: 99.5, externalId: 'acme' }, 'hold')
  await post(`/v1/authorizations/${held.id}/capture`, { amount: 50 }, 'capture')
  seen.push(await shop.clock.advance('1d'))
  seen.push((await call('GET', `/v1/refunds/${refund.id}`)).body)
  seen.push((await call('GET', '/v1/events?limit=100')).body)
  seen.push(
    shop.ledger(),
    shop.outbox(),
    shop.requests().map(({ id: request, status }) => [request, status]),
  )
  return JSON.stringify(seen)
    .replaceAll(shop.name, 'NAME')
    .replaceAll(/http:\/\/[\w.:]+/g, 'ADDRESS')
}

async function playAll(fetching: Fetch, simulator: Simulator): Promise<string[]> {
  const waiting = Array.from({ length: SANDBOXES }, (_, number) => `shop-${String(number).padStart(3, '0')}`)
  const seen: string[] = []
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const shop = simulator.create({ name, seed: 7, clock: `frozen@${START}` })
      seen.push(await play(fetching, shop))
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return seen
}

test.each([
  ['in process', async (simulator: Simulator) => simulator as Fetch],
  [
    'over one address',
    async (simulator: Simulator): Promise<Fetch> => {
      const { url } = await simulator.listen()
      return { fetch: (request) => fetch(request.url.replace('http://paysim.test', url), request) }
    },
  ],
])(`${SANDBOXES} sandboxes, ${WORKERS} at a time, ${'%s'}`, async (_, reach) => {
  const simulator = openSimulator()
  const seen = await playAll(await reach(simulator), simulator)
  expect(seen).toHaveLength(SANDBOXES)
  expect(new Set(seen).size).toBe(1)
  expect(simulator.sandbox('default').requests()).toEqual([])
  expect(simulator.sandbox('default').events()).toEqual([])
})
