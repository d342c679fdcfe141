import { describe, expect, test } from 'vitest'
import { filtered, invalidBodies, play, prepare, refusals, shown } from './case.ts'
import type { Given } from './given.ts'
import { contract, inOwnEvent, isRemote, openPlatform, START } from './platform.ts'

/** When a refund created at START completes. */
const DUE_AT = new Date(Date.parse(START) + contract.delays.refundDelay).toISOString()

const CREATED = {
  id: /^ref_[0-9A-Za-z]{24}$/,
  amount: 250,
  currency: 'USD',
  status: 'pending',
  completedAt: null,
}
const ofCheckout = { checkoutId: '{checkout}', authorizationId: null }
const ofAuthorization = { checkoutId: null, authorizationId: '{authorization}' }

const started = (amount: number) => ({
  status: 201,
  events: ['refund.created'],
  writes: [`refund ${amount.toFixed(2)}`, 'later refund.complete'],
  answerHeaders: { location: /^\/v1\/refunds\/ref_[0-9A-Za-z]{24}$/ },
})

interface Way {
  name: string
  call: string
  target: object
  record: object
  given: readonly Given[]
}

const WAYS: readonly Way[] = [
  {
    name: 'a checkout in the path',
    call: 'POST /v1/checkouts/{checkout}/refunds',
    target: {},
    record: ofCheckout,
    given: ['a checkout', 'it is confirmed'],
  },
  {
    name: 'a checkout in the body',
    call: 'POST /v1/refunds',
    target: { checkoutId: '{checkout}' },
    record: ofCheckout,
    given: ['a checkout', 'it is confirmed'],
  },
  {
    name: 'an authorization',
    call: 'POST /v1/refunds',
    target: { authorizationId: '{authorization}' },
    record: ofAuthorization,
    given: ['a customer', 'an authorization', 'it is captured'],
  },
]

describe('a refund', () => {
  const call = 'POST /v1/refunds'
  const made = ['a customer', 'an authorization'] as const
  const ten = { authorizationId: '{authorization}', amount: 10 }

  play([
    ...WAYS.map(({ name, call, target, record, given }) => ({
      ...started(250),
      call,
      json: { ...target, amount: 250 },
      name: `of ${name} is pending, and has every field`,
      given: [...given, 'a minute later'] as const,
      body: { ...CREATED, ...record, createdAt: '{now}', updatedAt: '{now}' },
      text: '"amount":250.00,',
    })),
    // precedence.test.ts has the refusals of a checkout.
    ...refusals(call, [
      ['needs money that was taken', made, '409 Authorization is authorized, not captured', ten],
      ['of nothing', [...made, 'it is voided'], '409 Authorization is voided, not captured', ten],
    ]),
    ...invalidBodies(
      call,
      [...made, 'it is captured'],
      [0, -1, 10.005, '250.00', null].map((amount) => [
        { ...ten, amount },
        'Invalid field: amount must be a positive number with at most two decimals',
      ]),
    ),
  ])
})

describe('several refunds', () => {
  const given = ['a checkout', 'it is confirmed', 'a refund of 250.00'] as const
  const call = 'POST /v1/checkouts/{checkout}/refunds'
  play([
    {
      ...started(750),
      name: 'can add up to the charged amount, including pending refunds',
      given,
      call,
      json: { amount: 750 },
      body: { ...ofCheckout, amount: 750 },
    },
    {
      ...started(600),
      name: 'can add up to the captured amount',
      given: ['a customer', 'an authorization', '600.00 of it are captured'],
      call: 'POST /v1/refunds',
      json: { authorizationId: '{authorization}', amount: 600 },
      body: { ...ofAuthorization, amount: 600 },
    },
    {
      name: 'show on the checkout, which stays confirmed',
      given: [...given, 'a refund of 750.00'],
      call: 'GET /v1/checkouts/{checkout}',
      status: 200,
      body: { status: 'confirmed', amount: 1000, amountRefunded: 1000 },
    },
    {
      name: 'show on the authorization, which stays captured',
      given: ['a customer', 'an authorization', 'it is captured', 'a refund of all of it'],
      call: 'GET /v1/authorizations/{authorization}',
      status: 200,
      body: { status: 'captured', amountCaptured: 1000, amountRefunded: 1000 },
    },
    ...refusals(call, [
      ['together give no cent more', given, '400 Amount exceeds the refundable amount', { amount: 750.01 }],
      [
        'count when they are complete as well',
        [...given, 'a minute later'],
        '400 Amount exceeds the refundable amount',
        { amount: 750.01 },
      ],
    ]),
    ...refusals('POST /v1/refunds', [
      [
        'are counted across both endpoints',
        given,
        '400 Amount exceeds the refundable amount',
        { checkoutId: '{checkout}', amount: 750.01 },
      ],
      [
        'are refused when nothing of an authorization is left',
        ['a customer', 'an authorization', 'it is captured', 'a refund of all of it'],
        '409 Authorization is already fully refunded',
        { authorizationId: '{authorization}', amount: 0.01 },
      ],
      [
        'are limited by the captured amount, not the authorized amount',
        ['a customer', 'an authorization', '600.00 of it are captured'],
        '400 Amount exceeds the refundable amount',
        { authorizationId: '{authorization}', amount: 600.01 },
      ],
    ]),
  ])
})

describe('cards only', () => {
  const given = ['a bank checkout', 'it is confirmed'] as const
  const byBank = ['a checkout', 'a buyer approves it with a bank account', 'it is confirmed'] as const
  const amount = 10
  const refusal = '403 Platform keys can only refund card checkouts'
  play([
    ...refusals('POST /v1/checkouts/{checkout}/refunds', [
      ['a checkout that a buyer approved with a bank account', byBank, refusal, { amount }],
    ]),
    ...refusals('POST /v1/refunds', [
      [
        'an authorization on a bank account',
        [...given, 'an authorization on the bank account', 'it is captured'],
        '403 Platform keys can only refund card authorizations',
        { authorizationId: '{authorization}', amount },
      ],
    ]),
  ])
})

describe('the target in the body', () => {
  const call = 'POST /v1/refunds'
  const given = ['a checkout', 'it is confirmed', 'an authorization', 'it is captured'] as const
  play([
    {
      ...started(10),
      name: 'may be null next to the other target',
      given,
      call,
      json: { amount: 10, checkoutId: null, authorizationId: '{authorization}' },
      body: { ...ofAuthorization, amount: 10 },
    },
    ...refusals(call, [
      [
        'must be an existing authorization',
        given,
        '404 Authorization not found',
        { amount: 10, authorizationId: '{checkout}' },
      ],
      [
        'is a string',
        [],
        '400 Invalid field: checkoutId must be a string of 1 to 255 characters',
        { amount: 10, checkoutId: 7 },
      ],
    ]),
  ])
})

describe('reading', () => {
  const given = ['a checkout', 'it is confirmed', 'a refund of 250.00'] as const
  const call = 'GET /v1/refunds/{refund}'
  play([
    {
      name: 'a pending refund',
      given: [...given, 'a second later'],
      call,
      status: 200,
      body: { ...CREATED, ...ofCheckout, id: '{refund}', createdAt: '{start}', updatedAt: '{start}' },
    },
    {
      name: 'a refund that completed on its own, with its due time',
      given: [...given, 'a minute later'],
      call,
      status: 200,
      body: {
        ...CREATED,
        ...ofCheckout,
        id: '{refund}',
        status: 'completed',
        createdAt: '{start}',
        updatedAt: DUE_AT,
        completedAt: DUE_AT,
      },
    },
    {
      name: 'a refund with the delay of the sandbox',
      given: [...given, 'a second later'],
      options: { refundDelay: '1s' },
      call,
      status: 200,
      body: { status: 'completed', completedAt: '{now}' },
    },
    {
      name: "a checkout's, newest first",
      given: [...given, 'a refund of 750.00'],
      call: 'GET /v1/checkouts/{checkout}/refunds',
      status: 200,
      body: { data: [{ id: '{refund}', amount: 750 }, { amount: 250 }], hasMore: false, nextCursor: null },
    },
    {
      name: "a checkout's, where there are none",
      given: ['a checkout'],
      call: 'GET /v1/checkouts/{checkout}/refunds',
      status: 200,
      body: { data: [], hasMore: false, nextCursor: null },
    },
    ...filtered('GET /v1/refunds?', given, [
      ['checkoutId={checkout}', ['{refund}']],
      ['checkoutId={checkout}&status=pending', ['{refund}']],
      ['checkoutId={checkout}&status=completed', []],
      ['checkoutId=chk_nobody', []],
      ['authorizationId={checkout}', []],
    ]),
    {
      name: 'refunds of an authorization',
      given: ['a customer', 'an authorization', 'it is captured', 'a refund of all of it'],
      call: 'GET /v1/refunds?authorizationId={authorization}',
      status: 200,
      body: { data: [{ ...ofAuthorization, id: '{refund}', amount: 1000 }] },
    },
  ])
})

test.skipIf(isRemote)(
  'a refund that was due while the server was down completes with its due time',
  async () => {
    const platform = openPlatform()
    const { simulator, control } = platform.tester
    const { refund } = await prepare(platform, ['a checkout', 'it is confirmed', 'a refund of 250.00'])
    const later = simulator.sandbox('later', { from: control, clock: 'frozen@2026-02-01T00:00:00Z' })
    await later.settle()
    const { body } = await platform.send({
      call: `GET /v1/refunds/${refund}`,
      headers: { 'x-api-key': later.apiKey },
    })
    expect(body).toMatchObject({ status: 'completed', completedAt: DUE_AT })
    const completed = { timestamp: DUE_AT, type: 'refund.completed' }
    const events = later.events({ type: 'refund.completed' }).map(inOwnEvent)
    expect(events).toMatchObject(shown([completed], 'event') as object[])
  },
)
