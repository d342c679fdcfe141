/** Explanations of orders with real requests. */

import { expect, test } from 'vitest'
import { storyText } from '../../src/tester/story/story-text.ts'
import { junitXml } from '../../src/tools/checks/junit.ts'
import { auditReport } from '../../src/tools/checks/of-audit.ts'
import { openReceiver } from '../receiver.ts'
import { asPlatform, type Call, openShop, openSimulator, order } from './shop.ts'

const key = (name: string) => ({ 'idempotency-key': `${name}-6f1c2a` })
const lost = { 'x-sim': 'fault=reset; at=after-commit' }
const lose = (answer: Promise<unknown>) => answer.catch(() => undefined)

async function made(call: Call, orderId: string, amount = 40, name = orderId): Promise<string> {
  const { body } = await call('POST', '/v1/checkouts', order(amount, orderId), key(`create-${name}`))
  return body.id
}

async function paid(call: Call, orderId: string, amount = 40): Promise<string> {
  const id = await made(call, orderId, amount)
  await call('POST', `/v1/checkouts/${id}/confirm`, undefined, key(`confirm-${orderId}`))
  return id
}

test('a refund that is retried under another key', async () => {
  const { shop, call } = openShop()
  const id = await paid(call, 'order-3')
  const refund = `/v1/checkouts/${id}/refunds`
  await lose(call('POST', refund, { amount: 20 }, { ...lost, ...key('first') }))
  await call('POST', refund, { amount: 20 }, key('second'))
  const story = shop.explain('order-3')
  expect(story).toMatchObject({
    about: 'order-3',
    money: 'charged $40.00, refunded $40.00',
    worst: 'refunded twice',
    severity: 'error',
  })
  expect(story.sentences).toMatchObject([
    {
      text: 'order-3 was refunded twice, $20.00 too much: req_4 repeats req_3, whose answer was lost, under another key (C2).',
      todo: 'Make the key before the first attempt, store it with the order, and send it with every retry.',
      kind: 'moved again',
      what: 'req_4 repeats req_3, whose answer was lost, under another key',
      rule: 'C2',
      tooMuch: 20,
      requests: ['req_3', 'req_4'],
      movedAgain: [
        {
          kind: 'refund',
          request: 'req_4',
          id: story.resources.at(-1),
          first: { kind: 'refund', request: 'req_3' },
        },
      ],
    },
  ])
  // The order is found by its checkout, its refund and two of its requests.
  const refunded = story.resources.at(-1)!
  expect([id, refunded, 'req_3', 'req_1'].map((name) => shop.explain(name).about)).toEqual(
    Array(4).fill('order-3'),
  )
  expect(storyText(story)).toMatch(/^order-3: charged \$40\.00.*\n\n {2}order-3 was refunded twice/)
  expect(storyText(story)).toContain('req_4     POST ')
})

test('a refund that is retried under its key after the key was forgotten', async () => {
  const { shop, call } = openShop()
  const refund = `/v1/checkouts/${await paid(call, 'order-4')}/refunds`
  await lose(call('POST', refund, { amount: 20 }, { ...lost, ...key('refund') }))
  await shop.clock.advance('25h')
  await call('POST', refund, { amount: 20 }, key('refund'))
  expect(shop.explain('order-4').sentences[0]!.text).toBe(
    'order-4 was refunded twice, $20.00 too much: req_4 repeats req_3, whose answer was lost, under the same key after it was forgotten (C5).',
  )
})

test('a retry that completes before the slow first attempt', async () => {
  const { simulator, shop, call } = openShop()
  const { url } = await simulator.listen()
  const refund = `/v1/checkouts/${await paid(call, 'order-2')}/refunds`
  shop.arm({ behaviors: [{ when: { op: 'checkouts.refund' }, times: 1, do: { hold: 'gate' } }] })
  const leaving = new AbortController()
  const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json', ...key('first') }
  const first = lose(
    fetch(url + refund, { method: 'POST', headers, body: '{"amount":10}', signal: leaving.signal }),
  )
  await shop.untilHeld('gate')
  leaving.abort()
  await first
  await call('POST', refund, { amount: 10 }, key('second'))
  shop.release('gate')
  await shop.settle()
  expect(shop.explain('order-2').sentences[0]!.text).toBe(
    'order-2 was refunded twice, $10.00 too much: req_4 repeats req_3, whose answer the client did not wait for, under another key (C2).',
  )
})

test('a key, and an unknown name', async () => {
  const { shop, call } = openShop()
  const id = await paid(call, 'order-1')
  await lose(call('POST', `/v1/checkouts/${id}/refunds`, { amount: 5 }, { ...lost, ...key('one') }))
  await call('POST', `/v1/checkouts/${id}/refunds`, { amount: 5 }, key('two'))
  expect(shop.explain('two-6f1c2a')).toMatchObject({
    about: 'order-1',
    money: 'charged $40.00, refunded $10.00',
    worst: 'refunded twice',
  })
  expect(shop.explain('req_4').text).toMatch(
    /^req_4 {2}POST \S+ → 201[\s\S]*\norder-1: charged \$40\.00, refunded/,
  )
  await call('GET', '/v1/checkouts/none')
  expect(shop.explain('req_5')).toMatchObject({
    about: 'req_5',
    money: 'no money moved',
    worst: null,
    resources: [],
  })
  expect(shop.explain('req_5').text).toMatch(/^req_5 [\s\S]*Checkout not found[\s\S]*\nAgain\n.*$/)
  expect(() => shop.explain('order-9')).toThrow('Order, resource or key')
  expect(() => shop.explain('chk_9')).toThrow('Order, resource or key')
})

test('a checkout that is created again without a key, and both are paid', async () => {
  const { shop, call } = openShop()
  await lose(call('POST', '/v1/checkouts', order(40, 'order-4'), lost))
  const { body } = await call('POST', '/v1/checkouts', order(40, 'order-4'))
  const { data } = JSON.parse(shop.read('checkouts.list', { orderId: 'order-4' }))
  const first = data.find((order: { id: string }) => order.id !== body.id).id
  for (const id of [first, body.id]) await call('POST', `/v1/checkouts/${id}/confirm`, undefined, key(id))
  expect(shop.explain('order-4')).toMatchObject({ worst: 'charged twice', severity: 'error' })
  expect(shop.explain('order-4').sentences[0]!.text).toBe(
    `order-4 was charged twice, $40.00 too much: req_2 repeats req_1, whose answer was lost, without a key, and made ${body.id} beside ${first} (C1).`,
  )
})

test('an order that is started again after a lost response to its payment', async () => {
  const { shop, call } = openShop()
  const first = await made(call, 'order-5')
  await lose(call('POST', `/v1/checkouts/${first}/confirm`, undefined, { ...lost, ...key('one') }))
  const second = await made(call, 'order-5', 40, 'again')
  await call('POST', `/v1/checkouts/${second}/confirm`, undefined, key('two'))
  const { sentences } = shop.explain('order-5')
  expect(sentences.map(({ text }) => text)).toEqual([
    `order-5 was charged twice, $40.00 too much: req_4 paid ${second}, although req_2, whose answer was lost, had paid ${first} (C6).`,
  ])
  expect(shop.audit()).toMatchObject({ errors: 1, warnings: 0, findings: [{ rule: 'C6' }] })
  expect(auditReport(shop.audit()).causes).toMatchObject([{ what: sentences[0]!.text }])
  // A read after the second payment prevents nothing.
  await call('GET', `/v1/checkouts/${first}`)
  const verdict = shop.audit()
  expect(verdict).toMatchObject({ errors: 1, warnings: 0, findings: [], orders: [{ order: 'order-5' }] })
  expect(auditReport(verdict).checks.find(({ kind }) => kind === 'C6')).toMatchObject({ outcome: 'failed' })
})

test.for([
  [2, [1, 0], 'charged twice, $40.00 too much: req_2 repeats req_1, '],
  [3, [2, 0, 1], 'charged 3 times, $80.00 too much: req_3 repeats req_2, '],
  [3, [2, 1, 0], 'charged 3 times, $80.00 too much: req_3 repeats req_2, '],
] as const)('%i attempts of one checkout under new keys, paid as %j', async ([count, paidIn, text]) => {
  const { shop, call } = openShop()
  for (let attempt = 1; attempt <= count; attempt += 1) {
    const headers = { ...(attempt < count && lost), ...key(`create-${attempt}`) }
    await lose(call('POST', '/v1/checkouts', order(40, 'order-7'), headers))
  }
  const ids = [...new Set(shop.events().map(({ data }) => data.id))]
  for (const index of paidIn)
    await call('POST', `/v1/checkouts/${ids[index]}/confirm`, undefined, key(`confirm-${index}`))
  const { sentences } = shop.explain('order-7')
  expect(sentences[0]!.text).toContain(`order-7 was ${text}`)
  expect(sentences.filter(({ kind }) => kind === 'moved again')).toHaveLength(1)
})

test('an order that is paid by a checkout and by an authorization', async () => {
  const { shop, call } = openShop()
  const checkout = await paid(call, 'order-6')
  const { customerId, paymentMethodId } = JSON.parse(shop.read('checkouts.get', { id: checkout }))
  const body = { customerId, paymentMethodId, orderId: 'order-6', amount: 40 }
  const { body: authorized } = await call('POST', '/v1/authorizations', body, key('authorize'))
  await call('POST', `/v1/authorizations/${authorized.id}/capture`, {}, key('capture'))
  expect(shop.explain('order-6').sentences.map(({ text }) => text)).toEqual([
    `order-6 was paid twice, $40.00 too much: ${checkout} by req_2 and ${authorized.id} by req_4 were both paid.`,
  ])
  expect(shop.audit().orders).toMatchObject([{ order: 'order-6', worst: 'paid twice', severity: 'warning' }])
  await made(call, 'order-7')
  const junit = junitXml(auditReport(shop.audit()))
  expect(junit).toContain(' failures="0" ')
  expect(junit).toMatch(/name="C15 [^>]*><system-out>warning C15: A checkout is left open\n/)
  expect(junit).toMatch(/^ {4}<system-out>order-6 was paid twice, \$40\.00 too much: .*\n {2}do: /m)
})

test('a repetition that may be intended is not an error', async () => {
  const { shop, call } = openShop()
  const id = await paid(call, 'order-6', 60)
  // Two equal refunds, each with its key, and a retry under the same key.
  const refund = `/v1/checkouts/${id}/refunds`
  await call('POST', refund, { amount: 20 }, key('one'))
  await lose(call('POST', refund, { amount: 20 }, { ...lost, ...key('two') }))
  await call('POST', refund, { amount: 20 }, key('two'))
  expect(shop.explain('order-6')).toMatchObject({
    money: 'charged $60.00, refunded $40.00',
    worst: null,
    sentences: [],
  })
  expect(storyText(shop.explain('order-6'))).toContain('Nothing went wrong.')
  shop.clearRequests()
  expect(storyText(shop.explain('order-6'))).toContain(
    'Nothing is known to have gone wrong, but the journal ',
  )
  // A deposit and the remainder are two payments; the same amount twice is suspicious.
  await paid(call, 'order-7', 10)
  const rest = await made(call, 'order-7', 30, 'rest')
  await call('POST', `/v1/checkouts/${rest}/confirm`, undefined, key('rest'))
  expect(shop.explain('order-7').worst).toBeNull()
})

test('a story names the changes that no request made, each in its place even if the clock is frozen', async () => {
  const { shop, call } = openShop()
  const id = await made(call, 'order-8')
  shop.buyer.approve(id)
  await call('POST', `/v1/checkouts/${id}/confirm`, undefined, key('confirm'))
  const { body: refund } = await call('POST', `/v1/checkouts/${id}/refunds`, { amount: 5 }, key('refund'))
  await shop.clock.advance('5s')
  await call('GET', `/v1/refunds/${refund.id}`)
  const { happened } = shop.explain('order-8')
  expect(happened.map(({ at, text }) => `${at.slice(17, 19)} ${text}`)).toEqual([
    expect.stringContaining('00 POST /v1/checkouts → 201'),
    `00 the buyer → checkout.approved (${id})`,
    expect.stringContaining(`00 POST /v1/checkouts/${id}/confirm → 200`),
    expect.stringContaining(`00 POST /v1/checkouts/${id}/refunds → 201`),
    `05 time passed → refund.completed (${refund.id})`,
    expect.stringContaining(`05 GET /v1/refunds/${refund.id} → 200`),
  ])
  expect(storyText(shop.explain('order-8'))).not.toContain('2026-01-01')
  await shop.clock.advance('7d')
  await call('GET', `/v1/refunds/${refund.id}`)
  expect(storyText(shop.explain('order-8'))).toMatch(
    /\n {2}2026-01-01\n {2}00:00:00[\s\S]*\n {2}2026-01-08\n {2}00:00:05\.000 {2}req_5 {5}GET .*$/,
  )
})

test('a rule that one order broke, an open order, and many orders at the same time', async () => {
  const { shop, call } = openShop()
  const first = await made(call, 'order-1')
  const two = await made(call, 'order-2')
  await call('POST', `/v1/checkouts/${first}/confirm`)
  await call('POST', `/v1/checkouts/${two}/confirm`)
  await made(call, 'order-3')
  const stories = ['order-1', 'order-2', 'order-3'].map((order) => shop.explain(order))
  expect(stories.map(({ about, worst }) => [about, worst])).toEqual([
    ['order-1', 'sent without a key'],
    ['order-2', 'sent without a key'],
    ['order-3', 'left open'],
  ])
  expect(stories[0]!.sentences[0]!.text).toBe(
    'order-1: Money is moved without an Idempotency-Key, as in req_3 (C1).',
  )
  expect(stories.map(({ sentences: [sentence] }) => [sentence!.kind, sentence!.rule])).toEqual([
    ['rule broken', 'C1'],
    ['rule broken', 'C1'],
    ['left open', 'C15'],
  ])
  expect(stories[2]!.sentences[0]!.text).toMatch(/^order-3: chk_\w+ is still pending \(C15\)\.$/)
  shop.configure({ audit: { ignore: { C1: 'legacy' } } })
  expect(shop.explain('order-1').worst).toBeNull()
})

test('a webhook is a finding while the receiver refuses it, until a retry succeeds', async () => {
  const receiver = await openReceiver(500)
  const simulator = openSimulator()
  const shop = simulator.create({ webhook: { url: receiver.url, events: ['checkout.confirmed'] } })
  await paid(asPlatform(simulator, shop), 'order-8')
  await shop.clock.advance('1s')
  expect(shop.explain('order-8')).toMatchObject({ worst: 'webhook failing', severity: 'warning' })
  expect(shop.explain('order-8').sentences[0]!.text).toBe(
    'order-8: its checkout.confirmed was not taken after one attempt; the last was answered 500.',
  )
  receiver.reply(204)
  await shop.clock.advance('1h')
  expect(shop.explain('order-8').worst).toBeNull()
})

test('two double refunds are two sentences, each with the excess amount', async () => {
  const { shop, call } = openShop()
  const refund = `/v1/checkouts/${await paid(call, 'order-1')}/refunds`
  for (const amount of [5, 7]) {
    await lose(call('POST', refund, { amount }, { ...lost, ...key(`first-${amount}`) }))
    await call('POST', refund, { amount }, key(`second-${amount}`))
  }
  expect(shop.explain('order-1').sentences.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^order-1 was refunded twice, \$5\.00 too much: req_4 repeats req_3, /),
    expect.stringMatching(/^order-1 was refunded twice, \$7\.00 too much: req_6 repeats req_5, /),
  ])
})

test('a second refund is not an excess if a read or a webhook had shown the client the first one', async () => {
  const { url } = await openReceiver()
  const { simulator, shop, call } = openShop()
  await simulator.listen()
  const [first, second] = [await paid(call, 'order-1'), await paid(call, 'order-2')]
  await lose(call('POST', `/v1/checkouts/${first}/refunds`, { amount: 5 }, { ...lost, ...key('one') }))
  await call('GET', `/v1/checkouts/${first}/refunds`)
  await call('POST', `/v1/checkouts/${first}/refunds`, { amount: 5 }, key('two'))
  shop.webhook.put({ url })
  await lose(call('POST', `/v1/checkouts/${second}/refunds`, { amount: 5 }, { ...lost, ...key('three') }))
  await shop.clock.advance('1h')
  await call('POST', `/v1/checkouts/${second}/refunds`, { amount: 5 }, key('four'))
  expect(shop.audit()).toMatchObject({ errors: 0, orders: [] })
  for (const name of ['order-1', 'order-2'])
    expect(shop.explain(name)).toMatchObject({ worst: null, money: 'charged $40.00, refunded $10.00' })
})

test('an order may be paid again after a full refund; without one, audit reports it', async () => {
  const { shop, call } = openShop()
  await call('POST', `/v1/checkouts/${await paid(call, 'order-1')}/refunds`, { amount: 40 }, key('back'))
  const payAgain = async (name: string) => {
    const id = await made(call, name, 40, `again-${name}`)
    await call('POST', `/v1/checkouts/${id}/confirm`, undefined, key(`again-${name}`))
  }
  await payAgain('order-1')
  await paid(call, 'order-2')
  await payAgain('order-2')
  expect(shop.explain('order-1').worst).toBe(null)
  expect(shop.audit().orders).toMatchObject([
    { order: 'order-2', worst: 'charged twice', severity: 'warning' },
  ])
  expect(shop.audit()).toMatchObject({ errors: 0, warnings: 1, findings: [] })
})

test('an ignored rule is in no explanation, and an accepted forged webhook is', async () => {
  const { url } = await openReceiver()
  const { simulator } = openShop()
  const shop = simulator.create({ name: 'ignoring', webhook: { url }, audit: { ignore: { C6: 'known' } } })
  const call = asPlatform(simulator, shop)
  const first = await made(call, 'order-1')
  await lose(call('POST', `/v1/checkouts/${first}/confirm`, undefined, { ...lost, ...key('one') }))
  const second = await made(call, 'order-1', 40, 'again')
  await call('POST', `/v1/checkouts/${second}/confirm`, undefined, key('two'))
  expect(shop.explain('order-1')).toMatchObject({ worst: 'charged twice', severity: 'warning' })
  shop.arm({ when: { event: 'checkout.confirmed' }, do: { webhook: { sign: 'tampered' } } })
  await paid(call, 'order-2')
  await shop.settle()
  expect(shop.explain('order-2')).toMatchObject({ worst: 'forged webhook taken', severity: 'error' })
})
