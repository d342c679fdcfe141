/** Daily work in the dashboard, with forms only: no socket, no browser and no script. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OTHER_WORDS } from '../contract/different-profile.ts'
import { openReceiver } from '../receiver.ts'
import { asPlatform, confirmedCheckout, order, refund } from './shop.ts'
import { openVisited as open } from './visitor.ts'

const UI = '/_sim/ui'

test('the form of behaviors accepts the format of the HTTP API, and does not list the steps of a scenario', async () => {
  const { shop, send } = open()
  await send(`${UI}/do/arm`, { yaml: '- { id: slow, times: 1, do: { delay: 2s } }' })
  const rows = 'steps: [{ each: 1..1000, steps: [{ call: GET /v1/checkouts, capture: { a: $.id } }] }]'
  const cases = Array.from({ length: 1_000 }, (_, index) => `{ name: c${index}, a: 1 }`)
  await send(`${UI}/do/arm`, {
    yaml: `name: n\ncases: [${cases.join(', ')}]\n${rows}\nbehaviors: [{ id: down, when: { op: refunds.create }, do: { respond: 503 } }]`,
  })
  expect(shop.behaviors().map(({ id }) => id)).toEqual(['slow', 'down'])
})

describe('webhooks', () => {
  /** A shop with two events, which its receiver refuses. */
  async function refusing() {
    const receiver = await openReceiver(503)
    const opened = open()
    opened.shop.webhook.put({ url: receiver.url })
    for (const externalId of ['one', 'two']) await opened.call('POST', '/v1/customers', { externalId })
    return { receiver, ...opened }
  }

  test('one button redelivers each event whose latest delivery failed', async () => {
    const { receiver, shop, call, send, open: look } = await refusing()
    await shop.clock.advance('10d')
    expect(shop.deliveries({ status: 'failed' })).toHaveLength(2)
    expect((await look(`${UI}/webhooks`)).text).toMatch(/Webhooks 2 failing.*Resend all failing/)
    receiver.reply(204)
    expect((await send(`${UI}/do/redeliverFailed`, { back: `${UI}/webhooks` })).text).toContain(
      'Resending 2 webhooks.',
    )
    await shop.settle()
    expect(shop.deliveries({ status: 'delivered' })).toHaveLength(2)
    const after = await send(`${UI}/do/redeliverFailed`, { back: `${UI}/webhooks` })
    expect(after.text).toContain('No webhook is failing.')
    expect(after.text).not.toContain('Resend all failing')
    expect(after.text).toContain('resent')
    expect(shop.deliveries()).toHaveLength(4)

    receiver.reply(503)
    await call('POST', '/v1/customers', { externalId: 'three' })
    await shop.clock.advance('10d')
    shop.webhook.remove()
    for (const action of ['redeliver', 'redeliverFailed']) {
      const id = shop.deliveries()[0]!.id
      const refused = await send(`${UI}/do/${action}`, { id, back: `${UI}/webhooks` })
      expect(refused.text).toContain('Nothing can be delivered: there is no endpoint')
    }
    expect(shop.deliveries()).toHaveLength(5)
  })

  test('a delivery that is being retried is failing: it is counted, found, and resent by its next attempt', async () => {
    const { receiver, shop, send, open: look } = await refusing()
    await shop.clock.advance('1h')
    const [first] = shop.deliveries()
    expect(first!.status).toBe('pending')
    for (const delivery of ['failed', 'failing']) {
      const { text } = await look(`${UI}/webhooks?delivery=${delivery}`)
      expect(text).toContain('2 events')
      expect(text).toContain('Webhooks 2 failing')
    }
    expect((await look(`${UI}/webhooks?delivery=delivered`)).text).toContain('No event fits the filter')
    receiver.reply(204)
    await send(`${UI}/do/redeliverFailed`)
    await shop.settle()
    expect(shop.deliveries({ status: 'delivered' })).toHaveLength(2)
    const resent = await send(`${UI}/do/redeliver`, { id: first!.id, back: `${UI}/webhooks` })
    expect(resent.text).toContain('Resending customer.created.')
    expect(resent.text).toContain('resent')
    expect(resent.text).not.toContain('duplicated')
  })

  test('a redirect is a failed delivery in the list, on the page of the event and in the timeline', async () => {
    const receiver = await openReceiver(302)
    const { shop, call, open: look } = open()
    shop.webhook.put({ url: receiver.url })
    const { body } = await call('POST', '/v1/customers', { externalId: 'one' })
    await shop.settle({ held: false }).catch(() => {})
    for (const page of ['webhooks', `events/${shop.events()[0]!.id}`, `resources/${body.id}`])
      expect((await look(`${UI}/${page}`)).html).toMatch(/class="status wait"[^>]*>302</)
  })

  test('a duplicated delivery is shown as sent twice', async () => {
    const receiver = await openReceiver(204)
    const { shop, call, open: look } = open()
    shop.webhook.put({ url: receiver.url })
    shop.arm([{ id: 'twice', when: { event: 'customer.created' }, do: { webhook: { duplicate: 2 } } }])
    await call('POST', '/v1/customers', { externalId: 'one' })
    await shop.settle()
    expect((await look(`${UI}/webhooks`)).text).toContain('duplicated: sent 2 times 1: 204 2: 204')
    const { text } = await look(`${UI}/events/${shop.events()[0]!.id}`)
    expect(text).toContain('1 of 2')
    expect(text).toContain('2 of 2')
  })
})

test('a button has a warning if its action cannot be undone', async () => {
  const { shop, open: look } = open()
  shop.snapshot('kept')
  shop.webhook.put({ url: 'http://127.0.0.1:9/' })
  for (const [page, said] of [
    ['requests', 'Clear the journal… Its requests cannot be restored.'],
    ['webhooks', 'Remove endpoint… Deliveries stop, and a signing secret set for this endpoint is deleted.'],
    ['sandboxes', 'Remove… kept This cannot be undone'],
    ['sandboxes', 'Restore… kept Everything that is not in a snapshot is lost.'],
  ] as const)
    expect((await look(`${UI}/${page}`)).text).toContain(said)
})

test('a refused form keeps its text, and says what must be different', async () => {
  const { send, open: look } = open()
  for (const [page, action, fields, said] of [
    ['', 'clock.set', { set: '2020-01-01' }, 'set must lead forward from the sandbox'],
    ['/webhooks', 'webhook.put', { url: 'nowhere', events: '*' }, 'url must be'],
    ['/sandboxes', 'configure', { refundDelay: 'soon' }, 'refundDelay must be'],
    ['/sandboxes', 'sandboxes.create', { name: 'a/b', from: 'default' }, 'name must'],
  ] as const) {
    const { text, html } = await send(`${UI}/do/${action}`, { ...fields, back: UI + page })
    expect(text).toContain(said)
    const [typed] = Object.values(fields)
    expect(html).toContain(`value="${typed}"`)
    expect((await look(UI + page)).html).not.toContain(`value="${typed}"`)
  }
})

test('the library and the notice show the name of each scenario with behaviors', async () => {
  const { shop, send, open: look } = open()
  const files = readdirSync('scenarios').filter((file) =>
    /^behaviors:/m.test(readFileSync(join('scenarios', file), 'utf8')),
  )
  const seen = await look(`${UI}/behaviors`)
  for (const file of files) expect(seen.html).toContain(`>${file}</code>`)
  expect(seen.html).toContain('<b>The refund is committed, but the response is lost</b>')
  const { text } = await send(`${UI}/do/arm`, { file: 'answer-lost.yaml' })
  expect(text).toContain('Armed: The refund is committed, but the response is lost.')
  expect(shop.behaviors().map(({ id }) => id)).toEqual(['lose-first-answer'])
})

test('an id that a request changed is a link, also under a profile with other prefixes', async () => {
  const { call, open: look } = open({ profile: OTHER_WORDS })
  const { body } = await call('POST', '/v1/checkouts', order())
  await call('POST', `/v1/checkouts/${body.id}/confirm`)
  expect((await look(`${UI}/requests/req_2`)).html).toMatch(
    /<ins>&quot;<a class="id" href="[^"]*\/resources\/biz-/,
  )
})

test('a message of the outbox is shown with its resource', async () => {
  const { shop, call, open: look } = open()
  const id = await confirmedCheckout(call)
  const message = shop.outbox()[0]!
  const { text, path } = await look(`${UI}/find?q=${message.id}`)
  expect(path).toBe(`${UI}/resources/${id}#${message.id}`)
  expect(text).toContain(message.body.split('\n')[0])
  expect((await look(`${UI}/outbox`)).html).toContain(`href="${UI}/resources/${id}"`)
  expect((await look(`${UI}/outbox/msg_none`)).status).toBe(404)
})

describe('sandboxes', () => {
  test('a sandbox is created, and its settings change while it runs', async () => {
    const { simulator, send, shop } = open()
    const seen = await send(`${UI}/do/sandboxes.create`, { name: 'strict' })
    expect(seen.path).toBe(`${UI}/sandboxes/strict`)
    const strict = simulator.find('strict')
    const platform = asPlatform(simulator, strict)
    const { body } = await platform('POST', '/v1/checkouts', order())

    const base = `${UI}/sandboxes/strict`
    await send(`${base}/do/configure`, { rateLimit: 'off', refundDelay: '2h', back: `${base}/sandboxes` })
    expect(strict.describe()).toMatchObject({ rateLimit: 'off', requireApproval: false, refundDelay: '2h' })
    expect((await platform('POST', `/v1/checkouts/${body.id}/confirm`)).status).toBe(200)
    await refund(platform, body.id, 1)
    expect(strict.due()[0]!.at).toBe('2026-01-01T02:00:00.000Z')
    expect(shop.describe()).toMatchObject({ refundDelay: '5s' })

    const saved = await send(`${base}/do/configure`, { requireApproval: 'true', back: `${base}/sandboxes` })
    expect(saved.text).toContain('"requireApproval":true')

    await send(`${base}/do/configure`, { rateLimit: '250', requireApproval: 'false' })
    expect(strict.describe()).toMatchObject({ rateLimit: 250, requireApproval: false })

    const wrong = await send(`${base}/do/configure`, { rateLimit: 'many', back: `${base}/sandboxes` })
    expect(wrong.text).toContain('must be a whole number from 1 to')
    expect(strict.describe().rateLimit).toBe(250)
  })

  test("the links of a sandbox's page stay in that sandbox", async () => {
    const { simulator, open: look } = open()
    const shop = simulator.create({ name: 'shop' })
    await asPlatform(simulator, shop)('POST', '/v1/checkouts', order())
    const pages = ['', '/requests', '/requests/req_1', '/webhooks', '/outbox', '/audit']
    for (const page of [...pages, '/resources/none', '/nowhere/at/all', '?cursor=none']) {
      const { html, status } = await look(`${UI}/sandboxes/shop${page}`)
      expect(status < 400).toBe(pages.includes(page))
      const links = html.match(/(?:href|action)="\/_sim\/ui[^"]*"/g) ?? []
      expect(links.filter((link) => !/ui\/(sandboxes\/shop|assets)/.test(link))).toEqual([])
    }
  })
})
