/** Sandboxes with a closed database: after a start, and if there are more sandboxes than open databases. */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { composeSimulator, type Simulator } from '../../src/tools/compose.ts'
import { logged } from '../given.ts'
import { addCheckout, keeper } from './keeper.ts'
import { asPlatform, confirmedCheckout, newSimulator, order, refund, START } from './shop.ts'

const FROZEN_CLOCK = { clock: `frozen@${START}` } as const
const FROZEN = { ...FROZEN_CLOCK, publicUrl: 'http://paysim.test' } as const

const get = async ({ fetch }: Simulator, path: string) =>
  (await fetch(new Request(`http://paysim.test${path}`))).text()

describe('after a start', () => {
  test('lists and names open no sandbox, and a request opens only its own', async () => {
    const { open, awake } = keeper({})
    const first = await open(FROZEN)
    for (const name of ['a', 'b', 'c']) first.create({ name, webhook: { url: `http://127.0.0.1:9/${name}` } })
    first.create({ name: 'live', environment: 'production', apiKey: 'sk_live_of_my_own' })
    await first.find('b').clock.advance('1d')
    await refund(
      asPlatform(first, first.find('b')),
      await confirmedCheckout(asPlatform(first, first.find('b'))),
      10,
    )
    // A webhook without an attempt is due when the simulator starts.
    await first.find('b').settle()
    const described = first.sandboxes().map((sandbox) => sandbox.describe())
    const listed = JSON.parse(await get(first, '/_sim/sandboxes')).data

    const second = await open(FROZEN)
    expect(second.sandboxes().map((sandbox) => sandbox.describe())).toEqual(described)
    expect(JSON.parse(await get(second, '/_sim/sandboxes')).data).toEqual(listed)
    expect(second.production.sandboxes().map(({ name }) => name)).toEqual([
      'staging.default',
      'staging.a',
      'staging.b',
      'staging.c',
      'live',
    ])
    expect(awake()).toEqual(['default'])

    const { status } = await asPlatform(second, { apiKey: 'sk_staging_b' })('GET', '/v1/checkouts')
    expect([status, awake()]).toEqual([200, ['b', 'default']])
    const [, a] = second.sandboxes()
    expect(a!.clock.read()).toEqual({ now: START, frozen: true })
    expect(awake()).toEqual(['a', 'b', 'default'])
  })

  test('a sandbox that is removed, or replaced by another with its key, is never opened', async () => {
    const { open, awake, data } = keeper({})
    const first = await open()
    first.create({ name: 'a' }).snapshot('then')
    first.create({ name: 'b' })
    const second = await open()
    second.remove('a')
    expect(() => second.create({ name: 'c', apiKey: 'sk_staging_b' })).toThrow(
      'The sandbox b already has this API key',
    )
    expect(() => second.create({ name: 'b' })).toThrow('The sandbox b already exists')
    expect(awake()).toEqual(['default'])
    expect(readdirSync(data).filter((file) => file.startsWith('a.'))).toEqual([])
  })

  test('due work happens on time, though no request asks for its sandbox', async () => {
    const { open, awake } = keeper({})
    const first = await open()
    for (const name of ['soon', 'later', 'frozen']) {
      const shop = first.create({ name, ...FROZEN_CLOCK, refundDelay: name === 'later' ? '1d' : '1s' })
      const call = asPlatform(first, shop)
      await refund(call, await confirmedCheckout(call), 10)
    }
    // They close within one turn of the event loop, so that no work becomes due first.
    for (const name of ['soon', 'later']) first.find(name).clock.resume()
    const second = await open()
    await expect.poll(awake).toEqual(['default', 'soon'])
    const call = asPlatform(second, { apiKey: 'sk_staging_soon' })
    await expect.poll(async () => (await call('GET', '/v1/refunds')).body.data[0].status).toBe('completed')
    expect(awake()).toEqual(['default', 'soon'])
  })

  test('a file that turns out to be damaged is set aside and replaced when it is opened', async () => {
    const lines = logged()
    const { data, open } = keeper({})
    ;(await open()).create({ name: 'shop' })
    const second = await open({ log: 'pretty' })
    const file = join(data, 'shop.sqlite')
    writeFileSync(file, readFileSync(file).fill(7, 100, 4_000))
    const { status } = await asPlatform(second, { apiKey: 'sk_staging_shop' })('GET', '/v1/checkouts')
    expect(status).toBe(200)
    expect(lines.filter((line) => line.includes('cannot be served'))).toHaveLength(1)
    expect(existsSync(`${file}.set-aside-1`)).toBe(true)
    expect(second.sandboxes().map(({ name }) => name)).toEqual(['default', 'shop'])
  })

  test('a file that has disappeared is not recreated', async () => {
    const { data, open } = keeper({})
    ;(await open()).create({ name: 'shop' })
    const second = await open()
    copyFileSync(join(data, 'shop.sqlite'), join(data, 'elsewhere'))
    rmSync(join(data, 'shop.sqlite'))
    const { status, body } = await asPlatform(second, { apiKey: 'sk_staging_shop' })('GET', '/v1/checkouts')
    expect([status, body.message]).toEqual([503, expect.stringContaining('Retry later')])
    copyFileSync(join(data, 'elsewhere'), join(data, 'shop.sqlite'))
    expect((await asPlatform(second, { apiKey: 'sk_staging_shop' })('GET', '/v1/checkouts')).status).toBe(200)
  })
})

describe('with more sandboxes than open databases', () => {
  const OPEN = 4
  const COUNT = 10
  const names = Array.from({ length: COUNT }, (_, number) => `s${number}`)

  test('sandboxes that were not used lately sleep, and keep all their data', async () => {
    const { open, awake } = keeper({})
    const simulator = await open(FROZEN, OPEN)
    for (const name of names) {
      const shop = simulator.create({ name })
      if (name === 's0') shop.arm([{ id: 'down', times: 1, do: { respond: 503 } }])
      await asPlatform(simulator, shop)('GET', `/v1/checkouts?of=${name}`)
    }
    expect(awake()).toHaveLength(OPEN)
    const [first, second] = [simulator.find('s0'), simulator.find('s1')]
    expect(awake()).not.toContain('s0')
    expect(first.describe().clock).toEqual({ now: START, frozen: true })
    expect(first.requests()).toHaveLength(1)
    expect(awake()).not.toContain('s0')
    expect(first.behaviors()).toMatchObject([{ id: 'down', fired: 1 }])
    await addCheckout(simulator, 's0')
    await addCheckout(simulator, 's1')
    await second.clock.advance('1h')
    // Enough other sandboxes were opened to put both to sleep again.
    for (const name of names.slice(2)) await addCheckout(simulator, name)
    expect(awake()).not.toContain('s1')
    expect(second.clock.read().now).toBe('2026-01-01T01:00:00.000Z')
    expect((await asPlatform(simulator, first)('GET', '/v1/checkouts')).body.data).toHaveLength(1)
    const again = await open(FROZEN)
    expect(again.sandboxes()).toHaveLength(COUNT + 1)
    expect(again.find('s1').clock.read().now).toBe('2026-01-01T01:00:00.000Z')
  })

  test('in memory, sandboxes take turns at one open database, and each keeps its data', async () => {
    const { simulator } = composeSimulator({ ...FROZEN, rateLimit: 'off' }, { openDatabases: 1 })
    onTestFinished(() => simulator.close())
    const calls = names.map((name) => asPlatform(simulator, simulator.create({ name })))
    for (const amount of [10, 20])
      for (const call of calls) await refund(call, await confirmedCheckout(call), amount)
    for (const call of calls) {
      const { data } = (await call('GET', '/v1/refunds')).body
      expect(data).toMatchObject([{ amount: 20 }, { amount: 10 }])
    }
  })

  test('lists do not count as use: a sandbox without requests from a platform falls asleep', async () => {
    const { open, awake } = keeper({})
    const simulator = await open(FROZEN, OPEN)
    for (const name of ['a', 'b', 'unused', 'd']) {
      simulator.create({ name })
      await addCheckout(simulator, name)
    }
    // `default` fell asleep for the fifth sandbox; the others have not counted as used since then.
    expect(awake()).toEqual(['a', 'b', 'd', 'unused'])
    for (const name of ['a', 'b', 'd']) await addCheckout(simulator, name)
    await get(simulator, '/_sim/sandboxes')
    simulator.create({ name: 'one-more' })
    expect(awake()).toEqual(['a', 'b', 'd', 'one-more'])
  })

  test('a held request keeps its sandbox open, and a refund completes in a sleeping sandbox', async () => {
    const { open, awake } = keeper({})
    const simulator = await open({}, OPEN)
    const held = simulator.create({ name: 'held' })
    held.arm([{ id: 'wait', do: { hold: 'gate' } }])
    const answered = asPlatform(simulator, held)('POST', '/v1/checkouts', order())
    await held.untilHeld('gate')
    const slow = simulator.create({ name: 'slow', ...FROZEN_CLOCK, refundDelay: '1s' })
    const call = asPlatform(simulator, slow)
    await refund(call, await confirmedCheckout(call), 10)
    // It falls asleep within one turn of the event loop, so that no work becomes due first.
    slow.clock.resume()
    for (const name of names) simulator.create({ name })
    expect(awake()).toContain('held')
    expect(awake()).not.toContain('slow')
    held.release('gate')
    expect((await answered).status).toBe(201)
    await expect.poll(() => awake()).toContain('slow')
    await expect.poll(async () => (await call('GET', '/v1/refunds')).body.data[0].status).toBe('completed')
  })
})

test('the list of sandboxes has pages, newest first', async () => {
  const simulator = newSimulator({ rateLimit: 'off' })
  for (let number = 1; number < 205; number += 1) simulator.create({ name: `s${number}` })
  const pages: string[][] = []
  for (let cursor = ''; cursor !== null; ) {
    const { data, nextCursor } = JSON.parse(
      await get(simulator, `/_sim/sandboxes${cursor && `?cursor=${cursor}`}`),
    )
    pages.push(data.map(({ name }: { name: string }) => name))
    cursor = nextCursor
  }
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 5])
  expect(pages.map(([first]) => first)).toEqual(['s105', 's5', 'default'])
  expect(JSON.parse(await get(simulator, '/_sim/sandboxes?limit=2')).data).toMatchObject([
    { name: 's203' },
    { name: 's204' },
  ])
})
