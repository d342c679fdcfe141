import { describe, expect, test } from 'vitest'
import { OPERATIONS, operationById } from '../../src/service/operations/table.ts'
import { WRITING_IDS } from '../../src/spec/contract/endpoints.ts'
import { type Case, play, prepare, proceed, request } from './case.ts'
import type { Given } from './given.ts'
import { GRANTED, ORDER_TEXT } from './granted.ts'
import {
  contract,
  hasNoSocket,
  isRemote,
  openPlatform,
  type Platform,
  type Received,
  requestRules,
} from './platform.ts'
import { head, listening, sendRaw } from './socket.ts'

/** A day, unless a profile says otherwise. */
const KEPT_MS = contract.keyRetentionMs
/** The second response has the same bytes as the first, and no effects. */
async function expectReplay(
  platform: Platform,
  first: Received,
  again: () => Promise<Received>,
): Promise<void> {
  const before = seen(platform)
  const second = await again()
  expect({ status: second.status, text: second.text }).toEqual({ status: first.status, text: first.text })
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.headers.get('location')).toBe(first.headers.get('location'))
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  expect(seen(platform)).toEqual(before)
}

const seen = ({ tester }: Platform) =>
  isRemote ? undefined : [tester.events(), tester.writes(), tester.rows()]

const reused = {
  status: 422,
  body: {
    error: 'Unprocessable Entity',
    message: 'Idempotency-Key was already used with a different request body',
  },
}

async function expectReused(platform: Platform, again: () => Promise<Received>): Promise<void> {
  const before = seen(platform)
  const second = await again()
  expect(second).toMatchObject(reused)
  expect(second.headers.get('idempotent-replayed')).toBeNull()
  expect(second.headers.get('location')).toBeNull()
  expect(seen(platform)).toEqual(before)
}

const expectFresh = (received: Received, status: number): void => {
  expect(received.status, received.text).toBe(status)
  expect(received.headers.get('idempotent-replayed')).toBeNull()
}

const key = (platform: Platform, name = 'k') => ({ 'idempotency-key': `${name}-${platform.run}` })

type Repeatable = Pick<Case, 'given' | 'call' | 'json' | 'raw' | 'headers'>

/** A request with a key that can be repeated, also with changes. */
async function repeatable(wanted: Repeatable) {
  const platform = openPlatform()
  const names = await prepare(platform, wanted.given)
  const ask = (changes: Partial<Repeatable> = {}) =>
    platform.send(request({ headers: key(platform), ...wanted, ...changes }, names))
  return { platform, names, ask }
}

describe('a key is honored', () => {
  describe.each(WRITING_IDS)('%s', (id) => {
    test('runs once and replays the response', async () => {
      const { platform, ask } = await repeatable(GRANTED[id])
      const first = await ask()
      expectFresh(first, operationById(id).status)
      await expectReplay(platform, first, ask)
      await expectReplay(platform, first, ask)
    })
  })
})

describe('reads ignore a key, even a malformed one', () => {
  test.for(OPERATIONS.filter(({ writes }) => !writes))('$method $path', async ({ path }) => {
    const platform = openPlatform()
    const call = `GET ${path.replaceAll(/\{\w+\}/g, 'nobody')}`
    const plain = await platform.send({ call })
    for (const malformed of ['', 'é', 'x'.repeat(256)]) {
      const received = await platform.send({ call, headers: { 'idempotency-key': malformed } })
      expect(received.status).toBe(plain.status)
      if (!isRemote) expect(received.text).toBe(plain.text)
      expect(received.headers.get('idempotent-replayed')).toBeNull()
    }
  })

  test('a read shows the current state, not the state of an earlier read', async () => {
    const call = 'GET /v1/checkouts/{checkout}'
    const { platform, names, ask: read } = await repeatable({ given: ['a checkout'], call })
    await read()
    await platform.send(request({ call: 'POST /v1/checkouts/{checkout}/cancel' }, names))
    expect((await read()).body).toMatchObject({ status: 'canceled' })
  })
})

describe('the syntax of a key', () => {
  const customer = { call: 'POST /v1/customers', json: { externalId: 'b-{run}' } }
  const malformed = {
    ...customer,
    status: 400,
    body: { error: 'Bad Request', message: 'Malformed Idempotency-Key' },
    absent: ['location'],
  }
  const accepted = [
    ['one character', 'k'],
    ['255 characters', 'k'.repeat(255)],
    ['a UUID', '7f9c24e8-3b12-4fef-91e0-5a2f1c8d7b6a'],
    ['spaces inside', 'my key'],
    ['quotes, taken literally', '"k"'],
    ['a comma', 'a, b'],
    ['every printable character', String.fromCharCode(...Array.from({ length: 94 }, (_, n) => 33 + n))],
  ]
  const refused = [
    ['empty', ''],
    ['256 characters long', 'k'.repeat(256)],
    ['with a tab', 'a\tb'],
    ['with a letter beyond ASCII', 'clé'],
  ]
  const refusedByClients = [
    ['with a control character', 'a\u0001b'],
    ['with DEL', 'a\u007fb'],
  ]
  // A remote service remembers these keys between runs.
  play(
    (isRemote ? [] : accepted).map(
      ([what, key]): Case => ({
        ...customer,
        name: `may have ${what}`,
        key: key!,
        status: 201,
        events: ['customer.created'],
      }),
    ),
  )
  play(
    [...refused, ...(hasNoSocket ? refusedByClients : [])].map(
      ([what, key]): Case => ({ ...malformed, name: `may not be ${what}`, key: key! }),
    ),
  )

  const post = (...lines: string[]) =>
    head('POST /v1/customers', 'content-type: application/json', 'content-length: 18', ...lines) +
    '{"externalId":"b"}'

  test.skipIf(isRemote).for([
    ['different keys', ['idempotency-key: a', 'idempotency-key: b'], 400],
    ['the same key', ['Idempotency-Key: a', 'idempotency-key: a'], 400],
    ['an empty one first', ['idempotency-key:', 'idempotency-key: a'], 400],
    ['two empty ones', ['idempotency-key:', 'idempotency-key:'], 400],
    ['one, with a comma in it', ['idempotency-key: a, b'], 201],
    ['one, with space around it', ['idempotency-key:   a   '], 201],
  ] as const)('sent in separate headers, %s', async ([, lines, status]) => {
    const { simulator, port } = await listening()
    expect((await sendRaw(port, post(...lines))).status).toBe(status)
    expect(simulator.sandbox('default').events()).toHaveLength(status === 201 ? 1 : 0)
  })
})

describe('the scope of a key is its method and path', () => {
  test.for([
    ['another endpoint', 'POST /v1/checkouts/{checkout}/confirm', 'POST /v1/checkouts/{checkout}/cancel'],
    ['another id', 'POST /v1/checkouts/{checkout}/cancel', 'POST /v1/checkouts/{another}/cancel'],
  ] as const)('%s runs', async ([, operation, otherOperation]) => {
    const platform = openPlatform()
    const names = await prepare(platform, ['a checkout', 'another checkout'])
    const first = await platform.send(request({ call: operation, headers: key(platform) }, names))
    const second = await platform.send(request({ call: otherOperation, headers: key(platform) }, names))
    expectFresh(first, 200)
    expect(second.headers.get('idempotent-replayed')).toBeNull()
    expect(second.text).not.toBe(first.text)
  })

  test('the query is not part of the scope', async () => {
    const call = 'POST /v1/checkouts/{checkout}/cancel'
    const { platform, ask } = await repeatable({ given: ['a checkout'], call })
    await expectReplay(platform, await ask(), () => ask({ call: `${call}?again=1` }))
  })

  test('an id is the same however it is encoded', async () => {
    const call = 'POST /v1/checkouts/{checkout}/cancel'
    const { platform, names, ask } = await repeatable({ given: ['a checkout'], call })
    const encoded = call.replace('{checkout}', names.checkout!.replace('_', '%5F'))
    await expectReplay(platform, await ask(), () => ask({ call: encoded }))
  })

  test('keys are case-sensitive', async () => {
    const platform = openPlatform()
    const create = (headers: Record<string, string>, externalId: string) =>
      platform.send({ call: 'POST /v1/customers', headers, body: JSON.stringify({ externalId }) })
    expectFresh(await create(key(platform, 'k'), `b-${platform.run}`), 201)
    expectFresh(await create(key(platform, 'K'), `B-${platform.run}`), 201)
  })
})

describe('body comparison', () => {
  const call = 'POST /v1/customers'
  const externalId = '"externalId":"b-{run}"'
  const same: readonly [string, string, string][] = [
    ['in another order', `{${externalId},"name":"n"}`, `{"name":"n",${externalId}}`],
    ['with other white space', `{${externalId}}`, `\n{ ${externalId} }\r\n`],
    ['with a number written otherwise', `{${externalId},"x":1000}`, `{${externalId},"x":1000.00}`],
    ['with a number written as a power', `{${externalId},"x":1000}`, `{${externalId},"x":1e3}`],
    ['with a zero written as -0', `{${externalId},"x":[{"a":0}]}`, `{${externalId},"x":[{"a":-0}]}`],
    ['with a letter escaped', `{${externalId},"name":"né"}`, `{${externalId},"name":"n\\u00e9"}`],
    [
      'in another order deep inside',
      `{${externalId},"x":[{"a":1,"b":2}]}`,
      `{${externalId},"x":[{"b":2,"a":1}]}`,
    ],
  ]
  const different: readonly [string, string, string][] = [
    ['with another value', `{${externalId},"name":"n"}`, `{${externalId},"name":"m"}`],
    ['with a field more', `{${externalId}}`, `{${externalId},"name":"n"}`],
    ['with one more, unknown field', `{${externalId}}`, `{${externalId},"x":1}`],
    ['with null for a field that was left out', `{${externalId}}`, `{${externalId},"name":null}`],
    ['with a number beyond the double for null', `{${externalId},"x":null}`, `{${externalId},"x":1e400}`],
    ['with a string for a number', `{${externalId},"x":1}`, `{${externalId},"x":"1"}`],
    ['with a list in another order', `{${externalId},"x":[1,2]}`, `{${externalId},"x":[2,1]}`],
    ['with a prototype', `{${externalId}}`, `{${externalId},"__proto__":{}}`],
    ['with nothing in it', `{${externalId}}`, '{}'],
    ['with an error in it', `{${externalId}}`, '{"externalId":7}'],
  ]
  const open = async (first: string) => {
    const { platform, ask } = await repeatable({ call })
    return { platform, ask: (raw: string) => ask({ raw }), first: await ask({ raw: first }) }
  }
  /** A profile that refuses unknown fields refuses this request, so no response is stored. */
  const isTaken = ([, body]: readonly [string, string, string]) =>
    requestRules.unknownFields === 'ignore' || !body.includes('"x"')

  test.for(same.filter(isTaken))('%s is the same', async ([, body, again]) => {
    const { platform, ask, first } = await open(body)
    expectFresh(first, 201)
    await expectReplay(platform, first, () => ask(again))
  })

  test.for(different.filter(isTaken))('%s is different', async ([, body, again]) => {
    const { platform, ask, first } = await open(body)
    expectFresh(first, 201)
    await expectReused(platform, () => ask(again))
    await expectReplay(platform, first, () => ask(body))
  })

  test('an absent body equals an empty object', async () => {
    const call = 'POST /v1/checkouts/{checkout}/cancel'
    const { platform, ask } = await repeatable({ given: ['a checkout'], call })
    const first = await ask()
    await expectReplay(platform, first, () => ask({ raw: '{}' }))
    await expectReplay(platform, first, () => ask({ raw: ' { } ' }))
  })
})

describe('a key stores each response of the operation itself', () => {
  /** Refused, though the same request would succeed a moment later. */
  const refund = 'POST /v1/checkouts/{checkout}/refunds'
  const authorize = 'POST /v1/authorizations'
  const capture = 'POST /v1/authorizations/{authorization}/capture'
  const otherCustomer = { amount: 10, customerId: '{other}', externalId: 'biz-{run}' }
  const ten = { amount: 10 }
  type Kept = [name: string, given: Given[], call: string, json: object, meanwhile: Given[]]
  const kept: readonly Kept[] = [
    [
      '404: the customer is created afterwards',
      [],
      authorize,
      { ...ten, externalId: 'biz-{run}' },
      ['a customer'],
    ],
    ['409: the checkout is confirmed afterwards', ['a card checkout'], refund, ten, ['it is confirmed']],
    ['409, with the existing id', ['a customer'], 'POST /v1/customers', { externalId: 'biz-{run}' }, []],
    ['403', ['a bank checkout', 'it is confirmed'], refund, ten, []],
    [
      '400 for an amount that is too large',
      ['a customer', 'an authorization'],
      capture,
      { amount: 1000.01 },
      ['it is captured'],
    ],
    [
      '400 for two names of different customers',
      ['a customer', 'another customer'],
      authorize,
      otherCustomer,
      [],
    ],
  ]
  test.for(kept)('%s', async ([name, given, call, json, meanwhile]) => {
    const { platform, names, ask } = await repeatable({ given, call, json })
    const status = Number.parseInt(name, 10)
    const first = await ask()
    expectFresh(first, status)
    for (const step of meanwhile) await proceed(platform, names, step)
    if (contract.keptRefusals.has(status)) await expectReplay(platform, first, ask)
    else expect((await ask()).headers.get('idempotent-replayed')).toBeNull()
  })

  test('200: the state at that time, not the current state', async () => {
    const call = 'POST /v1/checkouts/{checkout}/confirm'
    const { platform, names, ask: confirm } = await repeatable({ given: ['a checkout'], call })
    const first = await confirm()
    await platform.send(request({ call: refund, json: ten }, names))
    expect(first.body).toMatchObject({ amountRefunded: 0 })
    await expectReplay(platform, first, confirm)
  })

  test.skipIf(isRemote)('201: the replay of a refund is still pending', async () => {
    const given: Given[] = ['a checkout', 'it is confirmed']
    const { platform, ask } = await repeatable({ given, call: refund, json: ten })
    const first = await ask()
    await platform.tester.advance(60_000)
    const { id } = first.body as { id: string }
    const { body } = await platform.send({ call: `GET /v1/refunds/${id}` })
    expect(body).toMatchObject({ status: 'completed' })
    expect(first.body).toMatchObject({ status: 'pending' })
    await expectReplay(platform, first, ask)
  })
})

describe('a key does not store a refusal before the operation', () => {
  const good = { body: '{"externalId":"b-{run}"}', headers: {} }
  type Refused = [string, number, { call?: string; body?: string; headers?: Record<string, string> }]
  const mediaType: Refused = ['a wrong media type', 415, { headers: { 'content-type': 'text/plain' } }]
  const refused: readonly Refused[] = [
    ['an invalid API key', 401, { headers: { 'x-api-key': 'no' } }],
    ['an unknown path', 404, { call: 'POST /v1/customer' }],
    ['a wrong method', 405, { call: 'PUT /v1/customers' }],
    ['a body that is too large', 413, { body: ' '.repeat(102_401) }],
    ...(requestRules.mediaType === 'strict' ? [mediaType] : []),
    ['malformed JSON', 400, { body: '{' }],
    ['a missing field', 400, { body: '{}' }],
    ['an invalid field', 400, { body: '{"externalId":7}' }],
  ]
  test.for(refused)('%s', async ([, status, wrong]) => {
    const platform = openPlatform()
    const ask = ({
      call = 'POST /v1/customers',
      body = good.body,
      headers = {},
    }: (typeof refused)[number][2]) =>
      platform.send({
        call,
        body: body.replace('{run}', platform.run),
        headers: { ...key(platform), ...headers },
      })
    expectFresh(await ask(wrong), status)
    expectFresh(await ask(wrong), status)
    const first = await ask(good)
    expectFresh(first, 201)
    await expectReplay(platform, first, () => ask(good))
  })

  test.skipIf(isRemote)('too many requests, which keep an earlier stored response', async () => {
    const platform = openPlatform({ rateLimit: 1 })
    const create = () =>
      platform.send({ call: 'POST /v1/customers', headers: key(platform), body: '{"externalId":"b"}' })
    const first = await create()
    expectFresh(await create(), 429)
    await platform.tester.advance(contract.rateWindowMs)
    await expectReplay(platform, first, create)
  })
})

describe.skipIf(isRemote)('the lifetime of a key', () => {
  const create = (platform: Platform) =>
    platform.send({ call: 'POST /v1/checkouts', headers: key(platform), body: ORDER_TEXT })

  test('a replay works until the last millisecond', async () => {
    const platform = openPlatform()
    const first = await create(platform)
    await platform.tester.advance(KEPT_MS - 1)
    await expectReplay(platform, first, () => create(platform))
  })

  test('the key is free afterwards', async () => {
    const platform = openPlatform()
    const first = await create(platform)
    await platform.tester.advance(KEPT_MS)
    const second = await create(platform)
    expectFresh(second, 201)
    expect(second.text).not.toBe(first.text)
    await expectReplay(platform, second, () => create(platform))
  })

  test('the first use starts it, and a replay does not prolong it', async () => {
    const platform = openPlatform()
    await create(platform)
    await platform.tester.advance(KEPT_MS / 2)
    await create(platform)
    await platform.tester.advance(KEPT_MS / 2)
    expectFresh(await create(platform), 201)
  })

  test('the key is free afterwards even if the clock was moved back in between', async () => {
    const platform = openPlatform()
    const { control } = platform.tester
    await platform.tester.advance(2 * KEPT_MS)
    await platform.send({
      call: 'POST /v1/checkouts',
      headers: { 'idempotency-key': 'later' },
      body: ORDER_TEXT,
    })
    control.reset({ what: ['clock'] })
    await create(platform)
    await platform.tester.advance(KEPT_MS)
    const again = await create(platform)
    expectFresh(again, 201)
    await expectReplay(platform, again, () => create(platform))
  })
})

describe('parallel requests with one key', () => {
  test('one runs, and each caller gets its own response', async () => {
    const { platform, names, ask } = await repeatable({
      given: ['a checkout', 'it is confirmed'],
      call: 'POST /v1/checkouts/{checkout}/refunds',
      json: { amount: 10 },
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
    const granted = answers.filter(({ status }) => status === 201)
    const others = answers.filter(({ status }) => status !== 201)
    expect(granted.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
    expect(new Set(granted.map(({ text }) => text)).size).toBe(1)
    for (const { status, body } of others) {
      expect({ status, body }).toEqual({
        status: 409,
        body: { error: 'Conflict', message: 'A request with this Idempotency-Key is already in progress' },
      })
    }
    const { body } = await platform.send(request({ call: 'GET /v1/checkouts/{checkout}/refunds' }, names))
    expect((body as { data: unknown[] }).data).toHaveLength(1)
  })
})

describe.skipIf(isRemote)('while a key is in flight', () => {
  const inFlight = {
    status: 409,
    text: '{"error":"Conflict","message":"A request with this Idempotency-Key is already in progress"}',
  }
  const create = (platform: Platform, headers: Record<string, string> = {}, externalId = 'b') =>
    platform.send({
      call: 'POST /v1/customers',
      headers: { ...key(platform), ...headers },
      body: JSON.stringify({ externalId }),
    })

  const open = async () => {
    const platform = openPlatform()
    const first = create(platform, { 'x-sim': 'delay=2s' })
    await platform.tester.held(1)
    return { platform, first }
  }

  test('the same request gets a 409, and later the replay', async () => {
    const { platform, first } = await open()
    const early = await create(platform)
    expect(early).toMatchObject(inFlight)
    expect(early.headers.get('retry-after')).toBe('1')
    expect(platform.tester.events()).toEqual([])

    await platform.tester.advance(2_000)
    expectFresh(await first, 201)
    expect(platform.tester.events()).toEqual(['customer.created'])
    await expectReplay(platform, await first, () => create(platform))
  })

  test('a request with another body gets the same 409, and later a 422', async () => {
    const { platform, first } = await open()
    expect(await create(platform, {}, 'c')).toMatchObject(inFlight)
    await platform.tester.advance(2_000)
    await first
    await expectReused(platform, () => create(platform, {}, 'c'))
  })

  test('a request with another key runs, and so does a request without a key', async () => {
    const { platform, first } = await open()
    expectFresh(await create(platform, key(platform, 'other'), 'c'), 201)
    expectFresh(await platform.send({ call: 'POST /v1/customers', body: '{"externalId":"d"}' }), 201)
    await platform.tester.advance(2_000)
    expectFresh(await first, 201)
  })

  test('a request to another endpoint with the same key runs', async () => {
    const { platform, first } = await open()
    const elsewhere = { call: 'POST /v1/checkouts', headers: key(platform), body: ORDER_TEXT }
    expectFresh(await platform.send(elsewhere), 201)
    await platform.tester.advance(2_000)
    expectFresh(await first, 201)
  })
})
