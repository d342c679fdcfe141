/** All sandboxes share one limit on memory. */
import { expect, test } from 'vitest'
import type { Sandbox, SimulatorOptions } from '../../src/index.ts'
import { MemoryBound } from '../../src/service/door/journal.ts'
import { logged } from '../given.ts'
import { asPlatform, openSimulator } from './shop.ts'

function open(options: SimulatorOptions) {
  const simulator = openSimulator(options)
  const ask = async (sandbox: Sandbox, target = '/v1/checkouts', body?: string) => {
    const { headers } = await asPlatform(simulator, sandbox)(body ? 'POST' : 'GET', target, body)
    return headers.get('x-sim-request')!
  }
  return { simulator, ask }
}

test('the oldest data goes first, from any sandbox, and is logged once', async () => {
  const written = logged()
  const { simulator, ask } = open({ memory: 1, log: 'json' })
  const [quiet, busy] = [simulator.create({ name: 'one' }), simulator.create({ name: 'other' })]
  const large = 'x'.repeat(90_000)
  const first = await ask(quiet, '/v1/checkouts', large)
  for (let count = 0; count < 20; count += 1) await ask(busy, '/v1/checkouts', large)
  expect(() => quiet.request(first)).toThrow('Request not found')
  expect(quiet.requests()).toEqual([])
  expect(busy.requests().length).toBeLessThan(12)
  expect(busy.requests().at(-1)?.id).toBe('req_20')
  // A verdict reports how many requests the journal has forgotten.
  expect(quiet.audit()).toMatchObject({ requests: 0, forgotten: 1 })
  expect(busy.audit().forgotten).toBe(20 - busy.requests().length)
  expect(written.filter((line) => line.includes('Change the limit with --memory MB'))).toHaveLength(1)
})

test('a long target counts as well', async () => {
  const { simulator, ask } = open({ memory: 1 })
  const shop = simulator.sandbox('default')
  for (let count = 0; count < 40; count += 1) await ask(shop, `/v1/checkouts?note=${'x'.repeat(100_000)}`)
  expect(shop.requests().length).toBeLessThan(11)
  expect(shop.requests().at(-1)?.id).toBe('req_40')
})

test('old snapshots are removed, but the latest stays even if it is too large alone', async () => {
  const { simulator } = open({ memory: 1 })
  const shop = simulator.sandbox('default')
  const { bytes } = shop.snapshot('snapshot-0')
  const fitting = Math.floor(1024 ** 2 / bytes)
  for (let count = 1; count <= fitting; count += 1) shop.snapshot(`snapshot-${count}`)
  expect(shop.snapshots.list().map(({ name }) => name)).not.toContain('snapshot-0')
  expect(shop.snapshots.list()).toHaveLength(fitting)
  expect(() => shop.restore('snapshot-0')).toThrow('Snapshot not found')
  shop.restore(`snapshot-${fitting}`)

  const forgotten: string[] = []
  const memory = new MemoryBound(10)
  memory.add({ bytes: 5, forget: () => forgotten.push('old') })
  memory.add({ bytes: 100, forget: () => forgotten.push('large') })
  expect([forgotten, memory.bytes]).toEqual([['old'], 100])
})

test('removing a sandbox frees its memory immediately', async () => {
  const { simulator, ask } = open({ memory: 1 })
  const shop = simulator.sandbox('default')
  const first = await ask(shop)
  for (let count = 0; count < 30; count += 1) {
    const short = simulator.create({ name: `s-${count}`, ttl: '1d' })
    await ask(short, '/v1/checkouts', 'x'.repeat(90_000))
    short.snapshot('s')
    simulator.remove(short.name)
  }
  expect(shop.request(first).id).toBe(first)
})
