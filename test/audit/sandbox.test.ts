/** The audit of real requests, by the sandbox that received them. */
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/index.ts'
import type { BehaviorInput } from '../../src/sandbox/scenario-file/armable.ts'
import { findingText, summaryText } from '../../src/tester/audit/show.ts'
import { confirmedCheckout, newSimulator, openShop, openSimulator, order } from '../control/shop.ts'
import { openReceiver } from '../receiver.ts'

const key = (name: string) => ({ 'idempotency-key': `${name}-6f1c2a` })
const rulesOf = (shop: Sandbox) => [...new Set(shop.audit().findings.map(({ rule }) => rule))]
const timesOf = (shop: Sandbox) =>
  Object.fromEntries(shop.audit().coverage.map(({ trouble, times }) => [trouble, times]))
/** Without the troubles that a slow machine can cause: responses that took more than a second. */
const met = (shop: Sandbox) =>
  Object.fromEntries(Object.entries(timesOf(shop)).filter(([name, times]) => times > 0 && name !== 'slow'))

/** A checkout that its buyer paid, confirmed as a careful platform does it. */
async function paid({ call }: Pick<ReturnType<typeof openShop>, 'call'>): Promise<string> {
  const { body } = await call('POST', '/v1/checkouts', order(), key('order'))
  await call('POST', `/v1/checkouts/${body.id}/confirm`, undefined, key('confirm'))
  return body.id
}

test('a careful platform has no findings and met no trouble', async () => {
  const { shop, call } = openShop()
  const id = await paid({ call })
  await call('POST', `/v1/checkouts/${id}/refunds`, { amount: 10 }, key('refund'))
  await shop.clock.advance('2d')
  await call('GET', `/v1/checkouts/${id}/refunds`)
  expect(shop.audit()).toMatchObject({ errors: 0, warnings: 0, requests: 4, from: 'req_1', forgotten: 0 })
  expect(met(shop)).toEqual({})
})

test('seed data is not audited, but orders that the platform leaves open are', async () => {
  const base = { externalId: 'acme', amount: 50 }
  const { shop, call } = openShop({
    fixture: {
      checkouts: [
        { ...base, orderId: 'seed-1' },
        { ...base, orderId: 'seed-2', status: 'confirmed', refunds: [{ amount: 10, status: 'completed' }] },
      ],
      authorizations: [{ ...base, orderId: 'seed-3' }],
    },
  })
  expect(shop.audit()).toMatchObject({ requests: 0, findings: [] })
  expect(met(shop)).toEqual({})
  const { body } = await call('POST', '/v1/checkouts', order(), key('order'))
  const open = shop.audit().findings.filter(({ rule }) => rule === 'C15')
  expect(open).toMatchObject([{ about: [body.id], money: 1000 }])
})

test('a retry of a lost response under another key happens twice', async () => {
  const { shop, call } = openShop()
  const id = await paid({ call })
  const refund = `/v1/checkouts/${id}/refunds`
  const lost = { 'x-sim': 'fault=reset; at=after-commit', ...key('first') }
  await call('POST', refund, { amount: 10 }, lost).catch(() => undefined)
  await call('POST', refund, { amount: 10 }, key('second'))
  const [finding] = shop.audit().findings
  expect(finding).toMatchObject({ rule: 'C2', severity: 'error', requests: ['req_3', 'req_4'], money: 10 })
  expect(findingText(finding!)).toContain('at stake: $10.00')
  expect(finding!.what).toBe(
    'req_4 repeats req_3 (checkouts.refund), whose outcome was unknown, under another key; it happened twice',
  )
  expect(shop.ledger().sums.refunds).toBe(2)
  expect(timesOf(shop)).toMatchObject({ 'answer-lost': 1, 'request-lost': 0, replay: 0 })
  // Lists the request that met the trouble, and the rules that the platform broke afterwards.
  expect(shop.audit().coverage.slice(0, 2)).toMatchObject([
    { trouble: 'answer-lost', met: ['req_3'], rules: ['C2'] },
    { trouble: 'request-lost', met: [], rules: [] },
  ])
})

test('a retry beyond the rate limit counts as ignoring Retry-After, though its key was not read', async () => {
  const { shop, call } = openShop({ rateLimit: 2 })
  const id = await paid({ call })
  const refund = `/v1/checkouts/${id}/refunds`
  for (let tries = 0; tries < 2; tries += 1) await call('POST', refund, { amount: 10 }, key('refund'))
  expect(rulesOf(shop)).toEqual(['C9'])
})

test('the same retry under its own key is clean', async () => {
  const { shop, call } = openShop()
  const id = await paid({ call })
  const refund = `/v1/checkouts/${id}/refunds`
  const lost = { 'x-sim': 'fault=reset; at=after-commit', ...key('first') }
  await call('POST', refund, { amount: 10 }, lost).catch(() => undefined)
  await call('POST', refund, { amount: 10 }, key('first'))
  expect(rulesOf(shop)).toEqual([])
  expect(timesOf(shop)).toMatchObject({ 'answer-lost': 1, replay: 1 })
  expect(shop.audit().coverage.flatMap(({ met, rules }) => [...met, ...rules])).toEqual(['req_3', 'req_4'])
})

test('the 409 of a request in flight differs from a 409 by state', async () => {
  const { shop, call } = openShop()
  const id = await paid({ call })
  const refund = `/v1/checkouts/${id}/refunds`
  shop.arm({ behaviors: [{ when: { op: 'checkouts.refund' }, do: { hold: 'gate' } }] })
  const first = call('POST', refund, { amount: 10 }, key('refund'))
  await shop.untilHeld('gate')
  await call('POST', refund, { amount: 10 }, key('refund'))
  expect(rulesOf(shop)).toEqual(['C7'])
  shop.release('gate')
  await first
  // The first response contained the outcome.
  expect(rulesOf(shop)).toEqual([])
  await call('POST', `/v1/checkouts/${id}/cancel`, undefined, key('cancel'))
  expect(rulesOf(shop)).toEqual([])
  expect(timesOf(shop)).toMatchObject({ 'in-flight': 1, 'wrong-state': 1 })
})

test('advancing the clock counts as a pause', async () => {
  const { shop, call } = openShop()
  shop.arm({ when: { op: 'checkouts.create' }, do: { respond: 503 } })
  const down = key('order')
  for (const pause of ['1s', '2s', '4s'] as const) {
    await call('POST', '/v1/checkouts', order(), down)
    await shop.clock.advance(pause)
  }
  expect(rulesOf(shop)).toEqual([])
  // Thirty retries without a pause: even on a busy machine at least two of the pauses are too short.
  for (let tries = 0; tries < 30; tries += 1) await call('POST', '/v1/checkouts', order(), down)
  expect(rulesOf(shop)).toEqual(['C8'])
})

test('audit finds a key used after its 24 hours, an open authorization and a client that reads only the first page', async () => {
  const { shop, call } = openShop()
  const { body: customer } = await call('POST', '/v1/customers', { externalId: 'biz-7' }, key('customer'))
  shop.paymentMethods.attach(customer.id)
  const hold = { amount: 75.5, customerId: customer.id }
  await call('POST', '/v1/authorizations', hold, key('hold'))
  await shop.clock.advance('25h')
  await call('POST', '/v1/authorizations', hold, key('hold'))
  for (let n = 0; n < 21; n += 1) await call('POST', '/v1/customers', { externalId: `b-${n}` }, key(`c${n}`))
  await call('GET', '/v1/customers')
  expect(shop.audit().findings).toMatchObject([
    {
      rule: 'C5',
      what: `The key ${key('hold')['idempotency-key']} was sent again after 1d, when it is forgotten; it was carried out again`,
      money: 75.5,
    },
    { rule: 'C14', money: 151 },
    { rule: 'C16' },
  ])
  expect(timesOf(shop)).toMatchObject({ 'key-expired': 1, pages: 1 })
})

test('audit finds a key used after its 24 hours even if the late retry was refused', async () => {
  const { shop, call } = openShop()
  const id = await paid({ call })
  await shop.clock.advance('25h')
  await call('POST', `/v1/checkouts/${id}/confirm`, undefined, key('confirm'))
  const [finding] = shop.audit().findings.filter(({ rule }) => rule === 'C5')
  expect(finding!.what).toMatch(/when it is forgotten; this time it was refused$/)
})

describe('a trouble counts once it has happened', () => {
  const webhookShop = async (behavior: BehaviorInput) => {
    const receiver = await openReceiver()
    const opened = openShop({ webhook: { url: receiver.url } })
    opened.shop.arm(behavior)
    return opened
  }

  test('a webhook that arrives late, after the next one', async () => {
    const { shop, call } = await webhookShop({
      when: { event: 'checkout.created' },
      do: { webhook: { delay: 120_000 } },
    })
    await paid({ call })
    await shop.settle()
    expect(met(shop)).toEqual({})
    await shop.clock.advance('2m')
    expect(met(shop)).toMatchObject({ 'webhook-late': 1 })
  })

  test('reordered webhooks count only if there was a later webhook', async () => {
    const { shop, call } = await webhookShop({
      when: { event: 'checkout.created' },
      do: { webhook: { reorder: true } },
    })
    const { body } = await call('POST', '/v1/checkouts', order(), key('order'))
    await shop.settle()
    expect(met(shop)).toEqual({})
    await call('POST', `/v1/checkouts/${body.id}/confirm`, undefined, key('confirm'))
    await shop.clock.advance('1s')
    expect(met(shop)).toEqual({ 'webhook-reordered': 1 })
  })

  test('a webhook without trouble, and a behavior that did not act', async () => {
    const { shop, call } = await webhookShop({
      when: { event: 'refund.completed' },
      do: { webhook: { sign: 'tampered' } },
    })
    shop.arm({ when: { event: 'checkout.*' }, skip: 5, do: { webhook: { drop: true } } })
    await paid({ call })
    await shop.settle()
    expect(met(shop)).toEqual({})
    expect(rulesOf(shop)).toEqual([])
  })

  test('a buyer declined by a behavior, and one declined by the tester', async () => {
    const { shop, call } = openShop()
    const orders = ['o-1', 'o-2', 'o-3'].map((orderId) =>
      call('POST', '/v1/checkouts', order(1000, orderId), key(orderId)),
    )
    const [first, second, approved] = (await Promise.all(orders)).map(({ body }) => body.id)
    shop.arm({ behaviors: [{ times: 1, do: { decision: 'decline' } }] })
    expect(() => shop.buyer.approve(first)).toThrow('declined')
    shop.buyer.decline(second)
    shop.buyer.approve(approved)
    expect(met(shop)).toEqual({ 'buyer-declined': 2 })
  })
})

test('the socket shows that a client left before the response', async () => {
  const simulator = newSimulator({ rateLimit: 'off' })
  const shop = simulator.sandbox('default')
  const { url } = await simulator.listen()
  shop.arm({ behaviors: [{ when: { op: 'checkouts.create' }, do: { hold: 'gate' } }] })
  const leaving = new AbortController()
  const left = fetch(`${url}/v1/checkouts`, {
    method: 'POST',
    headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json', ...key('order') },
    body: JSON.stringify(order()),
    signal: leaving.signal,
  })
  await shop.untilHeld('gate')
  leaving.abort()
  await expect(left).rejects.toThrow()
  await serverSawIt(url)
  shop.release('gate')
  await shop.settle()
  expect(rulesOf(shop)).toEqual(['C6', 'C15', 'C19'])
  expect(timesOf(shop)).toMatchObject({ 'client-left': 1 })
})

/** By the time this resolves, the server has read the end of the other connection. */
async function serverSawIt(url: string): Promise<void> {
  for (let n = 0; n < 3; n += 1) await (await fetch(`${url}/healthz`)).text()
}

test('an option and an argument can ignore rules, each with a reason', async () => {
  const { shop, call } = openShop({ audit: { ignore: { C1: 'legacy importer' } } })
  await confirmedCheckout(call)
  await call('POST', '/v1/checkouts', order(), key('open'))
  expect(rulesOf(shop)).toEqual(['C15'])
  const verdict = shop.audit({ ignore: { C15: 'they are left open on purpose' } })
  expect(verdict).toMatchObject({ errors: 0, warnings: 0, findings: [] })
  expect(verdict.ignored).toEqual([
    { rule: 'C1', reason: 'legacy importer', findings: 1 },
    { rule: 'C15', reason: 'they are left open on purpose', findings: 1 },
  ])
  expect(() => shop.audit({ ignore: { C1: '' } })).toThrow('must be audit rules')
  expect(() => openSimulator({ audit: { ignore: 'C99=unknown' } })).toThrow(
    /^audit\.ignore\.C99 is not an audit rule; did you mean C9\?$/,
  )
})

test('the summary names the first request that was judged', async () => {
  const { shop, call } = openShop()
  const nothing = 'Nothing to judge: no request was received under /v1'
  expect(summaryText(shop.audit())).toBe(nothing)
  await call('GET', '/v1/events')
  shop.clearRequests()
  expect(summaryText(shop.audit())).toBe(`${nothing}; the journal has forgotten 1 request`)
  await call('GET', '/v1/events')
  expect(shop.audit()).toMatchObject({ requests: 1, from: 'req_2', forgotten: 1 })
  expect(summaryText(shop.audit())).toBe(
    '0 errors and 0 warnings in 1 request from req_2 on; the journal has forgotten 1 request',
  )
})

test('the summary never says that forgotten requests came before the first one: a held request outlasts others', async () => {
  const { shop, call } = openShop({ memory: 1 })
  shop.arm({ when: { op: 'customers.list' }, do: { hold: 'gate' } })
  const held = call('GET', '/v1/customers')
  for (let sent = 0; sent < 12; sent += 1) await call('POST', '/v1/checkouts', { x: 'y'.repeat(100_000) })
  expect(summaryText(shop.audit())).toMatch(/ from req_1 on; the journal has forgotten \d requests$/)
  shop.release('gate')
  await held
})

test('findings are cached while nothing happens, and recomputed after each change', async () => {
  const { shop, call } = openShop({ refundDelay: '2d' })
  const found = () => shop.audit().findings
  const { body: sale } = await call('POST', '/v1/checkouts', order(), key('order'))
  await call('POST', `/v1/checkouts/${sale.id}/confirm`)
  expect(rulesOf(shop)).toEqual(['C1'])
  const [before] = found()
  expect(found()[0]).toBe(before)
  // Ignoring a rule in one call does not affect the next call.
  expect(shop.audit({ ignore: { C1: 'asked so' } }).findings).toEqual([])
  expect(rulesOf(shop)).toEqual(['C1'])
  // Changes of the verdict: a request, completed work, a setting, and forgotten requests.
  await call('POST', `/v1/checkouts/${sale.id}/refunds`, { amount: 1 })
  expect(found().map(({ what }) => what)).toContainEqual(expect.stringContaining('checkouts.refund'))
  expect(timesOf(shop)['refund-slow']).toBe(0)
  await shop.clock.advance('3d')
  expect(timesOf(shop)['refund-slow']).toBe(1)
  shop.configure({ audit: { ignore: { C1: 'for a week' } } })
  expect(found()).toEqual([])
  shop.configure({ audit: { ignore: {} } })
  shop.clearRequests()
  expect(rulesOf(shop)).not.toContain('C1')
  // While a request is in flight, the verdict is not cached.
  shop.arm({ behaviors: [{ when: { op: 'checkouts.create' }, times: 1, do: { hold: 'door' } }] })
  const waiting = call('POST', '/v1/checkouts', order(), key('held'))
  await shop.untilHeld('door')
  expect(rulesOf(shop)).not.toContain('C15')
  shop.release('door')
  await waiting
  expect(rulesOf(shop)).toContain('C15')
})
