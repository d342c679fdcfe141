/** The dashboard's lists: search, filters, and a limited number of rows. */
import { describe, expect, it } from 'vitest'
import { findAsset, script } from '../../src/pages/assets.ts'
import type { Simulator } from '../../src/tools/compose.ts'
import { openShop, order } from './shop.ts'
import { visitor } from './visitor.ts'

const UI = '/_sim/ui'

const open = (simulator: Pick<Simulator, 'fetch'>, path: string) => visitor(simulator).open(UI + path)

const rowsIn = (html: string) => html.match(/ data-id="req_/g)?.length ?? 0

describe('search', () => {
  async function shopWithEverything() {
    const { simulator, shop, call } = openShop()
    const { body: customer } = await call('POST', '/v1/customers', {
      externalId: 'biz-ada',
      name: 'Ada Lovelace',
      email: 'ada@example.test',
    })
    const { body: checkout } = await call('POST', '/v1/checkouts', {
      ...order(12.5, 'order-77'),
      externalId: 'biz-ada',
    })
    await call('POST', `/v1/checkouts/${checkout.id}/confirm`, {}, { 'idempotency-key': 'pay-77' })
    await call('POST', `/v1/checkouts/${checkout.id}/refunds`, { amount: 99 })
    await call('POST', '/v1/checkouts', order(3, 'order-88'))
    return { simulator, shop, checkout: checkout.id as string, customer: customer.id as string }
  }

  it('finds an object by any part of its texts', async () => {
    const { simulator, checkout, customer } = await shopWithEverything()
    const finds = async (term: string) => {
      const { path, html } = await open(simulator, `/find?q=${encodeURIComponent(term)}`)
      return path.startsWith(`${UI}/find`) ? html : path
    }
    for (const [term, found] of [
      [checkout.slice(-5), checkout],
      [checkout.slice(0, 12), checkout],
      ['lovelace', customer],
      ['ADA@EXAMPLE', customer],
      ['biz-a', customer],
      ['order-77', checkout],
      ['rder-7', checkout],
      ['12.50', checkout],
      ...['$12.50', 'EUR 12.50', '12.50 eur', '12.50\u00a0€', '12,50'].map(
        (term) => [term, checkout] as const,
      ),
      ['1250', checkout],
      ['was charged for order', '#msg_'],
    ] as const)
      expect([term, (await finds(term)).includes(found)]).toEqual([term, true])
    // The error of a request and a part of its key, which no other request has.
    for (const term of ['exceeds the refundable', 'pay-7', 'Bad Request'])
      expect([term, rowsIn(await finds(term))]).toEqual([term, 1])
    expect(await finds(checkout)).toBe(`/_sim/ui/resources/${checkout}`)
    expect(await finds('pay-77')).toBe('/_sim/ui/requests?key=pay-77')
    expect(await finds('lovelace')).toBe(`/_sim/ui/resources/${customer}`)
  })

  it('matches special characters literally, and reports that nothing was found', async () => {
    const { simulator } = await shopWithEverything()
    for (const term of ['%', '_', '\\', "'", 'chk_zzzz', 'a'.repeat(5000)]) {
      const { status } = await open(simulator, `/find?q=${encodeURIComponent(term)}`)
      expect([term.slice(0, 9), status]).toEqual([term.slice(0, 9), term === '_' ? 200 : 404])
    }
  })
})

describe('a list of requests', () => {
  it.each([
    ['op=checkouts.create', 2],
    ['method=get', 3],
    ['status=4xx', 2],
    ['status=none', 1],
    ['only=failing', 3],
    ['only=broken', 1],
    ['behavior=slow', 1],
    ['text=ORDER-2', 1],
    ['text=20.5', 1],
    ['text=2050', 1],
    ['text=EUR+20.50', 1],
    ['text=ord20', 0],
    ['since=req_5', 3],
    ['since=1m', 2],
    ['only=failing&method=POST', 2],
  ])('is filtered by %s, shows the count, and can be cleared', async (filter, count) => {
    const { simulator, shop, call } = openShop()
    shop.arm({
      behaviors: [{ id: 'slow', when: { op: 'events.list' }, do: { fault: 'reset', at: 'before' } }],
    })
    await call('POST', '/v1/checkouts', order(10, 'order-1'))
    await call('POST', '/v1/checkouts', order(20.5, 'order-2'))
    await call('POST', '/v1/refunds', { amount: 1 })
    await call('POST', '/v1/customers', {})
    await call('GET', '/v1/refunds')
    await call('GET', '/v1/events').catch(() => {})
    await shop.clock.advance('1h')
    await call('GET', '/v1/customers')
    await call('POST', '/v1/customers', { externalId: 'biz-1' })
    const { html, text } = await open(simulator, `/requests?${filter}`)
    expect(text).toContain(`${count} request${count === 1 ? '' : 's'} found`)
    expect(rowsIn(html)).toBe(count)
    expect(html).toContain('>Clear</a>')
  })
})

describe('other lists', () => {
  it('can be filtered: webhooks, outbox, ledger, resources', async () => {
    const { simulator, call } = openShop()
    const { body: newest } = await call('POST', '/v1/checkouts', order(10))
    await call('POST', '/v1/checkouts', order(20))
    await call('POST', `/v1/checkouts/${newest.id}/confirm`)
    await call('POST', `/v1/checkouts/${newest.id}/refunds`, { amount: 4 })
    const found = async (path: string) => (await open(simulator, path)).text
    expect(await found('/webhooks?type=checkout.created')).toContain('2 events found')
    expect(await found('/webhooks?delivery=failed')).toContain('No event fits the filter')
    expect(await found('/outbox?template=checkout_receipt')).toContain('1 message found')
    expect(await found('/outbox?template=login_code')).toContain('No message fits the filter')
    expect(await found('/ledger?kind=refund')).toContain('1 movement found')
    expect(await found('/ledger')).toMatch(/refund.*−\$4\.00.*charge.*\$10\.00/)
    expect(await found('/resources/checkouts?status=confirmed')).toContain('1 checkout found')
    expect(await found('/resources/checkouts')).toContain('2 checkouts')
  })

  it.each([
    [
      '/requests?status=nope&method=nope',
      ['status must be a status such as 409', 'method must be one of GET'],
    ],
    ['/requests?only=nope&since=soon&key=k', ['only must be one of failing', 'since must be a time']],
    [
      '/webhooks?type=nope&delivery=nope',
      ['type must be one of checkout.created', 'delivery must be one of'],
    ],
    ['/ledger?kind=nope', ['kind must be one of charge']],
    ['/outbox?template=nope', ['template must be one of login_code']],
    ['/resources/checkouts?status=nope&orderId=o-1', ['status must be one of pending']],
  ])(
    'show their form and every mistake if %s is invalid, and keep the other filters',
    async (path, mistakes) => {
      const { simulator, call } = openShop()
      await call('POST', '/v1/checkouts', order(10), { 'idempotency-key': 'k' })
      const { status, html } = await open(simulator, path)
      expect([status, html.includes('class="filter"')]).toEqual([400, true])
      expect(mistakes.filter((mistake) => !html.includes(mistake))).toEqual([])
      expect(html.match(/id="\w+-problem"/g)).toHaveLength(mistakes.length)
      for (const [, name] of path.matchAll(/(key|orderId)=/g))
        expect(html).toContain(`name="${name}" value="`)
    },
  )

  it('continue on the next page', async () => {
    const { simulator, call } = openShop()
    for (let number = 0; number < 60; number += 1) {
      const { body } = await call('POST', '/v1/checkouts', order(1 + number))
      await call('POST', `/v1/checkouts/${body.id}/confirm`)
    }
    for (const path of ['/requests', '/ledger', '/outbox', '/webhooks', '/resources/checkouts']) {
      const first = await open(simulator, path)
      const earlier = /href="\/_sim\/ui([^"]*cursor=[^"]*)"/.exec(first.html)![1]!
      const second = await open(simulator, earlier.replaceAll('&amp;', '&'))
      const ids = (html: string) => [...html.matchAll(/data-id="([^"]*)"/g)].map(([, id]) => id!)
      expect([path, ids(first.html).length]).toEqual([path, 50])
      expect(ids(second.html).filter((id) => ids(first.html).includes(id))).toEqual([])
      expect(ids(second.html).length).toBeGreaterThanOrEqual(10)
    }
    for (let number = 1; number < 60; number += 1) simulator.create()
    const rows = async (path: string) => (await open(simulator, path)).html.match(/ data-id="/g)?.length
    // A search shows six of each of four kinds.
    expect([await rows(''), await rows('/sandboxes'), await rows('/find?q=o-1')]).toEqual([50, 50, 24])
  })

  it('show pending work grouped by kind, with its count', async () => {
    const { simulator, shop, call } = openShop({ webhook: { url: 'http://127.0.0.1:9/' } })
    for (let number = 0; number < 29; number += 1) await call('POST', '/v1/checkouts', order(1 + number))
    await shop.settle()
    const text = (await open(simulator, '')).text
    expect(text).toMatch(/Due next 29 webhook checkout\.created ×29/)
    // Once in the list, and once in the bar of every page.
    expect(text.match(/webhook checkout\.created/g)).toHaveLength(2)
  })
})

it('every page with live data follows it, and a search is not a page of the navigation', async () => {
  const { simulator, call } = openShop()
  await call('POST', '/v1/checkouts', order(20))
  const { body } = await call('POST', '/v1/checkouts', order(10))
  const event = (await call('GET', '/v1/events')).body.data[0].id
  const isFollowing = async (path: string) => (await open(simulator, path)).html.includes('data-live="')
  for (const path of [
    ...['', '/requests', '/resources/checkouts', `/resources/${body.id}`, '/ledger'],
    ...['/audit', '/outbox', '/webhooks', `/events/${event}`, '/behaviors'],
  ])
    expect([path, await isFollowing(path)]).toEqual([path, true])
  // A response never changes, and neither do the rows before it.
  for (const path of ['/requests/req_1', '/ledger?cursor=1'])
    expect([path, await isFollowing(path)]).toEqual([path, false])
  const { html } = await open(simulator, '/find?q=o-1')
  expect(html).toContain('Found for')
  expect(html).not.toContain('aria-current="page"')
})

it('the scripts of all pages are less than 30 KB', () => {
  expect(findAsset(script.path)).toBe(script)
  expect(script.body.length).toBeLessThan(30_000)
})

it('a page fetched by its script leaves the notice about an action for the next page', async () => {
  const { simulator } = openShop()
  const page = `http://paysim.test${UI}`
  const first = await simulator.fetch(new Request(page))
  const cookie = first.headers.get('set-cookie')!.split(';')[0]!
  const token = /name="token" value="([^"]*)"/.exec(await first.text())![1]!
  await simulator.fetch(
    new Request(`${page}/do/clock.advance`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ token, advance: '1m', back: '/_sim/ui' }),
    }),
  )
  const shown = async (headers: Record<string, string>) =>
    (await (await simulator.fetch(new Request(page, { headers: { cookie, ...headers } }))).text()).includes(
      'The clock is at',
    )
  expect(await shown({ 'x-paysim-live': '1' })).toBe(false)
  expect(await shown({})).toBe(true)
})

it('a number that a profile adds is not an amount, and a map has its keys', async () => {
  const add = { customer: { score: { type: 'number' }, tags: { type: 'map' } } } as const
  const { simulator, call } = openShop({ profile: { add } })
  const sent = { externalId: 'c', score: 1.5, tags: { color: 'red', size: 'l' } }
  const { body } = await call('POST', '/v1/customers', sent)
  const text = (await open(simulator, `/resources/${body.id}`)).text
  expect(text).toMatch(/ score 1\.5 tags color=red, size=l /)
  expect((await open(simulator, '/resources/customers')).text).toContain(' 1.5 color=red, size=l ')
})

it('a list is filtered by a key of a map, from its form and by the parameter of the API', async () => {
  const tags = { type: 'map', filter: true } as const
  const tier = { type: ['gold', 'silver'], filter: true }
  const { simulator, call } = openShop({ profile: { add: { customer: { tags, tier } } } })
  const { html } = await open(simulator, '/resources/customers')
  expect(html).toMatch(/<input[^>]* name="tags"[^>]* placeholder="key=value"/)
  expect(html).toMatch(/<select name="tier">.*<option value="silver"/s)
  for (const color of ['red', 'a=b'])
    await call('POST', '/v1/customers', { externalId: `likes-${color}`, tags: { color } })
  const listed = async (query: string) => {
    const { status, text } = await open(simulator, `/resources/customers?${query}`)
    return [status, ...(text.match(/likes-\S+/g) ?? [])]
  }
  expect(await listed('')).toEqual([200, 'likes-a=b', 'likes-red'])
  for (const query of ['tags=color%3Dred', 'tags[color]=red'])
    expect([query, await listed(query)]).toEqual([query, [200, 'likes-red']])
  expect(await listed('tags=color%3Da%3Db')).toEqual([200, 'likes-a=b'])
  expect(await listed('tags[color]=blue')).toEqual([200])
  expect(await listed('tags=red')).toEqual([400, 'likes-a=b', 'likes-red'])
  expect(await listed(`tags[color]=${'x'.repeat(300)}`)).toEqual([400])
})
