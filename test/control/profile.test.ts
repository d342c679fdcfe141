/** A tester's view of a sandbox with a profile: the default names, and raw data as it was sent. */
import { expect, test } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { findingText } from '../../src/tester/audit/show.ts'
import { recordSession } from '../../src/tester/control/record.ts'
import { DIFFERENT, ORDER } from '../contract/different-profile.ts'
import { linkedPages } from '../linked-pages.ts'
import { play } from '../scenarios/playing.ts'
import { asPlatform, asTester, newSimulator, spoken } from './shop.ts'
import { visitor } from './visitor.ts'

/** A response exactly as sent. */
type Made = Readonly<Record<string, string>>

function open() {
  const simulator = newSimulator({ profile: DIFFERENT, clock: 'frozen@2026-01-01T00:00:00Z' })
  return { simulator, shop: simulator.sandbox('default') }
}

async function send(simulator: Simulator, call: string, body = {}, more = {}): Promise<Made> {
  const ask = spoken(asPlatform(simulator, simulator.sandbox('default')))
  return (await ask(call, call.startsWith('POST') ? body : undefined, more)).body
}

const idIn = (event: object) => (event as { noteId: string }).noteId

/** A purchase of which 2.50 is refunded. */
async function refunded(simulator: Simulator, headers: object = {}) {
  const { checkoutRef: id } = await send(simulator, 'POST /v1/checkouts', ORDER, headers)
  await send(simulator, `POST /v1/checkouts/${id}/confirm`, {}, headers)
  const refund = { amount: 2.5 }
  const { refundId, state } = await send(simulator, `POST /v1/checkouts/${id}/refunds`, refund, headers)
  return { id: id!, refund: { id: refundId!, status: state } }
}

test('a behavior matches calls, queries, events and states by their default names', async () => {
  const { simulator, shop } = open()
  shop.arm([
    { id: 'read', when: { call: 'GET /v1/refunds/{id}' }, do: { respond: 500 } },
    {
      id: 'listed',
      when: { op: 'refunds.list', query: { status: 'pending', limit: '2' } },
      do: { respond: 500 },
    },
    {
      id: 'paid',
      when: { event: 'checkout.confirmed', json: { data: { status: 'confirmed' } } },
      do: { webhook: { duplicate: 2 } },
    },
  ])
  shop.webhook.put({ url: 'http://127.0.0.1:9/', events: ['checkout.confirmed'] })
  const { refund } = await refunded(simulator)
  expect(refund.status).toBe('PROCESSING')
  expect(shop.deliveries().map(({ eventType }) => eventType)).toEqual([
    'checkout.confirmed',
    'checkout.confirmed',
  ])
  expect(await send(simulator, `GET /v1/refunds/${refund.id}/status`)).toMatchObject({
    error: 'server_error',
  })
  expect(await send(simulator, 'GET /v1/refunds?state=PROCESSING&page_size=2')).toMatchObject({
    error: 'server_error',
  })
  expect(shop.behaviors().map(({ fired }) => fired)).toEqual([1, 1, 1])
})

test('verify and audit recognize the calls', async () => {
  const { simulator, shop } = open()
  const { refund } = await refunded(simulator)
  await send(simulator, `GET /v1/refunds/${refund.id}/status`)
  expect(await shop.verify({ call: 'GET /v1/refunds/{id}', exactly: 1 })).toMatchObject({ count: 1 })
  expect(shop.audit().findings.map(({ rule }) => rule)).toContain('C1')
})

test('the tester reads a resource and its state in default names, and its events as sent', async () => {
  const { simulator, shop } = open()
  const { id, refund } = await refunded(simulator)
  expect(shop.resource(id)).toMatchObject({ name: 'checkout', resource: { id, status: 'confirmed' } })
  expect(shop.refunds.complete(refund.id)).toMatchObject({ status: 'completed' })
  expect(shop.events()).toContainEqual(expect.objectContaining({ what: 'REFUND_SUCCEEDED' }))
  const found = shop.requests({ resource: id })[0]!
  expect(shop.request(found.id).response!.json).toMatchObject({ object: 'checkout', state: 'OPEN' })
})

test('a session is recorded in default names, and plays without the profile', async () => {
  const { simulator, shop } = open()
  const { refund } = await refunded(simulator)
  await send(simulator, `GET /v1/refunds/${refund.id}/status`)
  await send(simulator, 'GET /v1/notifications?what=REFUND_STARTED')
  await send(simulator, 'GET /v1/refunds?state=PROCESSING&page_size=2&other=a')
  const { yaml, leftOut } = await recordSession(shop)
  expect(leftOut).toEqual([])
  expect(yaml).not.toMatch(/PROCESSING|pay-|notifications|OPEN|REFUND/)
  expect(parseScenario(yaml).steps).toHaveLength(6)
  expect(yaml).toContain('call: GET /v1/events?type=refund.created\n')
  expect(yaml).toContain('call: GET /v1/refunds?status=pending&limit=2&other=a\n')
  const { code, out } = await play(yaml)
  expect({ code, shown: code === 0 ? '' : out }).toEqual({ code: 0, shown: '' })
})

test('a text is recorded unchanged, whatever its first character', async () => {
  const { simulator, shop } = open()
  await send(simulator, 'POST /v1/checkouts', { ...ORDER, orderId: '\uE0005' })
  const { yaml } = await recordSession(shop)
  expect(parseScenario(yaml).steps).toMatchObject([{ json: { orderId: '\uE0005' } }])
  expect(shop.requests()).toMatchObject([{ orderId: '\uE0005' }])
})

test('audit does not blame a platform that follows the cursor of a list', async () => {
  const { simulator, shop } = open()
  for (let number = 1; number <= 21; number += 1)
    await send(simulator, 'POST /v1/customers', { businessRef: `biz-${number}` })
  const { after } = await send(simulator, 'GET /v1/customers')
  const blamed = () => shop.audit().findings.map(({ rule }) => rule)
  expect(blamed()).toContain('C16')
  await send(simulator, `GET /v1/customers?after=${after}`)
  expect(blamed()).not.toContain('C16')
})

test('every linked page and every GET of the API opens without an amount in dollars', async () => {
  const { simulator, shop } = open()
  shop.webhook.put({ url: 'http://127.0.0.1:9/' })
  const { id, refund } = await refunded(simulator)
  shop.refunds.complete(refund.id)
  const { checkoutRef: unpaid } = await send(simulator, 'POST /v1/checkouts', ORDER)
  const failing: string[] = []
  const fetchPage = async (request: Request) => {
    const answer = await simulator.fetch(request)
    if (answer.status >= 400) failing.push(`${answer.status} ${request.url}`)
    return answer
  }
  const pages = await linkedPages({ fetch: fetchPage }, [
    '/_sim/ui',
    `/_sim/ui/resources/${id}`,
    `/checkout/${unpaid}`,
  ])
  const inDollars = pages.filter(({ html, path }) =>
    (path.includes('/resources/') ? /\$\d|USD/ : /\$\d/).test(html),
  )
  expect(inDollars.map(({ path }) => path)).toEqual([])
  expect(pages.filter(({ html }) => /EUR \d/.test(html)).length).toBeGreaterThan(8)
  const { body } = await asTester(simulator)('GET', '/openapi.json')
  const ids = { sandbox: 'default', 'resources/{id}': `resources/${id}`, 'requests/{id}': 'requests/req_1' }
  for (const [path, { get }] of Object.entries<{ get?: unknown }>(body.paths)) {
    const asked = Object.entries(ids).reduce(
      (text, [name, value]) => text.replace(name.includes('/') ? name : `{${name}}`, value),
      path,
    )
    if (get && !asked.includes('{')) await fetchPage(new Request(`http://paysim.test${asked}`))
  }
  expect(failing).toEqual([])
  const eventId = idIn(shop.events()[0]!)
  expect((await visitor(simulator).open(`/_sim/ui/find?q=${eventId}`)).path).toBe(
    `/_sim/ui/events/${eventId}`,
  )
})

test('sentences and e-mails show amounts in the currency of the profile', async () => {
  const { simulator, shop } = open()
  const { id } = await refunded(simulator)
  const lost = { 'x-sim': 'fault=reset; at=after-commit' }
  await send(simulator, `POST /v1/checkouts/${id}/refunds`, { amount: 1.5 }, lost).catch(() => undefined)
  const { refundId } = await send(simulator, `POST /v1/checkouts/${id}/refunds`, { amount: 1.5 })
  shop.refunds.complete(refundId!)
  const { checkoutRef: dear } = await send(simulator, 'POST /v1/checkouts', { ...ORDER, amount: 90_000 })
  shop.buyer.decline(dear!)
  const story = shop.explain(ORDER.orderId)
  expect(story.money).toBe('charged EUR 10.00, refunded EUR 5.50')
  expect(story.sentences[0]!.text).toContain('was refunded twice, EUR 1.50 too much: ')
  expect(shop.audit().findings.map(findingText).join()).toContain('at stake: EUR 4.00\n')
  const message = { channel: 'email', body: 'EUR 1.50 was refunded.', relatedId: refundId }
  expect(shop.outbox()).toContainEqual(expect.objectContaining(message))
  expect((await visitor(simulator).open(`/_sim/ui?order=${id}`)).html).toContain('EUR 1.50 refunded twice')
})

test('pages recognize ids and events of the profile', async () => {
  const { simulator, shop } = open()
  const { id, refund } = await refunded(simulator)
  shop.refunds.complete(refund.id)
  const { open: look } = visitor(simulator)
  const html = async (page: string) => (await look(`/_sim/ui${page}`)).html
  const short = (longId: string) => longId.replace(/.{32}$/, (rest) => `…${rest.slice(-5)}`)
  const ledger = await html('/ledger')
  expect(ledger).toContain(`>${short(refund.id)}<`)
  expect(ledger).not.toContain(`>${refund.id}<`)
  const confirmed = await html('/requests/req_2')
  const { businessId, sourceId } = await send(simulator, `GET /v1/checkouts/${id}`)
  for (const resource of [id, businessId, sourceId])
    expect(confirmed).toContain(
      `href="/_sim/ui/resources/${resource}" title="${resource}">${resource}</a>&quot;`,
    )
  expect(await html('/webhooks')).toContain('refund.completed')
  const timeline = await html(`/resources/${id}`)
  expect(timeline).toContain('>time passed<')
  expect(timeline).not.toContain('>no known request<')
  expect(timeline).toContain('class="line good"')
})

test('events are listed over HTTP exactly as sent', async () => {
  const { simulator, shop } = open()
  await refunded(simulator)
  const { text: list } = await asTester(simulator)('GET', '/sandboxes/default/events?limit=2')
  const sent = shop.events({ limit: 2 }).map((event) => shop.read('events.get', { id: idIn(event) }))
  expect(list).toContain(`{"data":[${sent.join()}],"hasMore":true,"nextCursor":"note-`)
  expect(list).toContain('"apiVersion":"2026-01-01"')
})

test('the buyer sees the state of a checkout without URLs', async () => {
  const simulator = newSimulator({ profile: { requests: { checkout: ['externalId', 'amount'] } } })
  const { id } = await send(simulator, 'POST /v1/checkouts', { externalId: 'Acme', amount: 5 })
  expect((await visitor(simulator).open(`/checkout/${id}`)).html).toContain('Acme')
})
