import { describe, expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { start } from './start.ts'

const create = { json: ORDER, key: 'k' }

describe('a gate', () => {
  test('a held request gets the stored response of its key if a snapshot was restored meanwhile', async () => {
    const { simulator, call, confirmCheckout, parked, behaviors, ledger } = start()
    const shop = simulator.sandbox('default')
    const path = `POST /v1/checkouts/${await confirmCheckout()}/refunds`
    const asked = { json: { amount: 250 }, key: 'r' }
    const { name: before } = shop.snapshot()
    const first = await call(path, asked)
    const { name: after } = shop.snapshot()

    shop.restore(before)
    const held = call(path, { ...asked, sim: 'hold=gate-a' })
    await parked(1)
    shop.restore(after)
    behaviors.release('gate-a')

    const replayed = await held
    expect(ledger()).toMatchObject({ refunds: 1, refunded: 25_000 })
    expect(replayed.text).toBe(first.text)
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  })

  test('after the commit holds only the response', async () => {
    const { arm, call, parked, behaviors, sandbox } = start()
    arm({ do: { hold: 'gate-a', at: 'after-commit' }, times: 1 })
    const first = call('POST /v1/checkouts', create)
    await parked(1)
    expect(sandbox.committedStore().checkouts.list({ limit: 5 }).data).toHaveLength(1)
    // The effect is committed and the response stored, but the request is still in flight.
    expect((await call('POST /v1/checkouts', create)).status).toBe(409)
    behaviors.release('gate-a')
    expect((await first).status).toBe(201)
  })

  test('a release lets the held requests continue; later requests are held again', async () => {
    const { arm, call, parked, behaviors } = start()
    arm({ do: { hold: 'gate-a' } })
    const first = call('GET /v1/checkouts')
    await parked(1)
    behaviors.release('gate-a')
    await first
    const second = call('GET /v1/checkouts')
    await parked(1)
    expect(behaviors.heldRequests.heldAt().map(({ request }) => request)).toEqual(['req_2'])
    behaviors.release('gate-a')
    expect((await second).status).toBe(200)
  })

  test('releases its requests in order of arrival, and no others', async () => {
    const { send, parked, behaviors } = start()
    const at = (gate: string) => send('GET /v1/checkouts', { sim: `hold=${gate}` })
    const answers = [at('a'), at('b'), at('a')]
    await parked(3)
    expect(behaviors.release('a').map(({ request }) => request)).toEqual(['req_1', 'req_3'])
    await Promise.all([answers[0], answers[2]])
    expect(behaviors.heldRequests.heldAt()).toMatchObject([{ request: 'req_2', gate: 'b' }])
    expect(behaviors.release('nobody')).toEqual([])
    behaviors.release('b')
    expect((await answers[1])?.status).toBe(200)
  })

  test('expires after max, on the sandbox clock', async () => {
    const { call, parked, advance, behaviors } = start()
    const answer = call('POST /v1/checkouts', { ...create, sim: 'hold=gate-a; max=10s' })
    await parked(1)
    await advance(9_999)
    expect(behaviors.heldRequests.size).toBe(1)
    await advance(1)
    expect((await answer).json.createdAt).toBe('2026-01-01T00:00:10.000Z')
    expect(behaviors.release('gate-a')).toEqual([])
  })

  test("waiting for a gate ends with the caller's timeout", async () => {
    const { behaviors } = start()
    const waiting = new AbortController()
    const held = behaviors.heldRequests.whenHeld('gate-a', waiting.signal)
    waiting.abort(new Error('enough'))
    await expect(held).rejects.toThrow('aborted')
    await expect(behaviors.heldRequests.whenHeld('gate-a', waiting.signal)).rejects.toThrow('enough')
  })
})

describe('time', () => {
  test('an advance waits for the requests that it wakes, and for no others', async () => {
    const { call, parked, advance, sandbox, confirmCheckout } = start()
    const checkout = await confirmCheckout()
    const refund = call(`POST /v1/checkouts/${checkout}/refunds`, { json: { amount: 1 }, sim: 'delay=1m' })
    const held = call('GET /v1/checkouts', { sim: 'hold=gate-a' })
    await parked(2)
    // The refund is created after a minute and completes five seconds later, within one advance.
    expect((await advance(65_000)).map(({ what }) => what)).toEqual(['refund.completed'])
    expect(sandbox.journal.inFlight.length).toBe(1)
    expect((await refund).json).toMatchObject({ status: 'pending', createdAt: '2026-01-01T00:01:00.000Z' })
    sandbox.behaviors.release('gate-a')
    await held
  })

  test('delayed requests are listed as upcoming work until they continue', async () => {
    const { call, parked, advance, simulator, confirmCheckout } = start()
    const shop = simulator.sandbox('default')
    const checkout = await confirmCheckout()
    await call(`POST /v1/checkouts/${checkout}/refunds`, { json: { amount: 1 } })
    const delayed = call('GET /v1/checkouts', { sim: 'delay=1m' })
    await parked(1)
    const held = call('GET /v1/checkouts', { sim: 'hold=gate-a; max=2s' })
    await parked(2)
    const endless = call('GET /v1/checkouts', { sim: 'hold=gate-a' })
    await parked(3)
    expect(shop.due()).toEqual([
      { at: '2026-01-01T00:00:02.000Z', kind: 'request.continue', subject: 'req_5' },
      { at: '2026-01-01T00:00:05.000Z', kind: 'refund.complete', subject: expect.any(String) },
      { at: '2026-01-01T00:01:00.000Z', kind: 'request.continue', subject: 'req_4' },
    ])
    expect(shop.due({ limit: 1 })).toHaveLength(1)
    await advance(60_000)
    expect(shop.due()).toEqual([])
    shop.release('gate-a')
    expect((await Promise.all([delayed, held, endless])).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('a delay is drawn between its percentiles, from the seed', async () => {
    const { arm, send, parked, advance, sandbox, journal } = start()
    arm({ do: { delay: { p50: '100ms', p99: '2s' } } })
    const answers = Array.from({ length: 200 }, () => send('GET /v1/checkouts'))
    await parked(200)
    await advance(60_000)
    await Promise.all(answers)
    const took = journal().map(({ at, answeredAt }) => Number(answeredAt) - at)
    const sorted = took.toSorted((a, b) => a - b)
    expect(sorted[100]).toBeGreaterThan(70)
    expect(sorted[100]).toBeLessThan(140)
    expect(sorted[199]).toBeGreaterThan(500)
    expect(sandbox.behaviors.heldRequests.size).toBe(0)
  })
})

describe('an unknown gate', () => {
  test('cannot be released, and the error suggests the right name', async () => {
    const { arm, call, parked, simulator } = start()
    const shop = simulator.sandbox('default')
    arm({ id: 'h', times: 1, do: { hold: 'gate' } })
    const why = 'Gate gaet not found: no armed behavior names it, and nothing waits at it; did you mean gate?'
    expect(() => shop.release('gaet')).toThrow(why)
    expect(shop.release('gate')).toEqual([])
    await expect(shop.untilHeld('gaet', { within: '1ms' })).rejects.toThrow(
      'No request came to gaet within 1ms, which no armed behavior names; did you mean gate?',
    )
    const answer = call('GET /v1/checkouts')
    await parked(1)
    shop.disarm('h')
    expect(shop.release('gate')).toHaveLength(1)
    expect((await answer).status).toBe(200)
    expect(() => shop.release('gate')).toThrow('Gate gate not found')
  })

  test('is known while a request with its header waits', async () => {
    const { call, parked, simulator } = start()
    const answer = call('GET /v1/checkouts', { sim: 'hold=g' })
    await parked(1)
    expect(simulator.sandbox('default').release('g')).toHaveLength(1)
    expect((await answer).status).toBe(200)
  })
})
