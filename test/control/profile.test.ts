/** What a tester reads and writes of a sandbox with a profile: the words of the defaults, and what was sent as it was. */
import { expect, onTestFinished, test } from 'vitest'
import { createSimulator, type Simulator } from '../../src/index.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { recordSession } from '../../src/tester/control/record.ts'
import { DIFFERENT, ORDER } from '../contract/different-profile.ts'
import { startOwn } from '../scenarios/own.ts'
import { play } from '../scenarios/playing.ts'

interface Made {
  id: string
  status: string
}

function open() {
  const simulator = createSimulator({ profile: DIFFERENT, clock: 'frozen@2026-01-01T00:00:00Z' })
  onTestFinished(() => simulator.close())
  return { simulator, shop: simulator.sandbox('default') }
}

async function send(simulator: Simulator, call: string, body: object = {}): Promise<Made> {
  const [method = '', path = ''] = call.split(' ')
  const response = await simulator.fetch(
    new Request(`http://paysim.test${path}`, {
      method,
      headers: { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    }),
  )
  return (await response.json()) as Made
}

/** A purchase, of which 2.50 are paid back. */
async function refunded(simulator: Simulator) {
  const { id } = await send(simulator, 'POST /v1/checkouts', ORDER)
  await send(simulator, `POST /v1/checkouts/${id}/confirm`)
  const refund = await send(simulator, `POST /v1/checkouts/${id}/refunds`, { amount: 2.5 })
  return { id, refund }
}

test('a behavior is met by calls, events and states in the words of the defaults', async () => {
  const { simulator, shop } = open()
  shop.arm([
    { id: 'read', when: { call: 'GET /v1/refunds/{id}' }, do: { respond: 500 } },
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
  expect(shop.behaviors().map(({ fired }) => fired)).toEqual([1, 1])
})

test('verify and conduct know the calls', async () => {
  const { simulator, shop } = open()
  const { refund } = await refunded(simulator)
  await send(simulator, `GET /v1/refunds/${refund.id}/status`)
  expect(await shop.verify({ call: 'GET /v1/refunds/{id}', exactly: 1 })).toMatchObject({ count: 1 })
  expect(shop.conduct().findings.map(({ rule }) => rule)).toContain('C1')
})

test('a resource and its state read by the tester are in the words of the defaults, its events as they were sent', async () => {
  const { simulator, shop } = open()
  const { id, refund } = await refunded(simulator)
  expect(shop.resource(id)).toMatchObject({ name: 'checkout', resource: { id, status: 'confirmed' } })
  expect(shop.refunds.complete(refund.id)).toMatchObject({ status: 'completed' })
  expect(shop.events().map(({ type }) => type)).toContain('REFUND_SUCCEEDED')
  const found = shop.requests({ resource: id })[0]!
  expect(shop.request(found.id).response!.json).toMatchObject({ object: 'checkout', status: 'OPEN' })
})

test('a session is recorded in the words of the defaults, and plays without the profile', async () => {
  const { simulator, shop } = open()
  const { refund } = await refunded(simulator)
  await send(simulator, `GET /v1/refunds/${refund.id}/status`)
  await send(simulator, 'GET /v1/notifications')
  const { yaml, leftOut } = await recordSession(shop)
  expect(leftOut).toEqual([])
  expect(yaml).not.toMatch(/PROCESSING|pay-|notifications|OPEN/)
  expect(parseScenario(yaml).steps).toHaveLength(5)
  const { code, out } = await play(yaml, {}, { startOwn })
  expect({ code, shown: code === 0 ? '' : out }).toEqual({ code: 0, shown: '' })
})

test('the pages of the dashboard and of the buyer open', async () => {
  const { simulator, shop } = open()
  const { id, refund } = await refunded(simulator)
  const [event] = shop.events()
  const { id: open_ } = await send(simulator, 'POST /v1/checkouts', ORDER)
  const pages = [
    ...['', '/requests', '/requests/req_1', '/events', `/events/${event!.id}`, '/reference', '/conduct'],
    ...['/resources', '/resources/checkouts', `/resources/${id}`, `/resources/${refund.id}`, '/ledger'],
  ].map((page) => `/_sim/ui${page}`)
  for (const page of [...pages, `/checkout/${open_}`]) {
    const response = await simulator.fetch(new Request(`http://127.0.0.1${page}`))
    expect([page, response.status]).toEqual([page, 200])
  }
  const reference = await (await simulator.fetch(new Request('http://127.0.0.1/_sim/ui/reference'))).text()
  expect(reference).toContain('/v1/refunds/{id}/status')
  expect(reference).toContain('states.refund.pending')
  const found = await simulator.fetch(
    new Request(`http://127.0.0.1/_sim/ui/find?q=${event!.id}`, { redirect: 'manual' }),
  )
  expect(found.headers.get('location')).toBe(`/_sim/ui/events/${event!.id}`)
})

test('a checkout without URLs shows the buyer its state', async () => {
  const simulator = createSimulator({ profile: { requests: { checkout: ['externalId', 'amount'] } } })
  onTestFinished(() => simulator.close())
  const { id } = await send(simulator, 'POST /v1/checkouts', { externalId: 'Acme', amount: 5 })
  const page = await (await simulator.fetch(new Request(`http://127.0.0.1/checkout/${id}`))).text()
  expect(page).toContain('Acme')
})
