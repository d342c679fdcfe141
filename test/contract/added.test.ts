/** Fields that a profile adds: in requests, storage, responses, events and the API document, and as filters of lists. */
import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/index.ts'
import { steeredBy } from '../../src/tester/control/control.ts'
import { openShop, spoken } from '../control/shop.ts'
import { ORDER } from './different-profile.ts'

type Profile = NonNullable<SandboxOptions['profile']>

const ADD: Profile['add'] = {
  checkout: {
    poNumber: { type: 'text', filter: true, search: true },
    tags: { type: 'map', filter: true },
    deposit: { type: 'amount', filter: true },
    dueAt: { type: 'time', filter: true },
    isGift: { type: 'boolean', filter: true },
    weight: { type: 'number', filter: true },
    terms: { type: ['net30', 'net60'], filter: true },
  },
  customer: { vatId: { type: 'text', sent: 'required' } },
  refund: { reason: { type: 'text', filter: true } },
}

const SENT = {
  poNumber: 'PO-7',
  tags: { channel: 'web', constructor: 'c' },
  deposit: 12.5,
  dueAt: '2026-03-01T00:00:00.000Z',
  isGift: true,
  weight: 1.25,
  terms: 'net30',
}

const NONE = Object.fromEntries(Object.keys(SENT).map((name) => [name, null]))

function open(profile: Profile, fixture: SandboxOptions['fixture'] = {}) {
  const { simulator, shop, call } = openShop({ profile, fixture, clock: 'real' })
  return { simulator, shop, send: spoken(call) }
}

test('are returned as sent in each response and event, or null if they were not sent', async () => {
  const { shop, send } = open({ add: ADD })
  const made = await send('POST /v1/checkouts', { ...ORDER, ...SENT })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ orderId: 'o-1', ...SENT })
  expect(made.text).toContain('"deposit":12.50,')
  const { id } = made.body
  expect((await send(`GET /v1/checkouts/${id}`)).text).toBe(made.text)
  expect((await send(`POST /v1/checkouts/${id}/confirm`)).body).toMatchObject({
    status: 'confirmed',
    ...SENT,
  })
  const events = (await send('GET /v1/events')).body.data
  const ofCheckout = events.filter((event: { data: { id: string } }) => event.data.id === id)
  expect(ofCheckout.map(({ data }: { data: object }) => data)).toMatchObject([SENT, SENT])
  expect(shop.resource(id).resource).toMatchObject(SENT)
  // The confirmation creates a customer without the fields that only the customers request requires.
  expect((await send('GET /v1/customers')).body.data).toMatchObject([{ vatId: null }])
  expect((await send('POST /v1/checkouts', ORDER)).body).toMatchObject(NONE)
  const refund = await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1, reason: 'late' })
  expect(refund.body).toMatchObject({ reason: 'late', amount: 1 })
  expect((await send('GET /v1/refunds?reason=late')).body.data).toHaveLength(1)
  expect((await send('GET /v1/refunds?reason=early')).body.data).toEqual([])
})

test.for([
  ['poNumber', 7, 'Invalid field: poNumber must be a string of 1 to 255 characters'],
  ['tags', { a: '' }, 'Invalid field: tags must be an object of texts of 1 to 255 characters'],
  ['tags', 'web', 'Invalid field: tags must be an object of texts of 1 to 255 characters'],
  ['deposit', 1.234, 'Invalid field: deposit must be a positive number with at most two decimals'],
  ['isGift', 'yes', 'Invalid field: isGift must be true or false'],
  ['weight', '1', 'Invalid field: weight must be a number'],
  ['terms', 'net90', 'Invalid field: terms must be one of net30, net60'],
] as const)('a %s of %j is refused', async ([name, value, message]) => {
  const { send } = open({ add: ADD })
  expect(await send('POST /v1/checkouts', { ...ORDER, [name]: value })).toMatchObject({
    status: 400,
    body: { message },
  })
})

test('that are required are reported when missing, and are accepted when other fields are refused', async () => {
  const { send } = open({ add: ADD, requests: { unknownFields: 'refuse' } })
  expect(await send('POST /v1/customers', { externalId: 'b-1' })).toMatchObject({
    status: 400,
    body: { message: 'Missing required field: vatId' },
  })
  const made = await send('POST /v1/customers', { externalId: 'b-1', vatId: 'DE1' })
  expect(made).toMatchObject({ status: 201, body: { vatId: 'DE1' } })
})

test.for([
  ['poNumber=PO-7', 1],
  ['poNumber=PO-8', 0],
  ['tags[channel]=web', 1],
  ['tags[channel]=web&tags[constructor]=c&terms=net30', 1],
  ['tags[channel]=shop', 0],
  ['tags[other]=web', 0],
  ['tags[__proto__]=web', 0],
  ['deposit=12.50&isGift=true&weight=1.25', 1],
  ['deposit=12', 0],
  ['dueAt=2026-03-01T00:00:00.000Z', 1],
] as const)('?%s filters a list', async ([query, count]) => {
  const { send } = open({ add: ADD })
  await send('POST /v1/checkouts', { ...ORDER, ...SENT })
  await send('POST /v1/checkouts', ORDER)
  const list = await send(`GET /v1/checkouts?${query}`)
  expect([list.status, list.body.data.length]).toEqual([200, count])
})

test.for([
  ['deposit=a', 'deposit must be a positive number with at most two decimals'],
  ['deposit=12.505', 'deposit must be a positive number with at most two decimals'],
  ['dueAt=tomorrow', 'dueAt must be a time such as 2025-01-31T12:34:56.789Z'],
  ['isGift=maybe', 'isGift must be true or false'],
  ['weight=heavy', 'weight must be a number'],
  ['weight=', 'weight must be a number'],
  ['terms=net90', 'terms must be one of net30, net60'],
] as const)('?%s is refused, as a wrong value of any filter', async ([query, rule]) => {
  const { send } = open({ add: ADD })
  expect(await send(`GET /v1/checkouts?${query}`)).toMatchObject({
    status: 400,
    body: { message: `Invalid query parameter: ${rule}` },
  })
})

test.for(['2026-03-01T00:00:00Z', '2026-03-01T01:30:00+01:30'])('a time may be sent as %s', async (dueAt) => {
  const { send } = open({ add: ADD })
  const made = await send('POST /v1/checkouts', { ...ORDER, dueAt })
  expect(made).toMatchObject({ status: 201, body: { dueAt: SENT.dueAt } })
})

test('a wrong time is refused in a sentence', async () => {
  const { send } = open({ add: ADD })
  const made = await send('POST /v1/checkouts', { ...ORDER, dueAt: 'tomorrow' })
  expect(made.body.message).toBe('Invalid field: dueAt must be a time such as 2025-01-31T12:34:56.789Z')
})

test('a map as a filter needs a key', async () => {
  const { send } = open({ add: ADD })
  expect(await send('GET /v1/checkouts?tags=web')).toMatchObject({
    status: 400,
    body: { message: 'Invalid query parameter: tags must be an object of texts of 1 to 255 characters' },
  })
})

test("appear in the tester's responses", async () => {
  const { shop, send } = open({ add: ADD })
  const { body } = await send('POST /v1/checkouts', { ...ORDER, ...SENT })
  expect(shop.buyer.decline(body.id)).toMatchObject(SENT)
  expect(shop.buyer.approve(body.id)).toMatchObject({ status: 'approved', ...SENT })
})

test('appear in the API document, in the search and on the list page', async () => {
  const { shop, send, simulator } = open({ add: ADD })
  await send('POST /v1/checkouts', { ...ORDER, ...SENT })
  const { paths, components } = (await send('GET /openapi.json')).body
  const { Checkout, CheckoutCreate } = components.schemas
  expect(Object.keys(CheckoutCreate.properties)).toEqual(expect.arrayContaining(Object.keys(SENT)))
  expect(Checkout.required).toEqual(expect.arrayContaining(Object.keys(SENT)))
  expect(Checkout.properties.terms.anyOf).toContainEqual({ type: 'string', enum: ['net30', 'net60'] })
  expect(CheckoutCreate.properties.tags.anyOf).toContainEqual({
    type: 'object',
    additionalProperties: { type: 'string', minLength: 1, maxLength: 255 },
  })
  expect(paths['/v1/checkouts'].get.parameters).toContainEqual(
    expect.objectContaining({ name: 'tags', style: 'deepObject', explode: true }),
  )
  const { rows } = steeredBy(shop).browse.find('po-7')
  expect(rows).toMatchObject([{ kind: 'checkout', data: [{}] }])
  const page = await simulator.fetch(
    new Request('http://paysim.test/_sim/ui/resources/checkouts?poNumber=PO-7'),
  )
  expect(await page.text()).toMatch(/poNumber[\s\S]*PO-7/)
})

test('a map keeps every key, even __proto__ and constructor', async () => {
  const { send } = open({ add: ADD })
  const tags = '{"__proto__":"a","constructor":"b","":"c"}'
  const body = JSON.stringify(ORDER).replace(/\}$/, `,"tags":${tags}}`)
  const made = await send('POST /v1/checkouts', body)
  expect(made.text).toContain(`"tags":${tags}`)
  expect((await send('GET /v1/checkouts?tags[__proto__]=a')).body.data).toHaveLength(1)
})

test('work together with renamed fields, and survive a snapshot', async () => {
  const fields: Profile['fields'] = { checkout: { status: 'state' } }
  const { shop, send } = open({ add: ADD, fields })
  const made = await send('POST /v1/checkouts', { ...ORDER, ...SENT })
  expect(made.body).toMatchObject({ state: 'pending', ...SENT })
  shop.snapshot('before')
  shop.reset()
  shop.restore('before')
  expect((await send(`GET /v1/checkouts/${made.body.id}`)).text).toBe(made.text)
  expect((await send('GET /v1/checkouts?poNumber=PO-7&state=pending')).body.data).toHaveLength(1)
})

test('are accepted in a fixture, and validated there', async () => {
  const refunds = [{ amount: 1, reason: 'late' }]
  const checkouts = [{ ...ORDER, ...SENT, status: 'confirmed', refunds } as const]
  const { send } = open({ add: ADD }, { checkouts })
  expect((await send('GET /v1/checkouts?tags[channel]=web')).body.data).toMatchObject([SENT])
  expect((await send('GET /v1/refunds?reason=late')).body.data).toMatchObject([{ amount: 1 }])
  const mistaken = (fields: object) => () => open({ add: ADD }, { checkouts: [{ ...ORDER, ...fields }] })
  const place = 'fixture.checkouts.0 cannot be made: '
  expect(mistaken({ terms: 'net90' })).toThrow(`${place}Invalid field: terms must be one of net30, net60`)
  expect(mistaken({ poNumbr: 'PO-7' })).toThrow(`${place}Unknown field: poNumbr`)
})

test.for([
  ['add: { checkout: { __proto__: { type: text } } }', /add\.checkout must not have __proto__/],
  ['add: { checkout: { poNumber: { type: string } } }', /add\.checkout\.poNumber\.type must be text, number/],
  ['add: { checkout: { PO: { type: text } } }', /add\.checkout\.PO must have a camelCase name/],
  ['add: { invoice: {} }', /add\.invoice is unknown here/],
] as const)('%s is refused', async ([text, message]) => {
  const { parseProfile } = await import('../../src/tools/commands/profile.ts')
  expect(() => parseProfile(text, 'p.yaml')).toThrow(message)
})
