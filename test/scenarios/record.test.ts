/** A session becomes a scenario, and the scenario passes. */
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { SandboxOptions } from '../../src/index.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { recordSession } from '../../src/tester/control/record.ts'
import { startOwn as startOwnSimulator } from '../../src/tools/compose-server.ts'
import { colorsFor } from '../../src/tools/player/colors.ts'
import { whyFailed } from '../../src/tools/player/play-recorded.ts'
import { playFile } from '../../src/tools/player/session.ts'
import { failureLines } from '../../src/tools/player/show-result.ts'
import { asPlatform, newSimulator, spoken } from '../control/shop.ts'
import { ORDER } from '../order.ts'
import { session } from './playing.ts'

type Json = Record<string, unknown> & { id: string }

async function whyNotPassed(yaml: string): Promise<string | undefined> {
  const { url, close } = await startOwnSimulator()
  return whyFailed(yaml, url).finally(close)
}

async function openShop(options: SandboxOptions = {}) {
  const simulator = newSimulator({
    clock: 'frozen@2026-01-01T00:00:00Z',
    rateLimit: 'off',
    log: 'silent',
    ...options,
  })
  const { url } = await simulator.listen()
  const shop = simulator.sandbox('default')
  const requests: string[] = []
  const ask = spoken(asPlatform(simulator, shop))
  return {
    shop,
    url,
    /** Every request in order of arrival. */
    requests,
    async call(asked: string, body?: unknown, headers: Record<string, string> = {}): Promise<Json> {
      const answer = await ask(asked, body, headers).catch(() => undefined)
      requests.push(`req_${requests.length + 1}`)
      return answer?.body || {}
    },
    /** Plays the recording in a fresh sandbox immediately. */
    async play(yaml: string) {
      const { outcome, reason, steps } = await playFile(
        'session.yaml',
        parseScenario(yaml),
        { base: new URL(url), apiKey: undefined, adminToken: undefined },
        { ...session(), keepGoing: true, patience: { within: 1000, every: 50 } },
      )
      const failures = steps.flatMap((step) =>
        step.outcome === 'failed' ? failureLines(step, colorsFor(false)) : [],
      )
      return { outcome, reason, failures }
    },
  }
}

const passed = { outcome: 'passed', reason: undefined, failures: [] }

describe('a recorded session passes when it is played', () => {
  test('with a lost response, its replay and a reused key', async () => {
    const { shop, call, play, requests } = await openShop()
    const { id } = await call('POST /v1/checkouts', ORDER, { 'idempotency-key': 'order 1' })
    await shop.clock.advance('12s')
    await call(`POST /v1/checkouts/${id}/confirm`)
    const refund = { 'idempotency-key': 'refund-1' }
    await call(
      `POST /v1/checkouts/${id}/refunds`,
      { amount: 250 },
      { ...refund, 'x-sim': 'fault=reset; at=after-commit' },
    )
    await call(`POST /v1/checkouts/${id}/refunds`, { amount: 250 }, refund)
    const replayed = await call(`POST /v1/checkouts/${id}/refunds`, { amount: 250 }, refund)
    await call(`POST /v1/checkouts/${id}/refunds`, { amount: 300 }, refund)
    await call(`GET /v1/refunds/${replayed.id}`)
    await shop.clock.advance('5s')
    await call(`GET /v1/refunds/${replayed.id}`)

    const { yaml, added, leftOut } = await recordSession(shop, { chosen: requests })
    expect({ added, leftOut }).toEqual({ added: [], leftOut: [] })
    expect(yaml).not.toMatch(/(chk|ref|cus|pm)_[0-9A-Za-z]{24}/)
    expect(yaml).toContain('capture: { checkout: $.id }')
    expect(yaml).toContain('repeat: ')
    expect(await play(yaml)).toEqual(passed)
  })

  test.for([
    ['a refusal before the operation', { respond: 503 }],
    ['a lost response', { fault: 'reset', at: 'after-commit' }],
  ] as const)('with %s, three times for one key', async ([, fault]) => {
    const { shop, call, play } = await openShop()
    shop.arm({ when: { op: 'customers.create' }, times: 3, do: fault })
    for (let attempt = 0; attempt < 5; attempt += 1)
      await call('POST /v1/customers', { externalId: 'ada' }, { 'idempotency-key': 'create' })
    const { yaml } = await recordSession(shop)
    expect(await play(yaml)).toEqual(passed)
    expect(yaml.match(/X-Sim/g)).toHaveLength(3)
  })

  test('with fields that a profile adds, which the recorded file adds as well', async () => {
    const add = { checkout: { labels: { type: 'map' as const } } }
    const { shop, call } = await openShop({ profile: { add } })
    await call('POST /v1/checkouts', { ...ORDER, labels: { channel: 'web' } })
    const { yaml } = await recordSession(shop)
    expect(parse(yaml)).toMatchObject({ steps: [{ expect: { json: { labels: { channel: 'web' } } } }] })
    expect(await whyNotPassed(yaml)).toBeUndefined()
  })

  test('with faults of several kinds for one key', async () => {
    const { shop, call, play } = await openShop()
    for (const fault of ['truncate', 'reset; at=after-commit', 'truncate', undefined])
      await call(
        'POST /v1/customers',
        { externalId: 'ada' },
        { 'idempotency-key': 'create', ...(fault && { 'x-sim': `fault=${fault}` }) },
      )
    expect(await play((await recordSession(shop)).yaml)).toEqual(passed)
  })

  test('with every kind of resource, and a buyer in between', async () => {
    const { shop, call, play, requests } = await openShop()
    const bought = await call('POST /v1/checkouts', { ...ORDER, amount: 19.99 })
    await call(`GET /v1/checkouts/${bought.id}`)
    shop.buyer.approve(bought.id, { method: 'bank_account', applicant: 'Test Approved' })
    await call(`GET /v1/checkouts/${bought.id}`)
    await call(`POST /v1/checkouts/${bought.id}/confirm`, {})
    await call(`POST /v1/checkouts/${bought.id}/refunds`, { amount: 1 })
    const customer = await call('POST /v1/customers', { externalId: 'biz-9', name: 'Acme "${LLC}"' })
    await call('POST /v1/customers', { externalId: 'biz-9' })
    const held = await call('POST /v1/authorizations', { amount: 75.5, customerId: customer.id })
    await call(`POST /v1/authorizations/${held.id}/capture`, { amount: 50 })
    await call(`POST /v1/authorizations/${held.id}/void`)
    const refund = await call('POST /v1/refunds', { amount: 20, authorizationId: held.id })
    await shop.clock.advance('1d')
    await call(`GET /v1/refunds/${refund.id}`)
    await call('GET /v1/refunds?limit=2')
    await call(`POST /v1/customers/${customer.id}/payment-methods/${held.paymentMethodId}/detach`)
    await call('GET /v1/events?limit=3')

    const { yaml, leftOut } = await recordSession(shop, { chosen: requests })
    expect(leftOut).toEqual([])
    expect(yaml).toContain('approve: ')
    expect(await play(yaml)).toEqual(passed)
  })

  test.for(['card', 'bank_account'] as const)(
    'with an approval by %s for an existing customer, which plays everywhere',
    async (method) => {
      const { call, shop } = await openShop({ requireApproval: true })
      const { id: before } = await call('POST /v1/checkouts', { ...ORDER, orderId: 'o-6' })
      shop.buyer.approve(before)
      const { id } = await call('POST /v1/checkouts', ORDER)
      shop.buyer.approve(id, { method })
      await call(`GET /v1/checkouts/${id}`)
      await call(`POST /v1/checkouts/${id}/confirm`)

      const { yaml, added } = await recordSession(shop, { chosen: ['req_3', 'req_4'] })
      expect([added, yaml]).toEqual([['req_2'], expect.stringContaining('approve: ')])
      expect(yaml).not.toMatch(/customerId|chk_/)
      expect(await whyNotPassed(yaml)).toBeUndefined()
    },
  )

  test('with every refusal that a single request can get', async () => {
    const { call, play, shop, requests } = await openShop()
    await call('POST /v1/checkouts', ORDER, { 'x-api-key': 'sk_live_nobody' })
    await call('GET /v1/nothing')
    await call('POST /v1/checkouts', '{"orderId":')
    await call('POST /v1/checkouts', 'amount=1', { 'content-type': 'text/plain' })
    await call('POST /v1/checkouts', { ...ORDER, amount: '12' })
    await call('POST /v1/checkouts', ORDER, { 'idempotency-key': 'x'.repeat(256) })
    await call('GET /v1/checkouts/chk_of_nobody')
    await call('POST /v1/checkouts', ORDER, { 'x-sim': 'respond=503' })
    await call('POST /v1/checkouts', { ...ORDER, orderId: '${env:HOME} ${nobody}' })

    const { yaml, leftOut } = await recordSession(shop, { chosen: requests })
    expect(leftOut).toEqual([])
    expect(await play(yaml)).toEqual(passed)
  })

  test('with armed behaviors, which the recorded file contains', async () => {
    const { call, play, shop, requests } = await openShop()
    shop.arm({ behaviors: [{ id: 'down', times: 1, do: { respond: { status: 503 } } }] })
    await call('POST /v1/checkouts', ORDER)
    shop.arm({ behaviors: [{ id: 'cut', times: 1, do: { fault: 'truncate' } }] })
    await call('POST /v1/checkouts', ORDER)
    shop.arm({ behaviors: [{ id: 'lost', times: 1, do: { fault: 'reset', at: 'before' } }] })
    await call('POST /v1/checkouts', ORDER)
    shop.disarm()

    const { yaml } = await recordSession(shop, { chosen: requests })
    expect(yaml).toContain('X-Sim: respond=503')
    expect(yaml).toContain('X-Sim: fault=truncate')
    expect(yaml).toContain('X-Sim: fault=reset; at=before')
    expect(await play(yaml)).toEqual(passed)
  })

  test('with delayed or held requests, recorded without the delay or hold', async () => {
    const { shop, call, play, requests } = await openShop({ clock: 'real' })
    await call('POST /v1/customers', { externalId: 'ada' }, { 'x-sim': 'delay=20ms' })
    const held = call('POST /v1/customers', { externalId: 'grace' }, { 'x-sim': 'hold=gate, respond=503' })
    await shop.untilHeld('gate', { within: '15s' })
    await shop.release('gate')
    await held
    await call('GET /v1/customers', undefined, { 'x-sim': 'delay=soon' })

    const { yaml } = await recordSession(shop, { chosen: requests })
    expect(yaml.match(/X-Sim: [^ ]*/g)).toEqual(['X-Sim: respond=503', 'X-Sim: delay=soon'])
    expect(await play(yaml)).toEqual(passed)
  })

  test('with tester actions around requests: a card attached, a refund completed early', async () => {
    const { call, play, shop, requests } = await openShop()
    const customer = await call('POST /v1/customers', { externalId: 'biz-9' })
    await call(`GET /v1/customers/${customer.id}`)
    await shop.clock.advance('1m')
    const { id: method } = shop.paymentMethods.attach(customer.id, { type: 'bank_account' })
    await call(`GET /v1/customers/${customer.id}/payment-methods`)
    await call('POST /v1/authorizations', { amount: 75.5, customerId: customer.id })
    await call(`POST /v1/customers/${customer.id}/payment-methods/${method}/detach`)
    const { id } = await call('POST /v1/checkouts', ORDER)
    await call(`POST /v1/checkouts/${id}/confirm`)
    const early = await call(`POST /v1/checkouts/${id}/refunds`, { amount: 10 })
    await call(`POST /v1/checkouts/${id}/refunds`, { amount: 20 })
    shop.refunds.complete(early.id)
    expect((await call(`GET /v1/refunds/${early.id}`)).status).toBe('completed')
    await shop.clock.advance('5s')
    await call(`GET /v1/checkouts/${id}/refunds`)
    shop.paymentMethods.attach(customer.id)

    const { yaml } = await recordSession(shop)
    expect(yaml).toContain(
      'sim: { attach: "${customer}", type: bank_account }\n    capture: { method: $.id }',
    )
    expect(yaml).toContain('complete: "${refund}"')
    const steps: { call?: string; sim?: object }[] = parse(yaml).steps
    expect(steps.slice(1, 4)).toMatchObject([
      { call: 'GET /v1/customers/${customer}' },
      { sim: { advance: '1m' } },
      { sim: { attach: '${customer}' } },
    ])
    expect(steps.at(-1)).toEqual({ sim: { attach: '${customer}', type: 'card' } })
    const start = await recordSession(shop, { chosen: requests.slice(0, 2) })
    expect(parse(start.yaml).steps).toHaveLength(2)
    expect(await play(yaml)).toEqual(passed)
    expect(await whyNotPassed(yaml)).toBeUndefined()
  })

  test.for([
    ['never', 'refundDelay: 36500d'],
    ['now', 'refundDelay: 0s'],
    [{ polls: 2 }, 'sim: { complete: "${refund}" }'],
    [{ clock: '2d' }, 'sim: { complete: "${refund}" }'],
  ] as const)('with a refund that a behavior completes: %j', async ([after, expected]) => {
    const { call, play, shop, requests } = await openShop()
    shop.arm({ when: { resource: 'refund', enters: 'pending' }, do: { transition: 'completed', after } })
    const { id } = await call('POST /v1/checkouts', ORDER)
    await call(`POST /v1/checkouts/${id}/confirm`)
    const refund = await call(`POST /v1/checkouts/${id}/refunds`, { amount: 10 })
    await call(`GET /v1/refunds/${refund.id}`)
    await shop.clock.advance('1m')
    await call(`GET /v1/refunds/${refund.id}`)
    await shop.clock.advance('3d')
    await call(`GET /v1/refunds/${refund.id}`)

    const { yaml } = await recordSession(shop, { chosen: requests })
    expect(yaml).toContain(expected)
    expect(await play(yaml)).toEqual(passed)
  })

  test('with a running clock and a refund that completed between two reads, also late on a busy machine', async () => {
    const { call, play, shop, requests } = await openShop({ clock: 'real', refundDelay: '1h' })
    const { id } = await call('POST /v1/checkouts', ORDER)
    await call(`POST /v1/checkouts/${id}/confirm`)
    const refund = await call(`POST /v1/checkouts/${id}/refunds`, { amount: 10 })
    expect((await call(`GET /v1/refunds/${refund.id}`)).status).toBe('pending')
    await shop.clock.advance('1h')
    expect((await call(`GET /v1/refunds/${refund.id}`)).status).toBe('completed')
    expect(await play((await recordSession(shop, { chosen: requests })).yaml)).toEqual(passed)

    const due = shop.events({ type: 'refund.completed' })[0]!.timestamp
    // The request arrived when the refund was due, and read it before the timer had run.
    const late: Pick<typeof shop, 'describe' | 'requests' | 'request' | 'events' | 'ledger' | 'deliveries'> =
      {
        ...shop,
        request: (id) => ({ ...shop.request(id), ...(id === 'req_4' && { arrivedAt: due }) }),
      }
    expect(await play((await recordSession(late, { chosen: requests.slice(0, 4) })).yaml)).toEqual(passed)
  })

  test('with a key that was used again half a second after its time, by a frozen clock', async () => {
    const { call, play, shop, requests } = await openShop()
    const key = { 'idempotency-key': 'k' }
    await call('POST /v1/customers', { externalId: 'ada' }, key)
    await shop.clock.advance(86_399_500)
    await call('GET /v1/customers')
    await shop.clock.advance(500)
    expect(await call('POST /v1/customers', { externalId: 'grace' }, key)).toMatchObject({
      externalId: 'grace',
    })

    expect(await play((await recordSession(shop, { chosen: requests })).yaml)).toEqual(passed)
  })

  test('with pages and captured cursors, which differ at another service', async () => {
    const { call, play, shop, requests } = await openShop()
    for (const _ of [1, 2, 3]) await call('POST /v1/checkouts', ORDER)
    for (const list of ['/v1/checkouts', '/v1/events']) {
      const { nextCursor } = await call(`GET ${list}?limit=1`)
      const second = await call(`GET ${list}?cursor=${nextCursor}&limit=1`)
      await call(`GET ${list}?limit=1&cursor=${second.nextCursor}`)
    }
    const { yaml } = await recordSession(shop, { chosen: requests })
    expect(yaml.match(/capture: .*|cursor=[^&\n]*/g)).toEqual([
      ...['capture: { cursor: $.nextCursor }', 'cursor=${cursor}'],
      ...['capture: { cursor2: $.nextCursor }', 'cursor=${cursor2}'],
      ...['capture: { cursor3: $.nextCursor }', 'cursor=${cursor3}'],
      ...['capture: { cursor4: $.nextCursor }', 'cursor=${cursor4}'],
    ])
    expect(await play(yaml)).toEqual(passed)
    expect(await whyNotPassed(yaml)).toBeUndefined()
  })

  test('with requests that were held while a refund was created or completed', async () => {
    const { call, play, shop, requests } = await openShop()
    const { id } = await call('POST /v1/checkouts', ORDER)
    await call(`POST /v1/checkouts/${id}/confirm`)
    const held = async (asked: string, body?: unknown) => {
      shop.arm({ id: 'held', times: 1, do: { hold: 'gate', at: 'before' } })
      const answer = call(asked, body)
      await shop.untilHeld('gate')
      await shop.clock.advance('5s')
      shop.release('gate')
      return answer
    }
    const refund = await held(`POST /v1/checkouts/${id}/refunds`, { amount: 10 })
    expect((await call(`GET /v1/refunds/${refund.id}`)).status).toBe('pending')
    expect((await held(`GET /v1/refunds/${refund.id}`)).status).toBe('completed')

    expect(await play((await recordSession(shop, { chosen: requests })).yaml)).toEqual(passed)
  })

  test('with a key that was reused with another body before its replay', async () => {
    const { shop, call, play } = await openShop()
    const key = { 'idempotency-key': 'k' }
    await call('POST /v1/checkouts', ORDER, key)
    await call('POST /v1/checkouts', { ...ORDER, amount: 5 }, key)
    await call('POST /v1/checkouts', ORDER, key)
    await call('POST /v1/checkouts', ORDER, key)

    expect(await play((await recordSession(shop)).yaml)).toEqual(passed)
    // The replay alone adds the request that it repeats.
    const { yaml, added } = await recordSession(shop, { chosen: ['req_3'] })
    expect(added).toContain('req_1')
    expect(await play(yaml)).toEqual(passed)
  })

  test('with a key that was reused with another body, and then with the first body in another format', async () => {
    const { shop, call, play } = await openShop()
    const key = { 'idempotency-key': 'order 1' }
    const cheap = { ...ORDER, amount: 5 }
    await call('POST /v1/checkouts', ORDER, key)
    await call('POST /v1/checkouts', cheap, key)
    const { yaml: reused } = await recordSession(shop)
    expect(reused).not.toContain('repeat: ')
    expect(await play(reused)).toEqual(passed)

    await call('POST /v1/checkouts', ORDER, key)
    await call('POST /v1/checkouts', cheap, key)
    await call('POST /v1/checkouts', JSON.stringify(ORDER, null, 1), key)
    const { yaml } = await recordSession(shop)
    expect(yaml.match(/(id|repeat): step-\d+/g)).toEqual(['id: step-1', 'repeat: step-1'])
    expect(await play(yaml)).toEqual(passed)
  })
})

describe('a chosen request', () => {
  test('must be in the journal', async () => {
    const { shop, call } = await openShop()
    expect(await recordSession(shop)).toMatchObject({ recorded: false })
    await call('POST /v1/checkouts', ORDER)
    await expect(recordSession(shop, { chosen: ['req_999'] })).rejects.toThrow('Request req_999 not found')
    await expect(recordSession(shop, { chosen: ['nothing'] })).rejects.toThrow('Request nothing not found')
  })

  test('is recorded with the requests that it depends on, and no others', async () => {
    const { shop, call, play } = await openShop()
    const { id } = await call('POST /v1/checkouts', ORDER)
    await call('POST /v1/checkouts', { ...ORDER, externalId: 'other' })
    await call(`GET /v1/checkouts/${id}`)
    await call(`POST /v1/checkouts/${id}/confirm`)
    await call(`GET /v1/checkouts/${id}`)

    const { yaml, added } = await recordSession(shop, { chosen: ['req_5'] })
    expect(added).toEqual(['req_1', 'req_4'])
    expect(await play(yaml)).toEqual(passed)
  })

  test('is left out, with the reason, if it could not pass', async () => {
    const { shop, call, play, requests } = await openShop({ rateLimit: 2 })
    await call('POST /v1/checkouts', ORDER)
    await call('POST /v1/checkouts', ORDER, { 'content-encoding': 'gzip' })
    await call('GET /v1/checkouts')

    const { yaml, leftOut } = await recordSession(shop, { chosen: requests })
    expect(leftOut).toEqual([
      { id: 'req_2', why: 'was refused because of its Content-Encoding, which the journal does not keep' },
      { id: 'req_3', why: 'was refused by the rate limit, which is off in a recorded scenario' },
    ])
    expect(yaml).toContain('# req_3 was refused by the rate limit')
    expect(await play(yaml)).toEqual(passed)
  })
})

test('a request that has no answer yet is left out', async () => {
  const { shop, call, play } = await openShop()
  const held = call('POST /v1/customers', { externalId: 'ada' }, { 'x-sim': 'hold=gate' })
  await shop.untilHeld('gate', { within: '15s' })
  await call('POST /v1/customers', { externalId: 'grace' })

  const { yaml, steps, leftOut } = await recordSession(shop)
  expect({ steps, leftOut }).toEqual({ steps: 1, leftOut: [{ id: 'req_1', why: 'has no answer yet' }] })
  await shop.release('gate')
  await held
  expect(await play(yaml)).toEqual(passed)
})

test('a recording has one step for each request in the journal, even if requests are alike', async () => {
  const { shop, call, play, requests } = await openShop()
  for (const amount of [5, 10, 20]) {
    const { id } = await call('POST /v1/checkouts', { ...ORDER, amount }, { 'idempotency-key': `${amount}` })
    await call(`POST /v1/checkouts/${id}/confirm`)
    await shop.clock.advance('5s')
    await call(`GET /v1/checkouts/${id}`)
  }
  const { yaml } = await recordSession(shop)
  const { steps, setups } = parse(yaml)
  expect(setups).toBeUndefined()
  const calls = (steps as { call?: string }[]).flatMap(({ call = '' }) => call || [])
  expect(calls).toHaveLength(requests.length)
  expect(calls.slice(-3)).toEqual([
    'POST /v1/checkouts',
    'POST /v1/checkouts/${checkout3}/confirm',
    'GET /v1/checkouts/${checkout3}',
  ])
  expect(await play(yaml)).toEqual(passed)
})

test('a recording that depends on data outside the file fails when it is played', async () => {
  const { shop, call } = await openShop()
  shop.emit({ type: 'refund.completed', data: { id: 'ref_of_ticket' }, id: 'evt_of_ticket' })
  await call('GET /v1/events/evt_of_ticket')
  const { yaml } = await recordSession(shop)
  expect(await whyNotPassed(yaml)).toBeDefined()
})

test('a key in an address or a body is hidden in the recording, which still passes', async () => {
  const { call, shop, play } = await openShop()
  const { apiKey } = shop
  const { id } = await call('POST /v1/checkouts', { ...ORDER, orderId: apiKey })
  await call(`GET /v1/checkouts/${id}?key=${apiKey}&access_token=${encodeURIComponent('tok/en-1')}`)
  const { yaml } = await recordSession(shop)
  expect(yaml).toContain('?key=hidden&access_token=hidden')
  expect(yaml).toContain('orderId: hidden')
  expect(yaml).not.toMatch(new RegExp(`${apiKey}|tok.{1,3}en-1`))
  expect(await play(yaml)).toEqual(passed)
})
