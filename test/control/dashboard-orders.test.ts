/** The start page: the errors, every order with its worst finding, and one complete order next to the list. */
import { expect, test } from 'vitest'
import { findingText } from '../../src/tester/audit/show.ts'
import { openReceiver } from '../receiver.ts'
import { openShop, order } from './shop.ts'
import { visitor } from './visitor.ts'

const UI = '/_sim/ui'

function open() {
  const { simulator, shop, call } = openShop()
  const look = (path = '') => visitor(simulator).open(UI + path)
  const buy = async (orderId: string, amount = 1000) => {
    const { body } = await call('POST', '/v1/checkouts', order(amount, orderId))
    await call('POST', `/v1/checkouts/${body.id}/confirm`, {}, { 'idempotency-key': `confirm-${orderId}` })
    return body.id as string
  }
  return { shop, call, look, buy }
}

test('when all is well, the page says so and lists the order with its states', async () => {
  const { look, buy } = open()
  expect((await look()).text).not.toContain('All is well.')
  await buy('order-7', 129.9)
  const { text } = await look()
  expect(text).toContain('All is well.')
  expect(text).toContain('order-7 · acme $129.90 pending confirmed')
})

test('with only audit warnings, the page lists them instead of saying that all is well', async () => {
  const { call, look } = open()
  await call('POST', '/v1/checkouts', order(1000, 'order-7'))
  const { text, html } = await look()
  expect(text).toContain('1 audit warning')
  expect(text).not.toContain('All is well.')
  expect(html).toContain('class="notice plain"')
})

test('without a request in the journal, neither the start page nor audit says that all is well', async () => {
  const { shop, call, look, buy } = open()
  const nothing = 'Nothing to judge: no request was received under /v1'
  expect((await look('/audit')).text).toContain(`${nothing}.`)
  await buy('order-7')
  shop.clearRequests()
  const { text } = await look()
  expect(text).toContain(`${nothing}.`)
  expect(text).not.toContain('All is well.')
  const audit = await look('/audit')
  expect(audit.text).toContain(`${nothing}; the journal has forgotten 2 requests.`)
  expect(audit.text).not.toMatch(/Nothing found|went well/)
  await call('GET', '/v1/checkouts')
  expect((await look()).text).toContain('All is well.')
  expect((await look('/audit')).text).toContain('Nothing found')
})

test('a removed or unknown order is reported as not found, above the list', async () => {
  const { shop, look, buy } = open()
  const id = await buy('order-7')
  const { name } = shop.snapshot('one-order')
  const late = await buy('order-8')
  expect((await look(`?order=${late}`)).text).not.toContain('is here')
  await shop.restore(name)
  const { html, text } = await look(`?order=${late}`)
  expect(text).toContain(`No order ${late} is here:`)
  expect(html).toContain(`<a href="${UI}">All orders</a>`)
  expect(text).toContain('order-7 · acme')
  shop.reset({ what: ['state'] })
  expect((await look(`?order=${id}`)).text).toContain(`No order ${id} is here:`)
  expect((await look('?order=chk_none')).text).toContain('No order chk_none is here:')
  expect((await look()).text).not.toContain('is here')
})

test('the reason for a double refund is one click away', async () => {
  const { call, look, buy } = open()
  const id = await buy('order-7', 129.9)
  await buy('order-8')
  const refund = (key: string, more = {}) =>
    call('POST', `/v1/checkouts/${id}/refunds`, { amount: 49.95 }, { 'idempotency-key': key, ...more }).catch(
      () => {},
    )
  await refund('one', { 'x-sim': 'fault=reset; at=after-commit' })
  await refund('two')
  const { html, text } = await look()
  expect(text).toMatch(/\$49\.95 refunded twice · \d audit errors?/)
  expect(html).toContain(`<a href="${UI}?order=${id}">order-7: $49.95 refunded twice</a>`)
  const opened = await look(`?order=${id}`)
  expect(opened.text).toContain(
    'order-7 was refunded twice, $49.95 too much: req_6 repeats req_5, whose answer was lost, under another key (C2).',
  )
  expect(opened.html).toContain('<span class="chip wait">refund pending</span>')
  expect(opened.text).toContain('$99.90 of it refunded')
})

test('a refused request has a page, even if the resource that it names never existed or was removed', async () => {
  const { shop, call, look, buy } = open()
  await call('GET', `/v1/checkouts/${await buy('order-7')}`)
  await call('GET', '/v1/checkouts/nothing')
  await call('POST', '/v1/refunds', { checkoutId: 'nothing', amount: 1 })
  await call('POST', '/v1/checkouts', { orderId: 'order-8' })
  const pages = async () =>
    Promise.all(shop.requests().map(async ({ id }) => (await look(`/requests/${id}`)).text))
  expect((await pages()).filter((text) => text.includes('Not found'))).toEqual([])
  shop.reset({ what: ['state'] })
  expect((await pages()).filter((text) => text.includes('Not found'))).toEqual([])
})

test('a request that moved money again is not green in its row, on its page and in its timeline', async () => {
  const { call, look, buy } = open()
  const id = await buy('order-7')
  const keys = ['5f1c9f0e-0c0a-4d7e-9d62-111111111111', '5f1c9f0e-0c0a-4d7e-9d62-222222222222']
  for (const [index, key] of keys.entries())
    await call(
      'POST',
      `/v1/checkouts/${id}/refunds`,
      { amount: 5 },
      { 'idempotency-key': key, ...(index === 0 && { 'x-sim': 'fault=reset; at=after-commit' }) },
    ).catch(() => {})
  const { html, text } = await look('/requests')
  expect(text.match(/refunded twice/g)).toHaveLength(1)
  expect(html).toMatch(/data-id="req_4".*?class="status bad">201</)
  expect((await look('/find?q=refunds')).html).toMatch(/data-id="req_4".*?class="status bad">201</)
  const page = await look('/requests/req_4')
  expect(page.text).toContain('req_4 repeats req_3, whose answer was lost, under another key (C2).')
  expect(page.html).not.toContain('notice good')
  expect(page.html).toContain('class="status bad">201<')
  const order = await look(`/resources/${id}`)
  expect(order.text).toMatch(/refunded twice key …222222222222/)
  expect(order.html).toContain('class="status bad">201<')
})

test('the sum of an order includes all its refunds, also those beyond the listed ones', async () => {
  const { call, look, buy } = open()
  const id = await buy('order-7')
  for (let n = 1; n <= 21; n += 1)
    await call('POST', `/v1/checkouts/${id}/refunds`, { amount: 1 }, { 'idempotency-key': `refund-${n}` })
  expect((await look(`?order=${id}`)).text).toContain('$21.00 of it refunded')
})

test('the page reports failing webhooks and orders that were left open', async () => {
  const { shop, call, look, buy } = open()
  shop.webhook.put({ url: 'http://127.0.0.1:9/' })
  await buy('failing')
  await shop.settle()
  shop.webhook.remove()
  await call('POST', '/v1/checkouts', order(5, 'open'))
  expect((await look()).text).not.toContain('left open')
  await shop.clock.advance('2h')
  const { html, text } = await look()
  expect(text).toMatch(/open · acme \$5\.00 pending left open/)
  expect(text).toMatch(/failing · acme .*? \d webhooks failing/)
  expect(text).toMatch(/4 webhooks given up ·/)
  // Red is only for wrong money.
  expect(html).toContain('<span class="chip wait">2 webhooks failing</span>')
})

test('a forged webhook that is refused is not failing', async () => {
  const receiver = await openReceiver(400)
  const { shop, look, buy } = open()
  shop.webhook.put({ url: receiver.url, events: ['checkout.confirmed'] })
  shop.arm({ when: { event: 'checkout.confirmed' }, times: 1, do: { webhook: { sign: 'wrong-secret' } } })
  await buy('forged')
  await buy('honest')
  await shop.clock.advance('1s')
  const { text } = await look()
  expect(text).toMatch(/honest · acme .*?webhook failing/)
  expect(text).not.toMatch(/forged · acme [^·]*webhook failing/)
})

test('searching for an order finds all its refunds, messages, events and requests', async () => {
  const { shop, call, look, buy } = open()
  const id = await buy('order-7')
  await buy('order-70')
  const { body } = await call('POST', `/v1/checkouts/${id}/refunds`, { amount: 5 })
  await call('GET', `/v1/refunds/${body.id}`)
  await shop.clock.advance('1h')
  const { text, html } = await look('/find?q=order-7')
  for (const found of [
    `order-7 ref_…${body.id.slice(-5)} $5.00`,
    'Your refund is complete',
    'refund.completed',
  ])
    expect(text).toContain(found)
  const requests = [...html.matchAll(/data-id="(req_\d+)"/g)].map(([, request]) => request)
  expect(requests).toEqual(expect.arrayContaining(['req_1', 'req_2', 'req_5', 'req_6']))
  expect(html).toContain(`href="${UI}/requests?resource=${id}"`)
})

test('an opened order summarizes similar webhook failures in one sentence', async () => {
  const { shop, look, buy } = open()
  shop.webhook.put({ url: 'http://127.0.0.1:9/' })
  const id = await buy('order-7')
  await shop.settle()
  const { text } = await look(`?order=${id}`)
  expect(text.match(/not taken/g)).toHaveLength(1)
  expect(text).toContain(
    'order-7: its checkout.created and checkout.confirmed were not taken after one attempt',
  )
})

test('checkouts and authorizations share one paged list, which has each of them once', async () => {
  const { shop, call, look } = open()
  const { body: customer } = await call('POST', '/v1/customers', { externalId: 'acme' })
  for (let number = 0; number < 60; number += 1) {
    await call('POST', '/v1/checkouts', order(5, `o-${number}`))
    if (number % 3 === 0)
      await call('POST', '/v1/authorizations', {
        amount: 7,
        customerId: customer.id,
        orderId: `held-${number}`,
      })
    await shop.clock.advance('1s')
  }
  const seen: string[] = []
  for (let path = ''; ; ) {
    const { html } = await look(path)
    seen.push(...[...html.matchAll(/ data-id="([^"]+)"/g)].map(([, id]) => id!))
    const next = /\?cursor=([^"]+)">\s*Earlier orders/.exec(html)?.[1]
    if (next === undefined) break
    path = `?cursor=${next}`
  }
  expect(seen).toHaveLength(80)
  expect(new Set(seen).size).toBe(80)
  expect((await look('?cursor=x')).text).toContain('nextCursor of an earlier page')
})

test('the order comes first in requests, webhooks and ledger, also for a refund', async () => {
  const { shop, call, look, buy } = open()
  const id = await buy('order-7')
  const { body } = await call('POST', `/v1/checkouts/${id}/refunds`, { amount: 5 })
  const short = (shortened: string) => `${shortened.slice(0, 4)}…${shortened.slice(-5)}`
  expect((await look('/webhooks')).text).toContain(`order-7 refund.created ${short(body.id)}`)
  expect((await look('/ledger')).text).toContain(`order-7 ${short(id)}`)
  expect((await look('/ledger')).html).toMatch(/<th scope="col"[^>]*>of<[\s\S]*>movement</)
  expect((await look('/requests')).text).toContain('order-7 · $5.00 POST /v1/')
  expect((await look('/requests')).text).toContain('order-7 POST /v1/checkouts')
  expect((await look('/resources/refunds')).text).toContain(`order-7 ${short(body.id)}`)
  expect((await look('/resources/checkouts')).html).toMatch(/<th scope="col"[^>]*>order<wbr/)
  await shop.clock.advance('1h')
  expect((await look('/outbox')).text).toMatch(/order-7 \S+ acme Receipt for order-7/)
})

test('orders, requests, webhooks and the outbox are grouped by day', async () => {
  const { shop, look, buy } = open()
  await buy('order-7')
  await shop.clock.advance('2d')
  await buy('order-8')
  for (const path of ['', '/requests', '/webhooks', '/outbox']) {
    const { html } = await look(path)
    expect([...html.matchAll(/class="day"><th[^>]*>([^<]*)/g)].map(([, day]) => day)).toEqual([
      'Sat, 3 Jan 2026',
      'Thu, 1 Jan 2026',
    ])
  }
})

test('audit lists each order with a finding, and gives the advice once', async () => {
  const { call, look, buy } = open()
  for (const n of [1, 2, 3, 4]) {
    const id = await buy(`order-${n}`)
    for (const half of ['a', 'b'])
      await call(
        'POST',
        `/v1/checkouts/${id}/refunds`,
        { amount: 5 },
        {
          'idempotency-key': `refund-${n}-${half}`,
          ...(half === 'a' && { 'x-sim': 'fault=reset; at=after-commit' }),
        },
      ).catch(() => {})
  }
  const { text } = await look('/audit')
  expect(text).toContain('And 1 more like these')
  for (const n of [1, 2, 3, 4]) {
    expect(text).toContain(`order-${n} was refunded twice, $5.00 too much`)
  }
  expect(text.match(/Make the key before the first attempt/g)).toHaveLength(1)
})

test('audit says "at least" if it lists only the first of many findings', async () => {
  const { shop, call, look } = open()
  for (let n = 1; n <= 52; n += 1)
    await call('POST', '/v1/checkouts', order(1, `order-${n}`), { 'idempotency-key': `order-${n}` })
  const { text } = await look('/audit')
  for (const part of ['at least 50 times', 'and at least 44 more orders', '52 checkouts left pending'])
    expect(text).toContain(part)
  const findings = shop.audit().findings.map(findingText).join()
  expect(findings).toMatch(/and at least 42 more \(.*and at least 47 more\)/)
})

test('a list of resources shows the day of each, and a missing resource has a reason', async () => {
  const { shop, buy, look } = open()
  await buy('order-7')
  await shop.clock.advance('1d')
  await buy('order-8')
  const { text } = await look('/resources/checkouts')
  for (const day of ['Thu, 1 Jan 2026', 'Fri, 2 Jan 2026']) expect(text).toContain(day)
  expect((await look('/resources/chk_nothing')).text).toContain('a reset or an older snapshot removed it')
})

test("the lists on a customer's page omit the external id, which is the same everywhere", async () => {
  const { call, look, buy } = open()
  const id = await buy('order-7')
  const { body } = await call('GET', `/v1/checkouts/${id}`)
  const { html } = await look(`/resources/${body.customerId}`)
  expect(html).toContain('>order<wbr')
  expect(html).not.toMatch(/<th[^>]*>external/)
})
