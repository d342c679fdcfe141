import { describe, expect, test } from 'vitest'
import { type Case, play, prepare, shown } from './case.ts'
import type { Given } from './given.ts'
import { contract, inOwnEvent, isRemote, openPlatform, START } from './platform.ts'

/** When a refund completes that is made at START. */
const DUE_AT = new Date(Date.parse(START) + contract.delays['refund.complete']).toISOString()

const CREATED = {
  id: /^ref_[0-9A-Za-z]{24}$/,
  amount: 250,
  currency: 'USD',
  status: 'pending',
  completedAt: null,
}
const ofCheckout = { checkoutId: '{checkout}', authorizationId: null }
const ofAuthorization = { checkoutId: null, authorizationId: '{authorization}' }

const started = {
  status: 201,
  events: ['refund.created'],
  answerHeaders: { location: /^\/v1\/refunds\/ref_[0-9A-Za-z]{24}$/ },
}

/** The same rules, reached by three ways: what is refunded, and how it comes to be charged. */
interface Way {
  name: string
  call: string
  target: object
  record: object
  resource: 'Checkout' | 'Authorization'
  made: readonly Given[]
  charge: Given
  charged: string
  notCharged: string
  ended: Given
  endedAs: string
}

const checkoutWay = {
  record: ofCheckout,
  resource: 'Checkout',
  made: ['a checkout'],
  charge: 'it is confirmed',
  charged: 'confirmed',
  notCharged: 'pending',
  ended: 'it is canceled',
  endedAs: 'canceled',
} as const

const WAYS: readonly Way[] = [
  {
    ...checkoutWay,
    name: 'a checkout, named in the path',
    call: 'POST /v1/checkouts/{checkout}/refunds',
    target: {},
  },
  {
    ...checkoutWay,
    name: 'a checkout, named in the body',
    call: 'POST /v1/refunds',
    target: { checkoutId: '{checkout}' },
  },
  {
    name: 'an authorization',
    call: 'POST /v1/refunds',
    target: { authorizationId: '{authorization}' },
    record: ofAuthorization,
    resource: 'Authorization',
    made: ['a customer', 'an authorization'],
    charge: 'it is captured',
    charged: 'captured',
    notCharged: 'authorized',
    ended: 'it is voided',
    endedAs: 'voided',
  },
]

describe.each(WAYS)('refunding $name', (way) => {
  const { call, target, record, resource, made, charge, charged, notCharged, ended, endedAs } = way
  const given: readonly Given[] = [...made, charge]
  const ask = (amount: unknown) => ({ call, json: { ...target, amount } })
  const refused = (status: number, error: string, message: string) => ({
    status,
    body: { error, message },
    absent: ['location', 'existingResourceId'],
  })

  play([
    {
      ...started,
      ...ask(250),
      name: 'starts a refund, pending, with every field',
      given: [...given, 'a minute later'],
      body: { ...CREATED, ...record, createdAt: '{now}', updatedAt: '{now}' },
      text: '"amount":250.00,',
      writes: ['refund 250.00', 'later refund.complete'],
    },
    {
      ...started,
      ...ask(1000),
      name: 'gives all of it back at once',
      given,
      body: { ...CREATED, ...record, amount: 1000 },
      writes: ['refund 1000.00', 'later refund.complete'],
    },
    {
      ...ask(1000.01),
      ...refused(400, 'Bad Request', 'Amount exceeds the refundable amount'),
      name: 'gives no cent more',
      given,
    },
    {
      ...ask(10),
      ...refused(409, 'Conflict', `${resource} is ${notCharged}, not ${charged}`),
      name: 'needs money that was taken',
      given: made,
    },
    {
      ...ask(10),
      ...refused(409, 'Conflict', `${resource} is ${endedAs}, not ${charged}`),
      name: 'does not give back what was never taken',
      given: [...made, ended],
    },
    {
      call,
      json: target,
      name: 'needs an amount',
      given,
      ...refused(400, 'Bad Request', 'Missing required field: amount'),
    },
    ...[0, -1, 10.005, '250.00', null].map(
      (amount): Case => ({
        ...ask(amount),
        ...refused(
          400,
          'Bad Request',
          'Invalid field: amount must be a positive number with at most two decimals',
        ),
        name: `does not take ${JSON.stringify(amount)} for an amount`,
        given,
      }),
    ),
  ])
})

describe('several refunds', () => {
  const given = ['a checkout', 'it is confirmed', 'a refund of 250.00'] as const
  const call = 'POST /v1/checkouts/{checkout}/refunds'
  play([
    {
      ...started,
      name: 'may follow each other up to what was charged, pending ones counted',
      given,
      call,
      json: { amount: 750 },
      body: { ...ofCheckout, amount: 750 },
      writes: ['refund 750.00', 'later refund.complete'],
    },
    {
      name: 'together give no cent more',
      given,
      call,
      json: { amount: 750.01 },
      status: 400,
      body: { message: 'Amount exceeds the refundable amount' },
    },
    {
      name: 'are counted over both endpoints',
      given,
      call: 'POST /v1/refunds',
      json: { checkoutId: '{checkout}', amount: 750.01 },
      status: 400,
      body: { message: 'Amount exceeds the refundable amount' },
    },
    {
      name: 'count when they are complete as well',
      given: [...given, 'a minute later'],
      call,
      json: { amount: 750.01 },
      status: 400,
      body: { message: 'Amount exceeds the refundable amount' },
    },
    {
      name: 'end when nothing is left',
      given: [...given, 'a refund of 750.00'],
      call,
      json: { amount: 0.01 },
      status: 409,
      body: { error: 'Conflict', message: 'Checkout is already fully refunded' },
    },
    {
      name: 'end when nothing is left of an authorization',
      given: ['a customer', 'an authorization', 'it is captured', 'a refund of all of it'],
      call: 'POST /v1/refunds',
      json: { authorizationId: '{authorization}', amount: 0.01 },
      status: 409,
      body: { error: 'Conflict', message: 'Authorization is already fully refunded' },
    },
    {
      name: 'are bound by what was captured, not by what was authorized',
      given: ['a customer', 'an authorization', '600.00 of it are captured'],
      call: 'POST /v1/refunds',
      json: { authorizationId: '{authorization}', amount: 600.01 },
      status: 400,
      body: { message: 'Amount exceeds the refundable amount' },
    },
    {
      ...started,
      name: 'may take all that was captured',
      given: ['a customer', 'an authorization', '600.00 of it are captured'],
      call: 'POST /v1/refunds',
      json: { authorizationId: '{authorization}', amount: 600 },
      body: { ...ofAuthorization, amount: 600 },
      writes: ['refund 600.00', 'later refund.complete'],
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
  ])
})

describe('cards only', () => {
  const checkouts = {
    status: 403,
    body: { error: 'Forbidden', message: 'Platform keys can only refund card checkouts' },
  }
  const given = ['a bank checkout', 'it is confirmed'] as const
  play([
    {
      ...checkouts,
      name: 'a bank checkout, named in the path',
      given,
      call: 'POST /v1/checkouts/{checkout}/refunds',
      json: { amount: 10 },
    },
    {
      ...checkouts,
      name: 'a bank checkout, named in the body',
      given,
      call: 'POST /v1/refunds',
      json: { checkoutId: '{checkout}', amount: 10 },
    },
    {
      ...checkouts,
      name: 'a checkout that a buyer approved with a bank account',
      given: ['a checkout', 'a buyer approves it with a bank account', 'it is confirmed'],
      call: 'POST /v1/checkouts/{checkout}/refunds',
      json: { amount: 10 },
    },
    {
      name: 'an authorization on a bank account',
      given: [...given, 'an authorization on the bank account', 'it is captured'],
      call: 'POST /v1/refunds',
      json: { authorizationId: '{authorization}', amount: 10 },
      status: 403,
      body: { error: 'Forbidden', message: 'Platform keys can only refund card authorizations' },
    },
    {
      name: 'but a checkout whose method is not chosen yet is a question of state',
      given: ['a checkout'],
      call: 'POST /v1/checkouts/{checkout}/refunds',
      json: { amount: 10 },
      status: 409,
      body: { message: 'Checkout is pending, not confirmed' },
    },
  ])
})

describe('the target in the body', () => {
  const call = 'POST /v1/refunds'
  const given = ['a checkout', 'it is confirmed', 'an authorization', 'it is captured'] as const
  play([
    {
      name: 'is needed',
      call,
      json: { amount: 10 },
      status: 400,
      body: { message: 'Missing required field: checkoutId or authorizationId' },
    },
    {
      name: 'is one and not two',
      given,
      call,
      json: { amount: 10, checkoutId: '{checkout}', authorizationId: '{authorization}' },
      status: 400,
      body: { message: 'Invalid field: authorizationId cannot be combined with checkoutId' },
    },
    {
      ...started,
      name: 'may be null where the other one is meant',
      given,
      call,
      json: { amount: 10, checkoutId: null, authorizationId: '{authorization}' },
      body: { ...ofAuthorization, amount: 10 },
      writes: ['refund 10.00', 'later refund.complete'],
    },
    {
      name: 'is a checkout that exists',
      given,
      call,
      json: { amount: 10, checkoutId: '{authorization}' },
      status: 404,
      body: { error: 'Not Found', message: 'Checkout not found' },
    },
    {
      name: 'is an authorization that exists',
      given,
      call,
      json: { amount: 10, authorizationId: '{checkout}' },
      status: 404,
      body: { error: 'Not Found', message: 'Authorization not found' },
    },
    {
      name: 'is a checkout that exists, in the path too',
      call: 'POST /v1/checkouts/nobody/refunds',
      json: { amount: 10 },
      status: 404,
      body: { error: 'Not Found', message: 'Checkout not found' },
    },
    {
      name: 'is a string',
      call,
      json: { amount: 10, checkoutId: 7 },
      status: 400,
      body: { message: 'Invalid field: checkoutId must be a string of 1 to 255 characters' },
    },
  ])
})

describe('reading', () => {
  const given = ['a checkout', 'it is confirmed', 'a refund of 250.00'] as const
  const call = 'GET /v1/refunds/{refund}'
  play([
    {
      name: 'one that is pending',
      given: [...given, 'a second later'],
      call,
      status: 200,
      body: { ...CREATED, ...ofCheckout, id: '{refund}', createdAt: '{start}', updatedAt: '{start}' },
    },
    {
      name: 'one that completed by itself, at its own instant',
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
      name: 'one that completes when the sandbox says',
      given: [...given, 'a second later'],
      options: { refundDelay: '1s' },
      call,
      status: 200,
      body: { status: 'completed', completedAt: '{now}' },
    },
    {
      name: 'one that was never created',
      call: 'GET /v1/refunds/ref_nobody',
      status: 404,
      body: { error: 'Not Found', message: 'Refund not found' },
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
    {
      name: 'those of a checkout that was never created',
      call: 'GET /v1/checkouts/nobody/refunds',
      status: 404,
      body: { message: 'Checkout not found' },
    },
    ...[
      ['checkoutId={checkout}', ['{refund}']],
      ['checkoutId={checkout}&status=pending', ['{refund}']],
      ['checkoutId={checkout}&status=completed', []],
      ['checkoutId=chk_nobody', []],
      ['authorizationId={checkout}', []],
    ].map(
      ([query, ids]): Case => ({
        name: `those with ${query}`,
        given,
        call: `GET /v1/refunds?${query}`,
        status: 200,
        body: { data: (ids as string[]).map((id) => ({ id })), hasMore: false, nextCursor: null },
      }),
    ),
    {
      name: 'those of an authorization',
      given: ['a customer', 'an authorization', 'it is captured', 'a refund of all of it'],
      call: 'GET /v1/refunds?authorizationId={authorization}',
      status: 200,
      body: { data: [{ ...ofAuthorization, id: '{refund}', amount: 1000 }] },
    },
    {
      name: 'those with a state that is none',
      call: 'GET /v1/refunds?status=failed',
      status: 400,
      body: { message: 'Invalid query parameter: status must be one of pending, completed' },
    },
  ])
})

test.skipIf(isRemote)(
  'a refund that fell due while the server was down completes at its own instant',
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
