/** Each key of a profile, tested by its effect on a platform. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createSimulator, type Sandbox, type SandboxOptions } from '../../src/index.ts'
import { scenarioJsonSchema } from '../../src/sandbox/scenario-file/format.ts'
import { OPERATIONS, operationsUnder } from '../../src/service/operations/table.ts'
import { contractOf, DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { CONFLICTS } from '../../src/spec/contract/contradictions.ts'
import {
  changedKeys,
  completed,
  PROFILE_KEYS,
  type Profile as Profiled,
} from '../../src/spec/contract/profile.ts'
import type { Conflict } from '../../src/spec/contract/profile-key.ts'
import { translationOf } from '../../src/spec/contract/translation.ts'
import { checkText, parseProfile, profileText } from '../../src/tools/commands/profile.ts'
import { asPlatform, asTester, openShop, openSimulator, spoken } from '../control/shop.ts'
import { openReceiver } from '../receiver.ts'
import { play } from '../scenarios/playing.ts'
import { EVERY_KEY, ORDER } from './different-profile.ts'

type Profile = NonNullable<SandboxOptions['profile']>

type Send = ReturnType<typeof spoken>

function open(profile: Profile): { send: Send; shop: Sandbox } {
  const clock = 'frozen@2026-01-01T00:00:00.789Z'
  const { shop, call } = openShop({ profile, clock, rateLimit: undefined })
  return { shop, send: spoken(call) }
}

const manyKeys = (count: number) => Array.from({ length: count }, (_, number) => `key${number}: 1`).join('\n')

/** YAML aliases: each level repeats the previous level nine times, so the text would grow to nine to the ninth. */
const BOMB = [...'abcdefghi']
  .map(
    (name, index, names) =>
      `${name}: &${name} [${Array(9).fill(index === 0 ? '1' : `*${names[index - 1]}`)}]`,
  )
  .join('\n')

const bought = async (send: Send, order: object = ORDER) => {
  const { body } = await send('POST /v1/checkouts', order)
  await send(`POST /v1/checkouts/${body.id}/confirm`)
  return String(body.id)
}

interface Row {
  /** The common prefix of all keys of the row. */
  keys: string
  profile: Profile
  check(send: Send, shop: Sandbox): Promise<void>
}

const ROWS: readonly Row[] = [
  {
    keys: 'ids',
    profile: { ids: { prefixes: { checkout: 'pay-', refund: 're_', event: 'E' }, length: 12 } },
    async check(send, shop) {
      const id = await bought(send)
      expect(id).toMatch(/^pay-[0-9A-Za-z]{12}$/)
      const { body } = await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
      expect(body.id).toMatch(/^re_[0-9A-Za-z]{12}$/)
      expect(body.checkoutId).toBe(id)
      expect(shop.events()[0]!.id).toMatch(/^E[0-9A-Za-z]{12}$/)
      expect(shop.resource(id)).toMatchObject({ name: 'checkout', resource: { id } })
    },
  },
  {
    keys: 'timestamps.milliseconds',
    profile: { timestamps: { milliseconds: false } },
    async check(send, shop) {
      const { body } = await send('POST /v1/checkouts', ORDER)
      expect(body.createdAt).toBe('2026-01-01T00:00:00Z')
      expect(shop.events()[0]).toMatchObject({
        timestamp: '2026-01-01T00:00:00Z',
        data: { createdAt: '2026-01-01T00:00:00Z' },
      })
    },
  },
  {
    keys: 'requests.mediaType',
    profile: { requests: { mediaType: 'lenient' } },
    async check(send) {
      const { status } = await send('POST /v1/checkouts', ORDER, { 'content-type': 'text/plain' })
      expect(status).toBe(201)
    },
  },
  {
    keys: 'requests.unknownFields',
    profile: { requests: { unknownFields: 'refuse' } },
    async check(send) {
      const { status, body } = await send('POST /v1/checkouts', { ...ORDER, note: 'x' })
      expect([status, body.message]).toEqual([400, 'Unknown field: note'])
      const missing = await send('POST /v1/checkouts', { note: 'x' })
      expect(missing.body.message).toBe('Missing required field: orderId')
      const { body: made } = await send('POST /v1/checkouts', ORDER)
      const canceled = await send(`POST /v1/checkouts/${made.id}/cancel`, { why: 'x' })
      expect([canceled.status, canceled.body.message]).toEqual([400, 'Unknown field: why'])
      expect((await send(`POST /v1/checkouts/${made.id}/cancel`)).status).toBe(200)
    },
  },
  {
    keys: 'requests.checkout',
    profile: { requests: { checkout: ['externalId', 'amount', 'paymentMethodType'] } },
    async check(send) {
      const missing = await send('POST /v1/checkouts', { externalId: 'b', amount: 1 })
      expect(missing.body.message).toBe('Missing required field: paymentMethodType')
      const made = await send('POST /v1/checkouts', {
        externalId: 'b',
        amount: 1,
        paymentMethodType: 'card',
      })
      expect([made.status, made.body]).toMatchObject([
        201,
        { orderId: null, successUrl: null, cancelUrl: null },
      ])
      expect((await send(`GET /v1/checkouts/${made.body.id}`)).body).toEqual(made.body)
      expect((await send('POST /v1/checkouts', { ...ORDER, paymentMethodType: 'card' })).body.orderId).toBe(
        'o-1',
      )
    },
  },
  {
    keys: 'answers',
    profile: {
      answers: {
        created: 200,
        location: false,
        fields: { checkout: { object: 'checkout', live: false }, event: { object: 'event' } },
        leaveOut: { checkout: ['checkoutUrl', 'updatedAt'] },
        currency: 'EUR',
      },
    },
    async check(send, shop) {
      const made = await send('POST /v1/checkouts', ORDER)
      expect([made.status, made.headers.get('location')]).toEqual([200, null])
      expect(made.body).toMatchObject({ object: 'checkout', live: false, orderId: 'o-1', currency: 'EUR' })
      expect(Object.keys(made.body)).not.toEqual(expect.arrayContaining(['checkoutUrl']))
      expect(made.body).not.toHaveProperty('updatedAt')
      expect(shop.events()[0]).toMatchObject({ object: 'event', data: made.body })
    },
  },
  {
    keys: 'fields',
    profile: {
      fields: {
        checkout: { id: 'ref', amountRefunded: 'refunded', status: 'state' },
        authorization: { customerId: 'business', externalId: 'businessRef', amount: 'held' },
        refund: { checkoutId: 'payment' },
        payment_method: { card: 'plastic' },
        card: { last4: 'ending' },
        event: { data: 'about' },
      },
    },
    async check(send, shop) {
      const { body } = await send('POST /v1/checkouts', ORDER)
      const confirmed = await send(`POST /v1/checkouts/${body.ref}/confirm`)
      expect(confirmed.body).toMatchObject({ ref: body.ref, state: 'confirmed', refunded: 0 })
      const { customerId: business } = confirmed.body
      expect((await send('GET /v1/checkouts?state=confirmed')).body.data).toMatchObject([{ ref: body.ref }])
      expect((await send('GET /v1/checkouts?state=DONE')).body.message).toMatch(
        'Invalid query parameter: state must be one of',
      )
      const refund = await send('POST /v1/refunds', { amount: 1, payment: body.ref })
      expect(refund.body).toMatchObject({ payment: body.ref, amount: 1 })
      const both = await send('POST /v1/refunds', { amount: 1, payment: body.ref, authorizationId: 'x' })
      expect(both.body.message).toBe('Invalid field: authorizationId cannot be combined with payment')
      // The service does not know names that only paysim uses.
      expect((await send('POST /v1/authorizations', { amount: 2 })).body.message).toBe(
        'Missing required field: held',
      )
      expect(shop.requests({ limit: 1 })).toMatchObject([{ amount: null }])
      const held = await send('POST /v1/authorizations', { held: 2, business })
      expect(held.body).toMatchObject({ held: 2, business })
      expect((await send('POST /v1/authorizations', { held: 2 })).body.message).toBe(
        'Missing required field: business or businessRef',
      )
      const foreign = await send('POST /v1/authorizations', { held: 2, business, businessRef: 'x' })
      expect(foreign.body.message).toBe('Invalid field: businessRef must belong to the business')
      const methods = await send(`GET /v1/customers/${business}/payment-methods`)
      expect(methods.body.data).toMatchObject([{ plastic: { ending: expect.any(String) } }])
      expect(shop.events()[0]).toMatchObject({ type: 'checkout.created', about: { ref: body.ref } })
      expect(
        await shop.verify({ op: 'authorizations.create', json: { customerId: business } }),
      ).toMatchObject({ count: 2 })
    },
  },
  {
    keys: 'lists',
    profile: {
      lists: {
        items: 'list',
        hasMore: 'more',
        nextCursor: 'next',
        limit: 'count',
        cursor: 'from',
        size: 1,
        maxSize: 2,
      },
    },
    async check(send) {
      for (let count = 0; count < 3; count += 1) await send('POST /v1/checkouts', ORDER)
      const first = await send('GET /v1/checkouts')
      expect(first.body).toEqual({ list: [expect.anything()], more: true, next: expect.any(String) })
      const rest = await send(`GET /v1/checkouts?count=2&from=${first.body.next}`)
      expect(rest.body).toMatchObject({ list: [{}, {}], more: false, next: null })
      const wrong = await send('GET /v1/checkouts?count=3')
      expect(wrong.body.message).toBe('Invalid query parameter: count must be a whole number from 1 to 2')
    },
  },
  {
    keys: 'states',
    profile: {
      states: {
        checkout: { pending: 'OPEN', confirmed: 'PAID' },
        authorization: { authorized: 'HELD' },
        refund: { pending: 'WAITING', completed: 'DONE' },
      },
    },
    async check(send, shop) {
      const id = await bought(send)
      expect((await send('GET /v1/checkouts?status=PAID')).body.data).toMatchObject([{ id, status: 'PAID' }])
      expect((await send('GET /v1/checkouts?status=confirmed')).body.message).toBe(
        'Invalid query parameter: status must be one of OPEN, approved, PAID, canceled',
      )
      expect((await send(`POST /v1/checkouts/${id}/confirm`)).body.message).toBe('Checkout is already PAID')
      const { body: pending } = await send('POST /v1/checkouts', ORDER)
      expect((await send(`POST /v1/checkouts/${pending.id}/refunds`, { amount: 1 })).body.message).toBe(
        'Checkout is OPEN, not PAID',
      )
      const held = await send('POST /v1/authorizations', { externalId: 'b-1', amount: 1 })
      expect(held.body.status).toBe('HELD')
      const refund = await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
      expect(refund.body.status).toBe('WAITING')
      await shop.clock.advance('5s')
      expect((await send(`GET /v1/refunds/${refund.body.id}`)).body.status).toBe('DONE')
    },
  },
  {
    keys: 'events',
    profile: { events: { 'checkout.created': 'ORDER_MADE' } },
    async check(send, shop) {
      await send('POST /v1/checkouts', ORDER)
      const { body } = await send('GET /v1/events?type=ORDER_MADE')
      expect(body.data).toMatchObject([{ type: 'ORDER_MADE' }])
      expect(shop.events()[0]!.type).toBe('ORDER_MADE')
    },
  },
  {
    keys: 'errors',
    profile: {
      errors: { names: { 404: 'resource_missing' }, texts: { notFound: 'No such {resource}!' } },
    },
    async check(send) {
      const gone = { error: 'resource_missing', message: 'No such Checkout!' }
      expect((await send('GET /v1/checkouts/x')).body).toEqual(gone)
      expect((await send('POST /v1/checkouts/x/cancel')).body).toEqual(gone)
    },
  },
  {
    keys: 'idempotency.replayHeader',
    profile: { idempotency: { replayHeader: 'X-Again' } },
    async check(send) {
      await send('POST /v1/checkouts', ORDER, { 'idempotency-key': 'k' })
      const { headers } = await send('POST /v1/checkouts', ORDER, { 'idempotency-key': 'k' })
      expect([headers.get('x-again'), headers.get('idempotent-replayed')]).toEqual(['true', null])
    },
  },
  {
    keys: 'idempotency.keep',
    profile: { idempotency: { keep: '1h' } },
    async check(send, shop) {
      const first = await send('POST /v1/checkouts', ORDER, { 'idempotency-key': 'k' })
      await shop.clock.advance('59m59s')
      const second = await send('POST /v1/checkouts', ORDER, { 'idempotency-key': 'k' })
      await shop.clock.advance('1s')
      const third = await send('POST /v1/checkouts', ORDER, { 'idempotency-key': 'k' })
      expect(second.body.id).toBe(first.body.id)
      expect(third.body.id).not.toBe(first.body.id)
    },
  },
  {
    keys: 'idempotency.keptRefusals',
    profile: { idempotency: { keptRefusals: [404] } },
    async check(send) {
      const key = { 'idempotency-key': 'k' }
      await send('POST /v1/checkouts/x/cancel', undefined, key)
      const gone = await send('POST /v1/checkouts/x/cancel', undefined, key)
      expect(gone.headers.get('idempotent-replayed')).toBe('true')
      const id = await bought(send)
      await send(`POST /v1/checkouts/${id}/cancel`, undefined, key)
      const conflict = await send(`POST /v1/checkouts/${id}/cancel`, undefined, key)
      expect([conflict.status, conflict.headers.get('idempotent-replayed')]).toEqual([409, null])
    },
  },
  {
    keys: 'rateLimit',
    profile: {
      rateLimit: {
        window: '10s',
        headers: { limit: 'RateLimit-Limit', remaining: null, reset: 'RateLimit-Reset' },
        resetAs: 'seconds',
      },
    },
    async check(send) {
      const { headers } = await send('GET /v1/checkouts')
      expect([...headers.keys()].filter((name) => name.includes('ratelimit')).sort()).toEqual([
        'ratelimit-limit',
        'ratelimit-reset',
      ])
      expect([headers.get('ratelimit-limit'), headers.get('ratelimit-reset')]).toEqual(['100', '10'])
    },
  },
  {
    keys: 'refunds.delay',
    profile: { refunds: { delay: '1h' } },
    async check(send, shop) {
      const id = await bought(send)
      const { body } = await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
      await shop.clock.advance('59m59s')
      expect((await send(`GET /v1/refunds/${body.id}`)).body.status).toBe('pending')
      await shop.clock.advance('1s')
      expect((await send(`GET /v1/refunds/${body.id}`)).body.status).toBe('completed')
      expect(shop.describe().refundDelay).toBe('1h')
    },
  },
  {
    keys: 'paths',
    profile: { paths: { 'refunds.get': '/v1/refund-status/{id}', 'events.list': '/v1/notifications' } },
    async check(send) {
      const id = await bought(send)
      const { body, headers } = await send(`POST /v1/checkouts/${id}/refunds`, { amount: 1 })
      expect(headers.get('location')).toBe(`/v1/refund-status/${body.id}`)
      expect((await send(`GET ${headers.get('location')}`)).body).toEqual(body)
      expect((await send(`GET /v1/refunds/${body.id}`)).body.message).toBe('Route not found')
      expect((await send('GET /v1/notifications')).status).toBe(200)
      const wrong = await send('POST /v1/notifications')
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    },
  },
  {
    keys: 'webhooks',
    profile: {
      webhooks: {
        signature: { scheme: 'timestamped', header: 'X-Signature', idHeader: null, timestampHeader: null },
        retries: ['1s'],
        timeout: '1s',
      },
    },
    async check(send, shop) {
      const receiver = await openReceiver(500)
      shop.webhook.put({ url: receiver.url })
      await send('POST /v1/checkouts', ORDER)
      await shop.settle()
      await shop.clock.advance('1h')
      const [delivery] = shop.deliveries()
      expect([delivery!.status, delivery!.attempts.length]).toEqual(['failed', 2])
      const { headers, body } = receiver.received[0]!
      const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-signature']))!
      const expected = createHmac('sha256', shop.signingSecret).update(`${seconds}.${body}`).digest('hex')
      expect(given).toBe(expected)
      expect(Object.keys(headers).filter((name) => name.startsWith('webhook'))).toEqual([])
      expect(delivery!.attempts[0]!.signature).toBe(headers['x-signature'])
    },
  },
  {
    keys: 'webhooks.signature.prefix',
    profile: { webhooks: { signature: { scheme: 'hex', header: 'X-Hub', prefix: 'sha256=' } } },
    async check(send, shop) {
      const receiver = await openReceiver()
      shop.webhook.put({ url: receiver.url })
      await send('POST /v1/checkouts', ORDER)
      await shop.settle()
      const { headers, body, event } = receiver.received[0]!
      const digits = createHmac('sha256', shop.signingSecret).update(body).digest('hex')
      expect([headers['x-hub'], headers['webhook-id']]).toEqual([`sha256=${digits}`, event.id])
    },
  },
]

describe('a key of a profile', () => {
  test.for(ROWS.map((row) => [row.keys, row] as const))('%s', async ([, { profile, check }]) => {
    const { send, shop } = open(profile)
    await check(send, shop)
  })

  test('works together with a change of every other key', () => {
    const changed = new Set(changedKeys(EVERY_KEY).map(({ key }) => key))
    expect(PROFILE_KEYS.filter(({ key }) => !changed.has(key)).map(({ key }) => key)).toEqual([])
    open(EVERY_KEY)
  })
})

test('equal profiles share a contract, and only recently used contracts are kept', () => {
  const numbered = (count: number) => contractOf({ fields: { customer: { name: `name${count}` } } })
  const first = numbered(0)
  for (let count = 1; count <= 100; count += 1) numbered(count)
  expect(numbered(100)).toBe(numbered(100))
  expect(numbered(0)).not.toBe(first)
})

test('without renames nothing is translated', () => {
  expect(contractOf({})).toBe(DEFAULT_CONTRACT)
  for (const profile of [{}, { refunds: { delay: '9s' } }, { ids: { length: 16 } }, { lists: { size: 2 } }])
    expect(contractOf(profile).codec).toBeUndefined()
  expect(translationOf(DEFAULT_CONTRACT)).toBeUndefined()
  expect(operationsUnder(DEFAULT_CONTRACT)).toBe(OPERATIONS)
})

test('a call is translated by the filters of its list, not by the fields of its resource', () => {
  const fields = { refund: { amount: 'sum', checkoutId: 'paymentId' } }
  const translation = translationOf(contractOf({ fields, states: { refund: { pending: 'open' } } }))!
  const call = (target: string) => translation.call({ method: 'GET', target }).target
  expect(call('/v1/refunds?status=pending&checkoutId=chk_1')).toBe('/v1/refunds?status=open&paymentId=chk_1')
  // Refunds cannot be filtered by amount.
  expect(call('/v1/refunds?amount=5')).toBe('/v1/refunds?amount=5')
})

/** Values that are valid alone and conflict with others. A conflict named in a row does not compile without an example. */
const CONFLICTING: Readonly<Record<Conflict, readonly [text: string, sentence: string]>> = {
  prefixes: [
    'ids: { prefixes: { refund: chk_ } }',
    'p.yaml:1:28: ids.prefixes.refund must differ from that of checkout, not "chk_".',
  ],
  states: [
    'states: { refund: { pending: completed } }',
    'p.yaml:1:19: states.refund.completed must differ from that of pending.',
  ],
  events: [
    'events: { refund.created: checkout.created }',
    'p.yaml:1:27: events.refund.created must differ from that of checkout.created, not "checkout.created".',
  ],
  'fields of a page': [
    'lists: { items: hasMore }',
    'p.yaml:1:8: lists.hasMore must differ from that of items.',
  ],
  'parameters of a page': [
    'lists: { cursor: status }',
    'p.yaml:1:18: lists.cursor must not be the name of a filter, not "status".',
  ],
  'sizes of a page': [
    'lists: { size: 200 }',
    'p.yaml:1:16: lists.size must be at most lists.maxSize, 100, not 200.',
  ],
  paths: [
    'paths: { refunds.get: "/v1/checkouts/{id}" }',
    'p.yaml:1:23: paths.refunds.get must differ from that of checkouts.get, not "/v1/checkouts/{id}".',
  ],
  'words of a text': [
    'errors: { texts: { notFound: "{id} is gone" } }',
    'p.yaml:1:30: errors.texts.notFound must have only {resource} in braces, not "{id} is gone".',
  ],
  fields: [
    'answers: { fields: { refund: { status: x } } }',
    'p.yaml:1:30: answers.fields.refund must not have status, which it has already, not {"status":"x"}.',
  ],
  'names of fields': [
    'fields: { refund: { status: amount } }',
    'p.yaml:1:29: fields.refund.status must differ from that of amount, not "amount".',
  ],
  'headers of an answer': [
    'idempotency: { replayHeader: x-ratelimit-limit }',
    'p.yaml:1:30: idempotency.replayHeader must differ from the header X-RateLimit-Limit of an answer, not "x-ratelimit-limit".',
  ],
  'added fields': [
    'add: { checkout: { amount: { type: text } } }',
    'p.yaml:1:18: add.checkout must not have amount, which it has already, ',
  ],
  'headers of a signature': [
    'webhooks: { signature: { idHeader: null } }',
    'p.yaml:1:24: webhooks.signature.scheme must be timestamped or hex where idHeader or timestampHeader is null.',
  ],
}

/** The profile keys that a function reads. */
function keysRead(look: (profile: Profiled) => unknown): ReadonlySet<string> {
  const read = new Set<string>()
  const watched = <Inner extends object>(inner: Inner, outer: string): Inner =>
    new Proxy(inner, {
      get(_, name) {
        const key = outer + String(name)
        const value: unknown = Reflect.get(inner, name)
        if (PROFILE_KEYS.some((row) => row.key === key)) read.add(key)
        else if (typeof value === 'object' && value !== null) return watched(value, `${key}.`)
        return value
      },
    })
  look(watched(completed({}), ''))
  return read
}

describe('a file of a profile', () => {
  test('as printed has every key, and changes nothing', () => {
    const given = parseProfile(profileText(), 'profile.yaml')
    expect(changedKeys(given)).toEqual([])
    for (const { path } of PROFILE_KEYS) {
      expect(
        path.reduce<unknown>((outer, name) => (outer as Record<string, unknown>)[name], given),
      ).toBeDefined()
    }
  })

  test('is summarized by its changes', () => {
    const given = parseProfile('{ ids: { length: 16 }, refunds: { delay: 5s } }', 'profile.yaml')
    expect(checkText(given)).toBe('ids.length is 16, not 24 (D13, Ids)')
    expect(checkText(parseProfile('# nothing yet', 'profile.yaml'))).toBe('It changes nothing.')
  })

  test.for(Object.entries(CONFLICTING))(
    '%s in conflict are refused at a key that names this conflict',
    ([conflict, [text, sentence]]) => {
      expect(() => parseProfile(text, 'p.yaml')).toThrow(sentence)
      const refused = PROFILE_KEYS.find(({ key }) =>
        sentence.replace(/^p\.yaml:1:\d+: /, '').startsWith(`${key} `),
      )
      expect(refused?.conflict).toBe(conflict)
    },
  )

  test.for(Object.keys(CONFLICTS) as Conflict[])(
    'the check of %s reads exactly the keys that name this conflict',
    (conflict) => {
      const read = keysRead(CONFLICTS[conflict])
      const rows = PROFILE_KEYS.filter(({ key }) => read.has(key))
      expect(rows.filter((row) => row.conflict === 'none').map(({ key }) => key)).toEqual([])
      const named = PROFILE_KEYS.filter((row) => row.conflict === conflict)
      expect(named.filter(({ key }) => !read.has(key)).map(({ key }) => key)).toEqual([])
    },
  )

  test.for([
    ['ids: { lenght: 20 }', 'p.yaml:1:8: ids.lenght is unknown here; did you mean length?'],
    ['ids: { length: 3 }', 'p.yaml:1:16: ids.length must be a whole number from 12 to 64, not 3.'],
    ['idz: {}', 'p.yaml:1:1: idz is unknown here; did you mean ids?'],
    ['- 1', 'p.yaml:1:1: a profile must be keys as paysim profile prints them.'],
    ['ids: [', 'p.yaml:1:7: a [ before this place is not closed'],
    ['ids: { length: 20 }\nids: { length: 21 }', 'p.yaml:2:1: ids is given twice'],
    [BOMB, 'p.yaml:2:8: *a is inside an anchored value, which must not contain aliases'],
    [
      'paths: { refunds.get: "/v1/refunds/{refund}" }',
      'p.yaml:1:23: paths.refunds.get must have {id}, not "/v1/refunds/{refund}".',
    ],
    ['refunds: { delay: 5 }', /^p\.yaml:1:19: refunds\.delay must be a duration such as 250ms/],
    [
      'answers: { created: 204 }',
      'p.yaml:1:21: answers.created must be 200 or 201, not 204; did you mean 200?',
    ],
    ['requests: { checkout: [amount] }', /^p\.yaml:1:23: requests\.checkout must have externalId and amount/],
    [
      'idempotency: { replayHeader: "a b" }',
      /must be the name of a header, such as X-Signature, or null, not "a b"\.$/,
    ],
    [
      'rateLimit: { headers: { limit: Trailer } }',
      'p.yaml:1:32: rateLimit.headers.limit must be a header that HTTP does not use itself, such as X-Signature, not "Trailer".',
    ],
  ] as const)('%s is refused in a sentence', ([text, sentence]) => {
    expect(() => parseProfile(text, 'p.yaml')).toThrow(sentence)
  })

  test('the first of 20,000 unknown keys is reported, and a file over 256 KB is refused immediately', () => {
    expect(() => parseProfile(manyKeys(20_000), 'p.yaml')).toThrow('p.yaml:1:1: key0 is unknown here.')
    expect(() => parseProfile(manyKeys(100_000), 'p.yaml')).toThrow(
      'p.yaml:1:1: the file is larger than 256 KB',
    )
  })
})

test('no paging parameter can have the name of a filter', () => {
  const filters = OPERATIONS.flatMap(({ query }) =>
    Object.keys((query as z.ZodObject | undefined)?.shape ?? {}),
  )
  for (const name of new Set(filters.filter((filter) => filter !== 'limit' && filter !== 'cursor')))
    expect(() => parseProfile(`lists: { limit: ${name} }`, 'p.yaml')).toThrow(
      'must not be the name of a filter',
    )
})

describe('a profile can be set', () => {
  const WRONG = { ids: { lenght: 16 } } as object
  const SENTENCE = 'profile.ids.lenght is unknown here; did you mean length?'

  test('to a simulator for all its sandboxes, and to one sandbox', async () => {
    const simulator = openSimulator({ profile: { answers: { created: 200 } } })
    simulator.sandbox('own', { profile: { ids: { length: 12 } } })
    simulator.sandbox('like-all')
    const created = async (name: string) => {
      const call = asPlatform(simulator, simulator.find(name))
      const { status, body } = await call('POST', '/v1/customers', { externalId: 'b' })
      return [status, body.id.length - 'cus_'.length]
    }
    expect(await created('default')).toEqual([200, 24])
    expect(await created('like-all')).toEqual([200, 24])
    expect(await created('own')).toEqual([201, 12])
    expect(() => simulator.sandbox('own', { profile: { ids: { length: 13 } } })).toThrow(
      'The sandbox own already exists, with another profile',
    )
  })

  test('over HTTP, which reports a mistake', async () => {
    const simulator = openSimulator()
    const create = async (profile: object) => {
      const { status, body } = await asTester(simulator)('POST', '/sandboxes', { name: 'shop', profile })
      return [status, body.message]
    }
    expect(await create(WRONG)).toEqual([400, expect.stringContaining('lenght')])
    expect(await create({ ids: { length: 16 } })).toEqual([201, undefined])
    expect(simulator.find('shop').describe().profile).toEqual({ ids: { length: 16 } })
  })

  test('in code, which reports a mistake', () => {
    expect(() => createSimulator({ profile: WRONG })).toThrow(SENTENCE)
  })

  test('in a scenario, which keeps the default names in its steps', async () => {
    const scenario = (profile: string) => `
name: n
sandbox: { profile: ${profile} }
steps:
  - call: POST /v1/checkouts
    json: ${JSON.stringify(ORDER)}
    expect: { status: 201, json: { status: pending } }
  - call: GET /v1/checkouts?status=pending
    expect: { json: { data: [{ status: pending }], hasMore: false } }
`
    const played = await play(
      scenario(
        '{ answers: { created: 200 }, states: { checkout: { pending: NEW } }, lists: { items: list } }',
      ),
    )
    expect({ code: played.code, shown: played.code === 0 ? '' : played.out }).toEqual({ code: 0, shown: '' })
    const wrong = await play(scenario('{ ids: { lenght: 16 } }'))
    expect(wrong.code).not.toBe(0)
    expect(wrong.out + wrong.err).toContain('lenght')
  })
})

test('an editor shows a comment at every key of a profile, including parent keys', () => {
  interface Property {
    description?: string
    properties?: Record<string, Property>
  }
  const bare = ({ properties = {} }: Property, path = ''): string[] =>
    Object.entries(properties).flatMap(([name, property]) => [
      ...(property.description ? [] : [path + name]),
      ...bare(property, `${path}${name}.`),
    ])
  const { definitions } = scenarioJsonSchema() as { definitions: { Profile: Property } }
  expect(Object.keys(definitions.Profile.properties!)).toContain('lists')
  expect(bare(definitions.Profile)).toEqual([])
})
