/** A request in the dashboard: resent, held at a gate, and copied; with forms only, without a browser. */
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { asPlatform, order } from './shop.ts'
import { openVisited as open } from './visitor.ts'

const UI = '/_sim/ui'

describe('resending a request', () => {
  const key = { 'idempotency-key': 'order-1' }

  test('with the same key replays it, and shows the new request', async () => {
    const { shop, call, send } = open()
    await call('POST', '/v1/checkouts', order(), key)
    const seen = await send(`${UI}/requests/req_1/again`, { key: 'same' })
    expect(seen.path).toBe(`${UI}/requests/req_2`)
    expect(shop.request('req_2')).toMatchObject({ status: 201, verdict: 'replayed', key: 'order-1' })
    expect(shop.events()).toHaveLength(1)
    expect(seen.text).toContain('the first response was sent again and nothing ran')
  })

  test('with a new key runs it again', async () => {
    const { shop, call, send } = open()
    await call('POST', '/v1/checkouts', order(), key)
    await shop.clock.advance('1m')
    const seen = await send(`${UI}/requests/req_1/again`, { key: 'new' })
    expect(shop.request('req_2')).toMatchObject({ status: 201, verdict: 'first use' })
    expect(shop.request('req_2').key).toMatch(/^again-/)
    expect(shop.events()).toHaveLength(2)
    expect(shop.audit().requests).toBe(1)
    // The journal names the dashboard as the sender, and the page links to the original request.
    expect(seen.text).toContain('It repeats req_1')
  })

  test('works with another body', async () => {
    const { shop, call, send } = open()
    await call('POST', '/v1/checkouts', order(), key)
    await send(`${UI}/requests/req_1/again`, {
      key: 'same',
      body: JSON.stringify(order(999)),
    })
    expect(shop.request('req_2')).toMatchObject({
      status: 422,
      request: { body: JSON.stringify(order(999)) },
    })
  })

  test('unchanged sends the same bytes, also without a key and without a content type', async () => {
    const { shop, simulator, send } = open()
    const sent = {
      method: 'POST',
      headers: { 'x-api-key': shop.apiKey },
      body: Buffer.from('{"amount": 1000.00 ,'),
    }
    await simulator.fetch(new Request('http://paysim.test/v1/checkouts?a=%20b', sent))
    await send(`${UI}/requests/req_1/again`, { key: 'same' })
    const [first, second] = [shop.request('req_1'), shop.request('req_2')]
    const { 'user-agent': _, ...headers } = second.request.headers
    expect({ ...second.request, headers }).toEqual(first.request)
    expect([second.target, second.status, second.message]).toEqual([
      first.target,
      first.status,
      first.message,
    ])
  })

  test('goes through the door: behaviors, faults and limits apply', async () => {
    const { shop, call, send } = open({ rateLimit: 3 })
    await call('GET', '/v1/checkouts?limit=1')
    shop.arm([{ id: 'lost', when: { op: 'checkouts.list' }, times: 1, do: { fault: 'reset' } }])
    expect((await send(`${UI}/requests/req_1/again`)).text).toContain('connection reset')
    expect(shop.request('req_2')).toMatchObject({ fault: 'reset', fired: ['lost'] })
    await send(`${UI}/requests/req_1/again`)
    expect((await send(`${UI}/requests/req_1/again`)).text).toContain('429')
    expect(shop.requests().map(({ status }) => status)).toEqual([200, null, 200, 429])
  })

  test('starts from a formatted body that can be edited, with its digits unchanged', async () => {
    const { simulator, shop, open: look } = open()
    const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json', ...key }
    const sent = { method: 'POST', headers, body: '{"amount":1000.00}' }
    await simulator.fetch(new Request('http://paysim.test/v1/checkouts', sent))
    const { text } = await look(`${UI}/requests/req_1`)
    expect(text).toMatch(/Change the body.*\{ "amount": 1000.00 \}.*Send again, same key/)
    await simulator.fetch(new Request('http://paysim.test/v1/checkouts', { headers }))
    expect((await look(`${UI}/requests/req_2`)).text).not.toContain('Change the body')
  })

  test('in production uses its key and its address, also from the dashboard of staging', async () => {
    const { simulator, send } = open()
    const live = simulator.production.sandbox('default')
    await asPlatform(simulator.production, live)('GET', '/v1/checkouts')
    const seen = await send(`${UI}/sandboxes/production.default/requests/req_1/again`)
    expect(seen.path).toBe(`${UI}/sandboxes/production.default/requests/req_2`)
    expect(live.request('req_2').status).toBe(200)
  })

  test.each(['/orders/7', '/v1/../orders/7'])('refuses the path %s, which is outside /v1', async (path) => {
    const { shop, simulator, send, open: look } = open()
    const { port } = new URL((await simulator.listen()).url)
    onTestFinished(() => simulator.close())
    await once(request({ port, path }).end(), 'response')
    const [asked, ...others] = shop.requests()
    expect([asked?.target, others]).toEqual([path, []])
    const why = 'Its path is outside of /v1, so it cannot be sent from here.'
    const { text, html } = await look(`${UI}/requests/req_1`)
    expect(text).toContain(why)
    expect(html).not.toContain('/again"')
    expect((await send(`${UI}/requests/req_1/again`)).text).toContain(why)
    expect(shop.requests()).toEqual([asked])
  })

  test('requires the token of the session', async () => {
    const { shop, call, send } = open()
    await call('GET', '/v1/checkouts')
    await send(`${UI}/requests/req_1/again`, { token: 'guessed' })
    expect(shop.requests()).toHaveLength(1)
    expect((await send(`${UI}/requests/req_9/again`)).status).toBe(404)
  })
})

test('a held request shows its gate on its page, and so does a resent request', async () => {
  const { shop, call, send, open: look } = open()
  await call('GET', '/v1/checkouts')
  shop.arm([{ id: 'wait', when: { op: 'checkouts.list' }, do: { hold: 'gate-a' } }])
  const seen = await send(`${UI}/requests/req_1/again`)
  expect(seen.text).toContain('It waits at the gate gate-a')
  expect(seen.text).toContain('Open the gate')
  await send(`${UI}/do/release`, { name: 'gate-a' })
  await shop.settle()
  const { text } = await look(seen.path)
  expect(text).toContain('It repeats req_1')
  expect(text).not.toContain('Open the gate')
})

test('a body that was too large to store does not count as no body', async () => {
  const { shop, call, open: look } = open()
  await call('POST', '/v1/checkouts', { note: ' '.repeat(102_400) })
  const { text } = await look(`${UI}/requests/req_1`)
  expect(text).toContain('Request content-type application/json Its body was too large to record.')
  expect(text).not.toContain('No body.')
  // A behavior's 413 is independent of the body.
  shop.arm([{ id: 'large', when: { op: 'checkouts.list' }, do: { respond: 413 } }])
  await call('GET', '/v1/checkouts')
  expect((await look(`${UI}/requests/req_2`)).text).toContain('No body.')
})

test('a request with a delay is in the list of upcoming work on every page', async () => {
  const { shop, call, open: look } = open()
  shop.arm({ do: { delay: '2h' } })
  const delayed = call('GET', '/v1/checkouts')
  await expect.poll(() => shop.due()).toMatchObject([{ subject: 'req_1' }])
  expect((await look(UI)).text).toContain('Due next 1 held request goes on req_1 in 2h')
  expect((await look(`${UI}/ledger`)).html).toContain(
    `<a href="${UI}/requests/req_1">held request goes on</a>`,
  )
  await shop.clock.advance('2h')
  await delayed
})

test('a request can be copied as curl, and as the command that records it', async () => {
  const { call, open: look } = open()
  await call('POST', '/v1/checkouts', order(), { 'idempotency-key': 'order-1' })
  const { text } = await look(`${UI}/requests/req_1`)
  expect(text).toContain("curl -X POST \\ 'http://paysim.test/v1/checkouts'".replace(' \\ ', ' '))
  expect(text).toContain('paysim record --target http://paysim.test req_1')
})
