import { describe } from 'vitest'
import { filtered, invalidBodies, play, refusals } from './case.ts'

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

const TEXT = 'must be a string of 1 to 255 characters'

describe('creating', () => {
  const call = 'POST /v1/authorizations'
  const created = { call, status: 201 }
  const withTestCard = { events: ['payment_method.attached', 'authorization.created'] }

  play([
    {
      ...created,
      ...withTestCard,
      name: 'holds money on the test card of a customer given by external ID',
      given: ['a customer'],
      json: { amount: 1000, externalId: 'biz-{run}' },
      body: CREATED,
      answerHeaders: { location: /^\/v1\/authorizations\/auth_[0-9A-Za-z]{24}$/ },
    },
    {
      ...created,
      ...withTestCard,
      name: 'holds money of a customer given by id',
      given: ['a customer'],
      json: { amount: 1000, customerId: '{customer}' },
      body: CREATED,
    },
    {
      ...created,
      ...withTestCard,
      name: 'accepts both ids if they refer to the same customer',
      given: ['a customer'],
      json: { amount: 1000, customerId: '{customer}', externalId: 'biz-{run}' },
      body: CREATED,
    },
    {
      ...created,
      ...withTestCard,
      name: 'stores the orderId, and treats a null method as absent',
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
      name: 'uses the method in the body',
      given: ['a bank checkout', 'it is confirmed'],
      json: { amount: 5, externalId: 'biz-{run}', paymentMethodId: '{method}' },
      body: { amount: 5, paymentMethodId: '{method}', paymentMethodType: 'bank_account' },
      events: ['authorization.created'],
    },
    {
      ...created,
      ...withTestCard,
      name: 'uses a bank account only if the request names it',
      given: ['a bank checkout', 'it is confirmed'],
      json: { amount: 5, externalId: 'biz-{run}' },
      body: { paymentMethodType: 'card' },
    },
    ...invalidBodies(
      call,
      ['a customer'],
      [
        [{ amount: 1000 }, 'Missing required field: customerId or externalId'],
        [
          { amount: 1, customerId: null, externalId: null },
          'Missing required field: customerId or externalId',
        ],
        [{ amount: 1, customerId: 7 }, `Invalid field: customerId ${TEXT}`],
        [{ amount: 1, externalId: 'biz', paymentMethodId: [] }, `Invalid field: paymentMethodId ${TEXT}`],
      ],
    ),
    ...refusals(call, [
      [
        'needs an existing customer, because no buyer can create one',
        [],
        '404 Customer not found',
        { amount: 1000, externalId: 'nobody-{run}' },
      ],
      [
        "refuses another customer's method as unknown",
        ['a customer', 'another customer', 'an authorization of the other customer'],
        '404 Payment method not found',
        { amount: 1000, externalId: 'biz-{run}', paymentMethodId: '{othersMethod}' },
      ],
    ]),
  ])
})

describe('capturing', () => {
  const call = 'POST /v1/authorizations/{authorization}/capture'
  const given = ['a customer', 'an authorization'] as const
  play([
    {
      name: 'captures everything by default',
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
    ...[null, 1000].map((amount) => ({
      name: `captures everything with the amount ${amount}`,
      given,
      call,
      json: { amount },
      status: 200,
      body: { amountCaptured: 1000 },
      events: ['authorization.captured'],
      writes: ['capture 1000.00'],
    })),
    {
      name: 'captures a part, and releases the rest immediately',
      given,
      call,
      json: { amount: 600.5 },
      status: 200,
      body: { status: 'captured', amount: 1000, amountCaptured: 600.5, amountRefunded: 0 },
      text: '"amountCaptured":600.50,',
      events: ['authorization.captured'],
      writes: ['capture 600.50'],
    },
    ...refusals(call, [
      [
        'happens once: the rest of a partial capture is released',
        [...given, '600.00 of it are captured'],
        '409 Authorization is already captured',
        { amount: 400 },
      ],
    ]),
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
    ...refusals(call, [
      ['cannot happen twice', [...given, 'it is voided'], '409 Authorization is already voided'],
    ]),
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
      name: 'an authorization keeps a method that was detached later',
      given: ['a customer', 'an authorization', 'the method is detached'],
      call: 'GET /v1/authorizations/{authorization}',
      status: 200,
      body: { ...CREATED, id: '{authorization}', paymentMethodId: '{method}' },
    },
    ...filtered(
      'GET /v1/authorizations?customerId={customer}&',
      ['a customer', 'an authorization', 'it is captured'],
      [
        ['status=authorized', []],
        ['status=captured', ['{authorization}']],
        ['status=voided', []],
        ['orderId=nothing', []],
      ],
    ),
  ])
})
