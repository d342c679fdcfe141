import { describe } from 'vitest'
import { type Case, play } from './case.ts'

const CREATED = {
  id: /^auth_[0-9A-Za-z]{24}$/,
  customerId: '{customer}',
  externalId: 'biz-{run}',
  orderId: null,
  amount: 1000,
  currency: 'USD',
  status: 'authorized',
  paymentMethodId: /^pm_[0-9A-Za-z]{24}$/,
  paymentMethodType: 'card',
  amountCaptured: 0,
  amountRefunded: 0,
  capturedAt: null,
  voidedAt: null,
}

const unknown = { status: 404, body: { error: 'Not Found', message: 'Authorization not found' } }
const refused = (message: string) => ({ status: 409, body: { error: 'Conflict', message } })

describe('creating', () => {
  const call = 'POST /v1/authorizations'
  const created = { call, status: 201 }
  const withTestCard = { events: ['payment_method.attached', 'authorization.created'] }

  play([
    {
      ...created,
      ...withTestCard,
      name: 'holds money of a customer named by external ID, on the test card',
      given: ['a customer'],
      json: { amount: 1000, externalId: 'biz-{run}' },
      body: CREATED,
      answerHeaders: { location: /^\/v1\/authorizations\/auth_[0-9A-Za-z]{24}$/ },
    },
    {
      ...created,
      ...withTestCard,
      name: 'holds money of a customer named by id',
      given: ['a customer'],
      json: { amount: 1000, customerId: '{customer}' },
      body: CREATED,
    },
    {
      ...created,
      ...withTestCard,
      name: 'takes both names where they mean the same customer',
      given: ['a customer'],
      json: { amount: 1000, customerId: '{customer}', externalId: 'biz-{run}' },
      body: CREATED,
    },
    {
      ...created,
      ...withTestCard,
      name: 'keeps the orderId, and takes null for a method as none',
      given: ['a customer', 'a minute later'],
      json: { amount: 0.01, externalId: 'biz-{run}', orderId: ' o 1 ', paymentMethodId: null },
      body: { ...CREATED, amount: 0.01, orderId: ' o 1 ', createdAt: '{now}', updatedAt: '{now}' },
    },
    {
      ...created,
      name: "uses the customer's newest card, and makes none",
      given: ['a customer', 'an authorization'],
      json: { amount: 5, externalId: 'biz-{run}' },
      body: { ...CREATED, amount: 5, paymentMethodId: '{method}' },
      events: ['authorization.created'],
    },
    {
      ...created,
      name: 'uses the method that the body names',
      given: ['a bank checkout', 'it is confirmed'],
      json: { amount: 5, externalId: 'biz-{run}', paymentMethodId: '{method}' },
      body: { amount: 5, paymentMethodId: '{method}', paymentMethodType: 'bank_account' },
      events: ['authorization.created'],
    },
    {
      ...created,
      ...withTestCard,
      name: 'does not hold money on a bank account that the request does not name',
      given: ['a bank checkout', 'it is confirmed'],
      json: { amount: 5, externalId: 'biz-{run}' },
      body: { paymentMethodType: 'card' },
    },
    {
      name: 'needs a customer that exists: no buyer is there to create one',
      call,
      json: { amount: 1000, externalId: 'nobody-{run}' },
      status: 404,
      body: { error: 'Not Found', message: 'Customer not found' },
    },
    {
      name: 'needs a customer id that exists',
      given: ['a customer'],
      call,
      json: { amount: 1000, customerId: 'cus_nobody', externalId: 'biz-{run}' },
      status: 404,
      body: { error: 'Not Found', message: 'Customer not found' },
    },
    {
      name: 'refuses two names that mean different customers',
      given: ['a customer', 'another customer'],
      call,
      json: { amount: 1000, customerId: '{other}', externalId: 'biz-{run}' },
      status: 400,
      body: { error: 'Bad Request', message: 'Invalid field: externalId must belong to the customerId' },
    },
    {
      name: 'refuses an unknown method',
      given: ['a customer'],
      call,
      json: { amount: 1000, externalId: 'biz-{run}', paymentMethodId: 'pm_nobody' },
      status: 404,
      body: { error: 'Not Found', message: 'Payment method not found' },
    },
    {
      name: "refuses another customer's method as unknown",
      given: ['a customer', 'another customer', 'an authorization of the other customer'],
      call,
      json: { amount: 1000, externalId: 'biz-{run}', paymentMethodId: '{othersMethod}' },
      status: 404,
      body: { error: 'Not Found', message: 'Payment method not found' },
    },
    {
      ...refused('Payment method is detached'),
      name: 'refuses a detached method',
      given: ['a customer', 'an authorization', 'the method is detached'],
      call,
      json: { amount: 1000, externalId: 'biz-{run}', paymentMethodId: '{method}' },
    },
    ...(
      [
        [{}, 'Missing required field: amount'],
        [{ amount: 1000 }, 'Missing required field: customerId or externalId'],
        [
          { amount: 1000, customerId: null, externalId: null },
          'Missing required field: customerId or externalId',
        ],
        [{ externalId: 'biz-{run}' }, 'Missing required field: amount'],
        [
          { amount: 1000, customerId: 7 },
          'Invalid field: customerId must be a string of 1 to 255 characters',
        ],
        [
          { amount: 1000, externalId: '' },
          'Invalid field: externalId must be a string of 1 to 255 characters',
        ],
        [
          { amount: 1000, externalId: 'biz-{run}', orderId: {} },
          'Invalid field: orderId must be a string of 1 to 255 characters',
        ],
        [
          { amount: 1000, externalId: 'biz-{run}', paymentMethodId: [] },
          'Invalid field: paymentMethodId must be a string of 1 to 255 characters',
        ],
      ] as const
    ).map(
      ([json, message]): Case => ({
        name: `${JSON.stringify(json)}: ${message}`,
        given: ['a customer'],
        call,
        json,
        status: 400,
        body: { error: 'Bad Request', message },
        absent: ['location'],
      }),
    ),
  ])
})

describe('capturing', () => {
  const call = 'POST /v1/authorizations/{authorization}/capture'
  const given = ['a customer', 'an authorization'] as const
  play([
    {
      name: 'takes all of it where no amount is named',
      given: [...given, 'a minute later'],
      call,
      status: 200,
      body: {
        ...CREATED,
        id: '{authorization}',
        paymentMethodId: '{method}',
        status: 'captured',
        amountCaptured: 1000,
        createdAt: '{start}',
        updatedAt: '{now}',
        capturedAt: '{now}',
      },
      events: ['authorization.captured'],
      writes: ['capture 1000.00'],
      absent: ['location'],
    },
    {
      name: 'takes all of it where the amount is null',
      given,
      call,
      json: { amount: null },
      status: 200,
      body: { amountCaptured: 1000 },
      events: ['authorization.captured'],
      writes: ['capture 1000.00'],
    },
    {
      name: 'takes a part, and releases the rest at once',
      given,
      call,
      json: { amount: 600.5 },
      status: 200,
      body: { status: 'captured', amount: 1000, amountCaptured: 600.5, amountRefunded: 0 },
      text: '"amountCaptured":600.50,',
      events: ['authorization.captured'],
      writes: ['capture 600.50'],
    },
    {
      name: 'takes exactly what was authorized',
      given,
      call,
      json: { amount: 1000 },
      status: 200,
      body: { amountCaptured: 1000 },
      events: ['authorization.captured'],
      writes: ['capture 1000.00'],
    },
    {
      name: 'takes no cent more',
      given,
      call,
      json: { amount: 1000.01 },
      status: 400,
      body: { error: 'Bad Request', message: 'Amount exceeds the authorized amount' },
    },
    {
      name: 'takes no part of a cent',
      given,
      call,
      json: { amount: 1.001 },
      status: 400,
      body: { message: 'Invalid field: amount must be a positive number with at most two decimals' },
    },
    {
      ...refused('Authorization is already captured'),
      name: 'happens once: what a part left is gone',
      given: [...given, '600.00 of it are captured'],
      call,
      json: { amount: 400 },
    },
    {
      ...refused('Authorization is already voided'),
      name: 'does not follow a void',
      given: [...given, 'it is voided'],
      call,
    },
    {
      ...unknown,
      name: 'answers 404 for an authorization that was never created',
      call: 'POST /v1/authorizations/auth_nobody/capture',
    },
  ])
})

describe('voiding', () => {
  const call = 'POST /v1/authorizations/{authorization}/void'
  const given = ['a customer', 'an authorization'] as const
  play([
    {
      name: 'releases the money',
      given: [...given, 'a minute later'],
      call,
      status: 200,
      body: {
        ...CREATED,
        id: '{authorization}',
        status: 'voided',
        createdAt: '{start}',
        updatedAt: '{now}',
        voidedAt: '{now}',
      },
      events: ['authorization.voided'],
      absent: ['location'],
    },
    {
      ...refused('Authorization is already voided'),
      name: 'does not happen twice',
      given: [...given, 'it is voided'],
      call,
    },
    {
      ...refused('Authorization is already captured'),
      name: 'does not follow a capture',
      given: [...given, 'it is captured'],
      call,
    },
    {
      ...unknown,
      name: 'answers 404 for an authorization that was never created',
      call: 'POST /v1/authorizations/auth_nobody/void',
    },
  ])
})

describe('reading', () => {
  play([
    {
      name: 'one',
      given: ['a customer', 'an authorization'],
      call: 'GET /v1/authorizations/{authorization}',
      status: 200,
      body: { ...CREATED, id: '{authorization}' },
    },
    {
      name: 'one whose method was detached since: it keeps it',
      given: ['a customer', 'an authorization', 'the method is detached'],
      call: 'GET /v1/authorizations/{authorization}',
      status: 200,
      body: { ...CREATED, id: '{authorization}', paymentMethodId: '{method}' },
    },
    { ...unknown, name: 'one that was never created', call: 'GET /v1/authorizations/auth_nobody' },
    ...[
      ['status=authorized', []],
      ['status=captured', ['{authorization}']],
      ['status=voided', []],
      ['orderId=nothing', []],
    ].map(
      ([query, ids]): Case => ({
        name: `those with ${query}`,
        given: ['a customer', 'an authorization', 'it is captured'],
        call: `GET /v1/authorizations?customerId={customer}&${query}`,
        status: 200,
        body: { data: (ids as string[]).map((id) => ({ id })), hasMore: false, nextCursor: null },
      }),
    ),
    {
      name: 'those with a state that is none',
      call: 'GET /v1/authorizations?status=confirmed',
      status: 400,
      body: { message: 'Invalid query parameter: status must be one of authorized, captured, voided' },
    },
  ])
})
